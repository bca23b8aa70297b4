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
package io.nettyrdma.testsuite.io;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;

/** Delegates to the handler under test. Subclasses observe or change calls. */
abstract class ForwardingHandler implements IoHandler {

    private final IoHandler tested;

    ForwardingHandler(IoHandler tested) {
        this.tested = tested;
    }

    @Override
    public void initialize() {
        tested.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return tested.run(context);
    }

    @Override
    public void prepareToDestroy() {
        tested.prepareToDestroy();
    }

    @Override
    public void destroy() {
        tested.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return tested.register(handle);
    }

    @Override
    public void wakeup() {
        tested.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return tested.isCompatible(handleType);
    }
}
