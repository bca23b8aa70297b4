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

import io.nettyrdma.jni.Errno;

/** A batch of work requests was not posted, or only its first ones. Those that were posted complete as usual. */
public final class PostException extends VerbsException {

    private static final long serialVersionUID = 1L;

    private final int posted;

    private PostException(String call, Object queue, int errno, int posted, int size) {
        super(call, queue, errno, posted + " of " + size + " work requests were posted");
        this.posted = posted;
    }

    /** How many work requests, from the batch's beginning, the device has. */
    public int posted() {
        return posted;
    }

    /** Whether the queue pair is not connected any more: iWARP refuses posts then, others flush what is posted. */
    public boolean isNotConnected() {
        return errno() == Errno.ENOTCONN;
    }

    /** Takes the natives' answer apart: the number posted in the low, the errno in the high 32 bits. */
    static void check(long result, int size, String call, Object queue) throws PostException {
        if (result != size) {
            throw new PostException(call, queue, (int) (result >>> 32), (int) result, size);
        }
    }
}
