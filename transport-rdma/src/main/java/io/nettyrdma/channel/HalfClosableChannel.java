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

import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;

import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.function.Consumer;

/**
 * A socket channel apart from its bytes: internet addresses, and the many methods that end one direction or both,
 * which lead to two methods on the loop.
 */
abstract class HalfClosableChannel extends AbstractChannel implements SocketChannel {

    HalfClosableChannel(Channel parent) {
        super(parent);
    }

    /** {@return the server's channel of a child, or the one that stands for it; {@code null} if this one connects} */
    @Override
    public ServerSocketChannel parent() {
        RdmaServerChannel listener = listener();
        return listener == null ? null : listener.parentOfChildren();
    }

    /** Of a child; otherwise {@code null}. */
    final RdmaServerChannel listener() {
        return (RdmaServerChannel) super.parent();
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    /** Called on the loop, if the channel is active. */
    abstract void endInput(ChannelPromise promise);

    /** Called on the loop, if the channel is active. */
    abstract void endOutput(ChannelPromise promise);

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return begin(promise, this::endInput);
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        return begin(promise, this::endOutput);
    }

    /** A promise that is already cancelled leaves the channel as it is; later it cannot be cancelled. */
    private ChannelFuture begin(ChannelPromise promise, Consumer<ChannelPromise> end) {
        onLoop(() -> {
            if (!promise.setUncancellable()) {
                return;
            }
            if (isActive()) {
                end.accept(promise);
            } else {
                promise.tryFailure(notConnected());
            }
        });
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        if (promise.setUncancellable()) {
            onLoop(() -> end(promise));
        }
        return promise;
    }

    /**
     * Both in one task, as with TCP in one call: a peer that answers FIN with a close may do so before it acknowledges
     * FIN, and the loop may see that close between two tasks.
     */
    private void end(ChannelPromise promise) {
        ChannelFuture output = shutdownOutput();
        shutdownInput().addListener(input -> output.addListener(sent -> {
            Throwable failure = sent.cause() == null ? input.cause() : sent.cause();
            if (failure == null) {
                promise.trySuccess();
            } else {
                promise.tryFailure(failure);
            }
        }));
    }

    private Exception notConnected() {
        return isOpen() ? new NotYetConnectedException() : new ClosedChannelException();
    }

    private void onLoop(Runnable task) {
        if (eventLoop().inEventLoop()) {
            task.run();
        } else {
            eventLoop().execute(task);
        }
    }
}
