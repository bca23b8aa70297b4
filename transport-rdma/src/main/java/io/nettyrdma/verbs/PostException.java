/*
 * Copyright 2026 The netty-transport-rdma Project
 *
 * The netty-transport-rdma Project licenses this file to you under the Apache License,
 * version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at:
 *
 *   https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the
 * License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND,
 * either express or implied. See the License for the specific language governing permissions
 * and limitations under the License.
 */
package io.nettyrdma.verbs;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.jni.Errno;

/**
 * A batch of work requests was posted in part or not at all. Those that were posted complete as usual.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class PostException extends VerbsException {

    private static final long serialVersionUID = 1L;

    /** Work requests before the one that was refused. */
    private final int posted;

    private PostException(String call, Object queue, int errno, int posted, int size) {
        super(call, queue, errno, posted + " of " + size + " work requests were posted");
        this.posted = posted;
    }

    /** {@return the number of work requests that were posted, counted from the start of the batch} */
    public int posted() {
        return posted;
    }

    /**
     * {@return whether the queue pair is no longer connected} Only iWARP refuses the post then; other devices flush it.
     */
    public boolean isNotConnected() {
        return errno() == Errno.ENOTCONN;
    }

    /** The meaning of a native result that is not the size: the number posted, and the errno in the high 32 bits. */
    static PostException of(long result, int size, String call, Object queue) {
        return new PostException(call, queue, (int) (result >>> 32), (int) result, size);
    }
}
