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

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.session.ProgrammaticArguments;
import com.datastax.oss.driver.internal.core.context.DefaultDriverContext;
import com.datastax.oss.driver.internal.core.context.DefaultNettyOptions;
import com.datastax.oss.driver.internal.core.context.NettyOptions;
import com.datastax.oss.simulacron.common.cluster.ClusterSpec;
import com.datastax.oss.simulacron.common.stubbing.CloseType;
import com.datastax.oss.simulacron.common.stubbing.PrimeDsl;
import com.datastax.oss.simulacron.server.BoundCluster;
import com.datastax.oss.simulacron.server.Server;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A simulated cluster of two nodes, and a session of Cassandra's driver with it. */
final class CassandraProgram implements AutoCloseable {

    private final Carrier carrier;
    private final Loops loops;
    private final Server server;
    private final BoundCluster cluster;
    private final CqlSession session;

    CassandraProgram(Carrier carrier) {
        this.carrier = carrier;
        loops = new Loops(carrier);
        server = Server.builder().withEventLoopGroup(loops.group(), carrier.server()).withMultipleNodesPerIp(true)
                .withAddressResolver(() -> new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.next()))
                .build();
        cluster = server.register(ClusterSpec.builder().withNodes(2));
        CqlSessionBuilder builder = carrier == Carrier.AGENT ? new CqlSessionBuilder() : new Builder();
        session = builder.withConfigLoader(DriverConfigLoader.programmaticBuilder()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(Waiting.SECONDS))
                .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(Waiting.SECONDS))
                .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, Duration.ofSeconds(Waiting.SECONDS))
                .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0).build())
                .addContactPoint((InetSocketAddress) cluster.node(0).getAddress())
                .withLocalDatacenter(cluster.dc(0).getName()).build();
    }

    void checkSockets() {
        loops.checkSockets();
    }

    CqlSession session() {
        return session;
    }

    void answer(String query, String value) {
        cluster.prime(PrimeDsl.when(query).then(PrimeDsl.rows().row("v", value).columnTypes("v", "varchar")));
    }

    boolean isAnswered(String query, String value) {
        try {
            return session.execute(query).one().getString("v").equals(value);
        } catch (AllNodesFailedException | ClosedConnectionException e) {
            return false;
        }
    }

    void loseConnections(CloseType how) {
        cluster.closeConnections(how);
    }

    @Override
    public void close() {
        session.close();
        server.close();
        loops.close();
    }

    private final class Builder extends CqlSessionBuilder {

        @Override
        protected DriverContext buildContext(DriverConfigLoader loader, ProgrammaticArguments arguments) {
            return new DefaultDriverContext(loader, arguments) {
                @Override
                protected NettyOptions buildNettyOptions() {
                    return new DefaultNettyOptions(this) {
                        @Override
                        public EventLoopGroup ioEventLoopGroup() {
                            return loops.group();
                        }

                        @Override
                        public Class<? extends Channel> channelClass() {
                            return carrier.client();
                        }
                    };
                }
            };
        }
    }
}
