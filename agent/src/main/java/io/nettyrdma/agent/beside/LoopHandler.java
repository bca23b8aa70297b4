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
package io.nettyrdma.agent.beside;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.nettyrdma.io.RdmaIoHandler;

import java.util.function.Supplier;

/**
 * A loop's handler: RDMA's, which a program that asks for the kind of its loops takes for the one it chose.
 * Instrumented code of Netty that needs the chosen one calls {@link #get}.
 */
final class LoopHandler implements IoHandler, Supplier<IoHandler> {

    private final RdmaIoHandler rdma;
    private final Supplier<IoHandler> chosen;
    private final Class<? extends IoHandle> handles;

    LoopHandler(RdmaIoHandler rdma, Supplier<IoHandler> chosen, LoopKind kind) {
        this.rdma = rdma;
        this.chosen = chosen;
        handles = kind.handles();
        SwappedLoops.begin(rdma.counters());
    }

    /** The handler that the program would have without the agent. Any thread. */
    @Override
    public IoHandler get() {
        return chosen.get();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
        return handles.isAssignableFrom(type) || rdma.isCompatible(type);
    }

    @Override
    public void initialize() {
        rdma.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return rdma.run(context);
    }

    @Override
    public void wakeup() {
        rdma.wakeup();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return rdma.register(handle);
    }

    @Override
    public void prepareToDestroy() {
        rdma.prepareToDestroy();
    }

    @Override
    public void destroy() {
        rdma.destroy();
        SwappedLoops.end(rdma.counters());
    }
}
