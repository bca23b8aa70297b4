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

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.nettyrdma.io.RdmaIoHandle;

import java.util.List;

/** Netty's own transports for TCP, of which the event loop decides. */
enum TcpTransport {

    /** Also of the loops of an RdmaIoHandler. */
    EPOLL {
        @Override
        Class<? extends IoHandle> handle() {
            return EpollIoHandle.class;
        }

        @Override
        Class<? extends SocketChannel> channelType() {
            return EpollSocketChannel.class;
        }

        @Override
        Class<? extends ServerSocketChannel> serverType() {
            return EpollServerSocketChannel.class;
        }

        @Override
        SocketChannel newChannel() {
            return new EpollSocketChannel();
        }

        @Override
        ServerSocketChannel newServer() {
            return new EpollServerSocketChannel();
        }
    },
    NIO {
        @Override
        Class<? extends IoHandle> handle() {
            return NioIoHandle.class;
        }

        @Override
        Class<? extends SocketChannel> channelType() {
            return NioSocketChannel.class;
        }

        @Override
        Class<? extends ServerSocketChannel> serverType() {
            return NioServerSocketChannel.class;
        }

        @Override
        SocketChannel newChannel() {
            return new NioSocketChannel();
        }

        @Override
        ServerSocketChannel newServer() {
            return new NioServerSocketChannel();
        }
    },
    /** Its classes may be missing: call nothing of it then. */
    IO_URING {
        @Override
        Class<? extends IoHandle> handle() {
            return IoUringIoHandle.class;
        }

        @Override
        Class<? extends SocketChannel> channelType() {
            return IoUringSocketChannel.class;
        }

        @Override
        Class<? extends ServerSocketChannel> serverType() {
            return IoUringServerSocketChannel.class;
        }

        @Override
        SocketChannel newChannel() {
            return new IoUringSocketChannel();
        }

        @Override
        ServerSocketChannel newServer() {
            return new IoUringServerSocketChannel();
        }
    };

    private static final List<TcpTransport> PRESENT = hasIoUring() ? List.of(values()) : List.of(EPOLL, NIO);

    private static boolean hasIoUring() {
        try {
            Class.forName("io.netty.channel.uring.IoUringIoHandle", false, TcpTransport.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    abstract Class<? extends IoHandle> handle();

    abstract Class<? extends SocketChannel> channelType();

    abstract Class<? extends ServerSocketChannel> serverType();

    abstract SocketChannel newChannel();

    abstract ServerSocketChannel newServer();

    /** Whether the channel, or the listener, is one of this transport. */
    boolean isOf(Channel channel) {
        return channelType().isInstance(channel) || serverType().isInstance(channel);
    }

    /** The one that most loops have, for a channel whose loop is not known yet. */
    static TcpTransport likely() {
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    /** The loop's; {@code null} if it has none. */
    static TcpTransport of(EventLoop loop) {
        if (loop instanceof IoEventLoop ioLoop) {
            if (ioLoop.isCompatible(RdmaIoHandle.class)) {
                // Its handler denies that to those who only ask, see RdmaIoHandler.isCompatible.
                return EPOLL;
            }
            for (TcpTransport each : PRESENT) {
                if (ioLoop.isCompatible(each.handle())) {
                    return each;
                }
            }
        }
        return null;
    }
}
