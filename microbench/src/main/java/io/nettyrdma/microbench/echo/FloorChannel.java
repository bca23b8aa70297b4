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
package io.nettyrdma.microbench.echo;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DuplexChannel;

import java.net.SocketAddress;

/**
 * Removes messages that are flushed, and sends them nowhere: what remains is the cost of Netty's writes. It has no
 * peer, and at the end of its output it answers itself as {@link CountingHandler} does.
 */
public final class FloorChannel extends AbstractChannel implements DuplexChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false);

    private final ChannelConfig config = new DefaultChannelConfig(this);
    private long counted;
    private boolean connected;
    private boolean closed;
    private boolean ended;

    public FloorChannel() {
        super(null);
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer flushed) {
        for (Object message = flushed.current(); message != null; message = flushed.current()) {
            counted += ((ByteBuf) message).readableBytes();
            flushed.remove();
        }
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        ended = true;
        pipeline().fireChannelRead(alloc().buffer(Long.BYTES).writeLong(counted));
        return promise.setSuccess();
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new AbstractUnsafe() {
            @Override
            public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
                connected = true;
                promise.setSuccess();
                pipeline().fireChannelActive();
            }
        };
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return connected && !closed;
    }

    @Override
    protected void doClose() {
        closed = true;
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    /** It needs a thread and no events. */
    @Override
    protected boolean isCompatible(EventLoop loop) {
        return true;
    }

    @Override
    protected void doBind(SocketAddress local) {
    }

    @Override
    protected void doBeginRead() {
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    protected SocketAddress localAddress0() {
        return null;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return null;
    }

    @Override
    public boolean isInputShutdown() {
        return false;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return promise.setFailure(new UnsupportedOperationException());
    }

    @Override
    public boolean isOutputShutdown() {
        return ended;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        return promise.setFailure(new UnsupportedOperationException());
    }
}
