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
package io.nettyrdma.jni;

/**
 * Native methods for the native library itself and for the rdma-core libraries that it opens with {@code dlopen}. They
 * are registered first and this class has no static initializer, because the loader calls them before the other native
 * methods are bound.
 */
final class LibraryNative {

    /** The libraries that {@link #open} can open. */
    static final int VERBS = 0;
    static final int CM = 1;
    static final int EFA = 2;

    private LibraryNative() {
    }

    /** The layout of all shared records, as lines {@code record.field=offset} and {@code record=size}. */
    static native String layout();

    /**
     * Opens a library and resolves its symbols. An open library of rdma-core stays open until the process ends, and the
     * software device until this class is unloaded; opening it again succeeds and ignores {@code path}. After a failure
     * the caller may try another path.
     *
     * @return {@code null} on success, otherwise what is missing: the text of {@code dlerror}, or the symbol's name.
     */
    static native String open(int which, String path);

    /**
     * Why the last call of this thread into verbs or rdma_cm failed with this positive error number, if the device can
     * say more than the number; otherwise {@code null}. Forgets the reason.
     */
    static native String reason(int errno);

    /** Address of a direct buffer's first byte; 0 if {@code buffer} is not direct. */
    static native long address(java.nio.Buffer buffer);
}
