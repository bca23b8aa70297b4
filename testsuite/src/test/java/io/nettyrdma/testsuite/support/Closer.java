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
package io.nettyrdma.testsuite.support;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Closes resources in reverse order of opening. All are closed even if one fails; the first failure is thrown. */
public final class Closer implements AutoCloseable {

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    public <T extends AutoCloseable> T add(T opened) {
        open.push(opened);
        return opened;
    }

    /** For a constructor that failed half-way. Failures of closing are added to {@code failure} as suppressed. */
    public void closeAfter(Throwable failure) {
        try {
            close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public void close() throws IOException {
        IOException first = null;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                if (first == null) {
                    first = e instanceof IOException ? (IOException) e : new IOException(e);
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
