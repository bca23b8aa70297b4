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

import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.concurrent.Future;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The promise of a connect, and what completes it: an answer, the timeout, or its cancellation. It completes once.
 * Belongs to the event loop.
 */
final class ConnectAttempt {

    private final ChannelPromise promise;
    private final InetSocketAddress remote;
    private Future<?> timeout;

    ConnectAttempt(ChannelPromise promise, InetSocketAddress remote) {
        this.promise = promise;
        this.remote = remote;
    }

    /** @throws IllegalArgumentException if the address cannot be connected to. */
    static InetSocketAddress checked(SocketAddress address) {
        if (!(address instanceof InetSocketAddress)) {
            throw new UnsupportedAddressTypeException();
        }
        if (((InetSocketAddress) address).isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return (InetSocketAddress) address;
    }

    /**
     * @return the address, which belongs to one host.
     * @throws SocketException as of a socket, if nothing can be reached there.
     */
    static InetSocketAddress destination(SocketAddress address) throws SocketException {
        InetSocketAddress to = checked(address);
        if (to.getPort() == 0) {
            throw new ConnectException("Connection refused: nothing listens at port 0");
        }
        if (to.getAddress().isMulticastAddress()) {
            throw new NoRouteToHostException("a connection leads to one host, and the address is one of many");
        }
        return to;
    }

    InetSocketAddress remote() {
        return remote;
    }

    /**
     * @param timeoutMillis 0 waits for as long as the connection manager does.
     * @param onTimeout gets the exception, if the promise is not done.
     */
    void start(int timeoutMillis, Consumer<IOException> onTimeout, Runnable onCancel) {
        if (timeoutMillis > 0) {
            timeout = promise.channel().eventLoop().schedule(() -> {
                if (!promise.isDone()) {
                    onTimeout.accept(new ConnectTimeoutException("connection timed out after " + timeoutMillis
                            + " ms: " + remote));
                }
            }, timeoutMillis, TimeUnit.MILLISECONDS);
        }
        promise.addListener(future -> {
            if (future.isCancelled()) {
                onCancel.run();
            }
        });
    }

    /** Returns whether the promise succeeded: {@code false} if the attempt was cancelled meanwhile. */
    boolean succeed() {
        stopTimer();
        return promise.trySuccess();
    }

    void fail(Throwable cause) {
        stopTimer();
        promise.tryFailure(cause);
    }

    private void stopTimer() {
        if (timeout != null) {
            timeout.cancel(false);
            timeout = null;
        }
    }
}
