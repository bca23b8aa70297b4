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
package io.nettyrdma.link;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;

import java.util.function.BiConsumer;
import java.util.function.IntSupplier;

/** Makes links over reliable connections of the connection manager, on loops of an RdmaIoHandler. */
public final class CmLinks implements LinkFactory {

    public static final LinkFactory INSTANCE = new CmLinks();

    private CmLinks() {
    }

    @Override
    public boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop ours && ours.isCompatible(LinkHandle.class);
    }

    @Override
    public void register(EventLoop loop, Link.Events events, BiConsumer<Link, Throwable> then) {
        CmLink link = new CmLink(loop, events);
        ((IoEventLoop) loop).register(link.handle()).addListener(future -> {
            if (future.isSuccess()) {
                link.registered((IoRegistration) future.getNow());
                then.accept(link, null);
            } else {
                then.accept(null, future.cause());
            }
        });
    }

    @Override
    public LinkListener listener(LinkListener.Events events, IntSupplier maxWaiting) {
        return new CmListener(events, maxWaiting);
    }
}
