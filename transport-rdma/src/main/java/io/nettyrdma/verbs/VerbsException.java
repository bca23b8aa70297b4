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

import java.io.IOException;

/**
 * A call into rdma-core failed. The message names the call, the object, the error number and, where known, the cure.
 *
 * @since 0.1.0
 */
@UnstableApi
public class VerbsException extends IOException {

    private static final long serialVersionUID = 1L;

    /** The function of rdma-core. */
    private final String call;
    /** As in errno.h, positive. */
    private final int errno;

    /**
     * @param call the C function, for example {@code ibv_reg_mr}.
     * @param object the object of the call; its {@code toString} goes into the message.
     * @param errno the error number, positive or negative.
     */
    public VerbsException(String call, Object object, int errno) {
        this(call, errno, message(call, object, errno));
    }

    VerbsException(String call, Object object, int errno, String detail) {
        this(call, errno, message(call, object, errno) + "; " + detail);
    }

    private VerbsException(String call, int errno, String message) {
        super(message);
        this.call = call;
        this.errno = Math.abs(errno);
    }

    /** For a call that is not made, because it is known how it would fail. The message is the text alone. */
    static VerbsException withText(String call, int errno, String text) {
        return new VerbsException(call, errno, text);
    }

    /** {@return the C function that failed} */
    public String call() {
        return call;
    }

    /** {@return the error number, positive} */
    public int errno() {
        return errno;
    }

    /** {@return whether the address and port are taken: {@code EADDRINUSE}} */
    public boolean isAddressInUse() {
        return errno == Errno.EADDRINUSE;
    }

    /**
     * Throws if {@code result} is negative, which is how native methods report failure.
     *
     * @param result of a native call.
     * @param call the function of rdma-core.
     * @param object what it was called for.
     * @throws VerbsException if the call fails, with the reason.
     */
    public static void check(int result, String call, Object object) throws VerbsException {
        if (result < 0) {
            throw new VerbsException(call, object, result);
        }
    }

    private static String message(String call, Object object, int errno) {
        String cure = Cures.cure(call, Math.abs(errno));
        return call + " failed for " + object + ": " + Errno.name(errno) + (cure == null ? "" : "; " + cure);
    }
}
