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

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;

import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Creates loops that take the channels the program chose, and RDMA's.
 *
 * @param chosen the program's factory.
 * @param kind of its handlers.
 * @param descriptor of a handler, see {@link LoopKind#descriptor}.
 * @param report takes lines for the user.
 */
record LoopFactory(IoHandlerFactory chosen, LoopKind kind, ToIntFunction<IoHandler> descriptor,
        Consumer<String> report) implements IoHandlerFactory {

    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
        IoHandler tcp = null;
        try {
            Supplier<IoHandler> stand;
            if (descriptor == null) {
                IoHandler epoll = chosen.newHandler(executor);
                tcp = epoll;
                stand = () -> epoll;
            } else {
                EpollWithGuest both = new EpollWithGuest(EpollIoHandler.newFactory().newHandler(executor),
                        () -> chosen.newHandler(executor), kind.handles(), descriptor);
                tcp = both;
                stand = both;
            }
            IoHandler waiting = tcp;
            IoHandler rdma = RdmaIoHandler.newFactoryOn(RdmaIoHandlerConfig.DEFAULT, own -> waiting)
                    .newHandler(executor);
            return new LoopHandler((RdmaIoHandler) rdma, stand, kind);
        } catch (RuntimeException | LinkageError e) {
            report.accept("left alone: some event loops of " + kind.label() + " (" + e.getMessage() + ")");
            if (tcp != null) {
                tcp.destroy();
            }
            return chosen.newHandler(executor);
        }
    }

    @Override
    public boolean isChangingThreadSupported() {
        return chosen.isChangingThreadSupported();
    }
}
