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
package io.nettyrdma.integrations;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;

import java.util.List;
import java.util.stream.Stream;

/**
 * The transport of a program, and the only difference between the runs of a test. The loops of RDMA and of NIO refuse
 * the channels of the other, so no test can use the wrong one unnoticed.
 */
enum Carrier {

    RDMA(RdmaServerChannel.class, RdmaChannel.class) {
        @Override
        IoHandlerFactory ioHandlers() {
            return RdmaIoHandler.newFactory();
        }
    },
    NIO(NioServerSocketChannel.class, NioSocketChannel.class) {
        @Override
        IoHandlerFactory ioHandlers() {
            return NioIoHandler.newFactory();
        }
    },
    /** The program is as with NIO, and the JVM has the agent. */
    AGENT(NioServerSocketChannel.class, NioSocketChannel.class) {
        @Override
        IoHandlerFactory ioHandlers() {
            return NIO.ioHandlers();
        }
    };

    private static final List<Carrier> WANTED =
            Stream.of(System.getProperty("io.nettyrdma.integrations.carriers", "RDMA,NIO").split(","))
                    .map(Carrier::valueOf).toList();

    private final Class<? extends ServerChannel> server;
    private final Class<? extends Channel> client;

    Carrier(Class<? extends ServerChannel> server, Class<? extends Channel> client) {
        this.server = server;
        this.client = client;
    }

    abstract IoHandlerFactory ioHandlers();

    /** Those of this run. NIO does not run where the device is what is tested. */
    static List<Carrier> wanted() {
        return WANTED;
    }

    Class<? extends ServerChannel> server() {
        return server;
    }

    Class<? extends Channel> client() {
        return client;
    }
}
