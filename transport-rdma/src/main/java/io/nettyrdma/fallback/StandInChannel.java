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
package io.nettyrdma.fallback;

import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;

import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** The part of a channel that is another one's: its addresses, and the ends of its stream. */
abstract class StandInChannel extends AbstractChannel implements SocketChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    StandInChannel() {
        super(null);
    }

    /** {@return the other one} Any thread. */
    public abstract SocketChannel current();

    @Override
    public final ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public final ServerSocketChannel parent() {
        return null;
    }

    @Override
    public final InetSocketAddress localAddress() {
        return current().localAddress();
    }

    @Override
    public final InetSocketAddress remoteAddress() {
        return current().remoteAddress();
    }

    @Override
    protected final SocketAddress localAddress0() {
        return localAddress();
    }

    @Override
    protected final SocketAddress remoteAddress0() {
        return remoteAddress();
    }

    @Override
    public final boolean isInputShutdown() {
        return current().isInputShutdown();
    }

    @Override
    public final ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public final ChannelFuture shutdownInput(ChannelPromise promise) {
        current().shutdownInput(promise);
        return promise;
    }

    @Override
    public final boolean isOutputShutdown() {
        return current().isOutputShutdown();
    }

    @Override
    public final ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public final ChannelFuture shutdownOutput(ChannelPromise promise) {
        current().shutdownOutput(promise);
        return promise;
    }

    @Override
    public final boolean isShutdown() {
        return current().isShutdown();
    }

    @Override
    public final ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public final ChannelFuture shutdown(ChannelPromise promise) {
        current().shutdown(promise);
        return promise;
    }

    @Override
    protected final void doBind(SocketAddress address) {
        throw notHere();
    }

    @Override
    protected final void doDisconnect() {
        throw notHere();
    }

    /** Netty's, when an active channel has moved to another loop. */
    @Override
    protected final void doBeginRead() {
        current().unsafe().beginRead();
    }

    @Override
    protected final void doWrite(ChannelOutboundBuffer in) {
        throw notHere();
    }

    private static IllegalStateException notHere() {
        return new IllegalStateException("the transport's channel does this");
    }
}
