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

import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;

/** Two queue pairs of this process, connected to each other. */
public final class RcPair implements AutoCloseable {

    private final Closer closer = new Closer();
    private final Endpoint left;
    private final Endpoint right;

    public RcPair(ApiVariant variant) throws VerbsException {
        this(RcSettings.of(variant));
    }

    public RcPair(RcSettings both) throws VerbsException {
        this(both, both);
    }

    public RcPair(RcSettings leftSettings, RcSettings rightSettings) throws VerbsException {
        try {
            left = closer.add(new Endpoint(leftSettings.variant(), leftSettings.queues()));
            right = closer.add(new Endpoint(rightSettings.variant(), rightSettings.queues()));
            left.connect(right.address(), leftSettings);
            right.connect(left.address(), rightSettings);
        } catch (Throwable e) {
            closer.closeAfter(e);
            throw e;
        }
    }

    public Endpoint left() {
        return left;
    }

    public Endpoint right() {
        return right;
    }

    @Override
    public void close() throws IOException {
        closer.close();
    }
}
