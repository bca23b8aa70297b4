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
package io.nettyrdma.testsuite.channel;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.nettyrdma.io.RdmaIoHandler;

import java.util.concurrent.Executor;

/** Loops that report the number of channels registered with them. */
public final class CountedLoops extends MultiThreadIoEventLoopGroup {

    public CountedLoops(int threads) {
        super(threads, RdmaIoHandler.newFactory());
    }

    @Override
    protected IoEventLoop newChild(Executor executor, IoHandlerFactory factory, Object... arguments) {
        return new Loop(this, executor, factory);
    }

    public int registrations() {
        int sum = 0;
        for (EventExecutor loop : this) {
            sum += ((Loop) loop).getNumOfRegisteredChannels();
        }
        return sum;
    }

    private static final class Loop extends SingleThreadIoEventLoop {

        Loop(IoEventLoopGroup parent, Executor executor, IoHandlerFactory factory) {
            super(parent, executor, factory);
        }

        @Override
        protected int getNumOfRegisteredChannels() {
            return super.getNumOfRegisteredChannels();
        }
    }
}
