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
package io.nettyrdma.channel;

import io.netty.channel.EventLoop;
import io.nettyrdma.link.Link;
import io.nettyrdma.link.LinkFactory;
import io.nettyrdma.link.LinkListener;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntSupplier;

/** Makes links and listeners without a device, on any loop. */
final class TestLinks implements LinkFactory {

    /** In the order of the registrations. */
    final List<TestLink> made = new ArrayList<>();
    /** The last one. */
    TestListener listener;

    TestLink last() {
        return made.get(made.size() - 1);
    }

    @Override
    public boolean isCompatible(EventLoop loop) {
        return true;
    }

    @Override
    public void register(EventLoop loop, Link.Events events, BiConsumer<Link, Throwable> then) {
        TestLink link = new TestLink(events);
        made.add(link);
        then.accept(link, null);
    }

    @Override
    public LinkListener listener(LinkListener.Events events, IntSupplier maxWaiting) {
        listener = new TestListener(events);
        return listener;
    }
}
