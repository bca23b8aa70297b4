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
package io.nettyrdma.vertx;

import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.spi.transport.Transport;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Gives each {@code Vertx} a transport that uses RDMA if its peers have it. One that was created with a transport other
 * than NIO or epoll keeps it. Any thread.
 *
 * @since 0.1.0
 */
public final class RdmaProvider implements VertxServiceProvider {

    private static final Logger LOGGER = Logger.getLogger(RdmaProvider.class.getName());

    @Override
    public void init(VertxBootstrap vertx) {
        try {
            useRdma(vertx);
        } catch (LinkageError e) {
            LOGGER.log(Level.WARNING, "Vert.x does not use RDMA: it is none of the versions 5.1 and later", e);
        }
    }

    private static void useRdma(VertxBootstrap vertx) {
        Transport chosen = vertx.transport() == null
                ? io.vertx.core.transport.Transport.NIO.implementation() : vertx.transport();
        if (isTcp(chosen)) {
            vertx.transport(RdmaOrTcpTransport.instead(chosen));
        } else {
            LOGGER.info("Vert.x does not use RDMA: it was created with " + chosen.getClass().getName());
        }
    }

    /** Whether our channels work on the loops of a transport. */
    private static boolean isTcp(Transport transport) {
        return transport == io.vertx.core.transport.Transport.NIO.implementation()
                || transport == io.vertx.core.transport.Transport.EPOLL.implementation();
    }
}
