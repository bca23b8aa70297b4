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
 * Natives about the native library itself and the rdma-core libraries that it opens with {@code dlopen}. Registered
 * before all others, and without static state: the loader calls them while nothing else is bound yet.
 */
final class LibraryNative {

    /** Which library {@link #open} is about. */
    static final int VERBS = 0;
    static final int CM = 1;
    static final int EFA = 2;

    private LibraryNative() {
    }

    /** The layout of all shared records, as lines {@code record.field=offset} and {@code record=size}. */
    static native String layout();

    /**
     * Opens a library and finds its symbols. One that is open stays open until the process ends, and opening it again
     * succeeds and ignores {@code path}; after a failure another path may be tried.
     *
     * @return {@code null} on success, else what is missing: the text of {@code dlerror}, or the symbol's name.
     */
    static native String open(int which, String path);

    /** Address of a direct buffer's first byte; 0 if {@code buffer} is not direct. */
    static native long address(java.nio.Buffer buffer);
}
