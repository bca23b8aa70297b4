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

/**
 * The channels, in place of Netty's for TCP:
 *
 * <pre>{@code
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
 *
 * new ServerBootstrap().group(group).channel(RdmaServerChannel.class).childHandler(handler).bind(port);
 *
 * new Bootstrap().group(group).channel(RdmaChannel.class).handler(handler).connect(host, port);
 * }</pre>
 *
 * <p>Handlers, codecs and TLS stay as they are. Both ends use this transport, and an address of the RDMA device. {@link
 * io.nettyrdma.channel.RdmaChannelOption} has the options that TCP has not. {@link
 * io.nettyrdma.channel.RdmaDatagramChannel} sends datagrams, and {@link io.nettyrdma.channel.DatagramExchange} finds
 * the address of its peer; both are unstable.
 *
 * <p>Reading addresses, options and states is allowed on any thread. Everything else belongs to the channel's event
 * loop, to which Netty's methods go by themselves.
 *
 * <p>The package is thin: the event loop is in {@code io}, a connection in {@code link}, the byte stream in {@code
 * stream}, the engine of datagrams in {@code datagram}. It imports neither {@code io} nor {@code cm}, and of {@code
 * verbs} values only; no package of this module imports it.
 *
 * @see <a href="https://nettyrdma.io/docs/guide.html">Guide</a>
 * @see <a href="https://nettyrdma.io/docs/from-epoll.html">From epoll to RDMA</a>
 * @see <a href="https://nettyrdma.io/docs/tuning.html">Tuning</a>
 * @since 0.1.0
 */
package io.nettyrdma.channel;
