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
 * The API for users of Netty: {@code RdmaChannel} and {@code RdmaServerChannel}, {@code RdmaDatagramChannel} and the
 * {@code DatagramExchange} of its address with a peer, their options and configurations. Thin: the event loop is in
 * {@code io}, the byte stream in {@code stream}, the engine of datagrams in {@code datagram}. May import all packages
 * below; none imports it. Everything but reading addresses, options and states belongs to the channel's event loop.
 */
package io.nettyrdma.channel;
