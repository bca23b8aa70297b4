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

import io.netty.channel.MultiThreadIoEventLoopGroup;

import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

/** Has the members of `NioEventLoopGroup` that programs call by that name; see {@link NioNames}. */
public final class RdmaEventLoopGroup extends MultiThreadIoEventLoopGroup {

    public RdmaEventLoopGroup() {
        super(RdmaLoops.newFactory());
    }

    public RdmaEventLoopGroup(int threads) {
        super(threads, RdmaLoops.newFactory());
    }

    public RdmaEventLoopGroup(int threads, ThreadFactory factory) {
        super(threads, factory, RdmaLoops.newFactory());
    }

    public RdmaEventLoopGroup(int threads, Executor executor) {
        super(threads, executor, RdmaLoops.newFactory());
    }

    /** Without effect, as in Netty 4.2. */
    public void setIoRatio(int ratio) {
        assert ratio > 0;
    }
}
