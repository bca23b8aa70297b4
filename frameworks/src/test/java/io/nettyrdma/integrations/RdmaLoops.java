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
package io.nettyrdma.integrations;

import io.netty.channel.EventLoop;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nettyrdma.io.RdmaIoHandler;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Replaces `NioIoHandler` in programs that create their own loops, and keeps track of these; see {@link NioNames}. */
public final class RdmaLoops {

    private static final Set<EventLoop> LOOPS = ConcurrentHashMap.newKeySet();

    private RdmaLoops() {
    }

    public static IoHandlerFactory newFactory() {
        IoHandlerFactory factory = RdmaIoHandler.newFactory();
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor loop) {
                LOOPS.add((EventLoop) loop);
                return factory.newHandler(loop);
            }

            @Override
            public boolean isChangingThreadSupported() {
                return factory.isChangingThreadSupported();
            }
        };
    }

    /** Ends those that the program has not ended: some are static in it. */
    static void endAll() {
        LOOPS.forEach(loop -> loop.shutdownGracefully(0, Waiting.SECONDS, TimeUnit.SECONDS));
        LOOPS.forEach(loop -> assertThat(loop.terminationFuture()
                .awaitUninterruptibly(Waiting.SECONDS, TimeUnit.SECONDS)).as("the loops end").isTrue());
        LOOPS.clear();
    }
}
