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
package io.nettyrdma.datagram;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.ReferenceCountUtil;

import java.net.SocketAddress;

/**
 * The channel's unsafe as the pipeline sees it. Netty's outbound buffer completes promises in the order of the writes,
 * and has no way to take one out. Datagrams complete in any order. So a write becomes an {@link OutgoingDatagram} that
 * has the promise, and the buffer gets a void one.
 */
final class PromiseKeeper implements Channel.Unsafe {

    /** Makes a datagram of a message. */
    @FunctionalInterface
    interface Maker {

        /** @throws Exception if it cannot be sent. The caller releases the message then. */
        OutgoingDatagram make(Object message, ChannelPromise promise) throws Exception;
    }

    private final Channel.Unsafe unsafe;
    private final Maker maker;

    PromiseKeeper(Channel.Unsafe unsafe, Maker maker) {
        this.unsafe = unsafe;
        this.maker = maker;
    }

    @Override
    public void write(Object message, ChannelPromise promise) {
        OutgoingDatagram datagram;
        try {
            datagram = maker.make(message, promise);
        } catch (Throwable e) {
            ReferenceCountUtil.safeRelease(message);
            promise.tryFailure(e);
            return;
        }
        unsafe.write(datagram, unsafe.voidPromise());
    }

    @Override
    @SuppressWarnings("deprecation")
    public RecvByteBufAllocator.Handle recvBufAllocHandle() {
        return unsafe.recvBufAllocHandle();
    }

    @Override
    public SocketAddress localAddress() {
        return unsafe.localAddress();
    }

    @Override
    public SocketAddress remoteAddress() {
        return unsafe.remoteAddress();
    }

    @Override
    public void register(EventLoop eventLoop, ChannelPromise promise) {
        unsafe.register(eventLoop, promise);
    }

    @Override
    public void bind(SocketAddress localAddress, ChannelPromise promise) {
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
    public void closeForcibly() {
        unsafe.closeForcibly();
    }

    @Override
    public void deregister(ChannelPromise promise) {
        unsafe.deregister(promise);
    }

    @Override
    public void beginRead() {
        unsafe.beginRead();
    }

    @Override
    public void flush() {
        unsafe.flush();
    }

    @Override
    public ChannelPromise voidPromise() {
        return unsafe.voidPromise();
    }

    @Override
    public ChannelOutboundBuffer outboundBuffer() {
        return unsafe.outboundBuffer();
    }
}
