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
 * An RDMA transport for Netty 4.2. Begin with {@link io.nettyrdma.channel}, the channels. {@link io.nettyrdma.io} has
 * the event loop and its configuration, {@link io.nettyrdma.buffer} the allocator, {@link io.nettyrdma.metrics} the
 * counters of a loop, {@link io.nettyrdma} whether RDMA can be used here.
 *
 * <p>What is not marked as {@link io.nettyrdma.annotation.UnstableApi} follows semantic versioning.
 */
@SuppressWarnings("requires-automatic")
module io.nettyrdma {
    requires transitive io.netty.common;
    requires transitive io.netty.buffer;
    requires transitive io.netty.transport;
    requires io.netty.transport.unix.common;
    requires io.netty.transport.classes.epoll;
    requires jdk.jfr;
    requires static io.netty.transport.classes.io_uring;
    requires static java.management;
    requires static reactor.blockhound;

    exports io.nettyrdma;
    exports io.nettyrdma.annotation;
    exports io.nettyrdma.buffer;
    exports io.nettyrdma.channel;
    exports io.nettyrdma.cm;
    exports io.nettyrdma.datagram;
    exports io.nettyrdma.fallback;
    exports io.nettyrdma.io;
    exports io.nettyrdma.metrics;
    exports io.nettyrdma.remote;
    exports io.nettyrdma.verbs;
}
