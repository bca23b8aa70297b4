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
package io.nettyrdma.pipeline;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;

import java.net.SocketAddress;

/**
 * A channel's unsafe as the pipeline sees it: passes everything to the channel's own but what a subclass changes, for
 * methods that Netty has made final there.
 */
public abstract class ForwardingUnsafe implements Channel.Unsafe {

    private final Channel.Unsafe unsafe;

    protected ForwardingUnsafe(Channel.Unsafe unsafe) {
        this.unsafe = unsafe;
    }

    @Override
    @SuppressWarnings("deprecation")
    public final RecvByteBufAllocator.Handle recvBufAllocHandle() {
        return unsafe.recvBufAllocHandle();
    }

    @Override
    public final SocketAddress localAddress() {
        return unsafe.localAddress();
    }

    @Override
    public final SocketAddress remoteAddress() {
        return unsafe.remoteAddress();
    }

    @Override
    public void register(EventLoop eventLoop, ChannelPromise promise) {
        unsafe.register(eventLoop, promise);
    }

    @Override
    public final void bind(SocketAddress localAddress, ChannelPromise promise) {
        unsafe.bind(localAddress, promise);
    }

    @Override
    public void connect(SocketAddress remoteAddress, SocketAddress localAddress, ChannelPromise promise) {
        unsafe.connect(remoteAddress, localAddress, promise);
    }

    @Override
    public void disconnect(ChannelPromise promise) {
        unsafe.disconnect(promise);
    }

    @Override
    public void close(ChannelPromise promise) {
        unsafe.close(promise);
    }

    @Override
    public final void closeForcibly() {
        unsafe.closeForcibly();
    }

    @Override
    public void deregister(ChannelPromise promise) {
        unsafe.deregister(promise);
    }

    @Override
    public final void beginRead() {
        unsafe.beginRead();
    }

    @Override
    public void write(Object message, ChannelPromise promise) {
        unsafe.write(message, promise);
    }

    @Override
    public void flush() {
        unsafe.flush();
    }

    @Override
    public final ChannelPromise voidPromise() {
        return unsafe.voidPromise();
    }

    @Override
    public final ChannelOutboundBuffer outboundBuffer() {
        return unsafe.outboundBuffer();
    }
}
