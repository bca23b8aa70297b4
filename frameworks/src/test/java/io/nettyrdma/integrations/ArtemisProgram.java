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

import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;

/** A broker of ActiveMQ Artemis that keeps messages in memory, and a session of a client. */
final class ArtemisProgram implements AutoCloseable {

    static final String QUEUE = "queue";

    /** On NIO, whose names the carrier replaces. */
    private final String address = "tcp://" + Host.NAME + ':' + Ports.next() + "?useEpoll=false;useKQueue=false";
    private final OwnLoops loops;
    private final EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    private final ServerLocator locator;
    private final ClientSessionFactory connection;
    private final ClientSession session;

    ArtemisProgram(Carrier carrier) throws Exception {
        loops = new OwnLoops(carrier);
        Configuration configuration = new ConfigurationImpl().setPersistenceEnabled(false).setSecurityEnabled(false)
                .setJMXManagementEnabled(false);
        broker.setConfiguration(configuration.addAcceptorConfiguration("acceptor", address));
        broker.start();
        locator = ActiveMQClient.createServerLocator(address);
        connection = locator.createSessionFactory();
        session = connection.createSession();
        session.createQueue(QueueConfiguration.of(QUEUE).setRoutingType(RoutingType.ANYCAST).setDurable(false));
        session.start();
    }

    ClientSession session() {
        return session;
    }

    void checkSockets() {
        loops.checkSockets();
    }

    void stopBroker() {
        try {
            broker.stop();
        } catch (Exception e) {
            throw new IllegalStateException("the broker does not stop", e);
        }
    }

    @Override
    public void close() {
        connection.close();
        locator.close();
        stopBroker();
        ActiveMQClient.clearThreadPools();
        loops.close();
    }
}
