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

import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.auth.X509AuthenticationProvider;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A ZooKeeper server and its clients, both on Netty. */
final class ZooKeeperProgram implements AutoCloseable {

    private static final int SESSION_MILLIS = Waiting.SECONDS * 1000;
    private static final int TICK_MILLIS = SESSION_MILLIS / 10;
    private static final int CONNECTIONS = 10;

    private final OwnLoops loops;
    private final ZKClientConfig config = new ZKClientConfig();
    private final ZooKeeperServer server;
    private final ServerCnxnFactory connections;
    private final List<ZooKeeper> clients = new ArrayList<>();

    private ZooKeeperProgram(Carrier carrier, Path directory, Identity identity) throws Exception {
        loops = new OwnLoops(carrier);
        System.setProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY, NettyServerCnxnFactory.class.getName());
        config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, ClientCnxnSocketNetty.class.getName());
        if (identity != null) {
            secure(identity);
        }
        server = new ZooKeeperServer(directory.toFile(), directory.toFile(), TICK_MILLIS);
        connections = ServerCnxnFactory.createFactory();
        connections.configure(new InetSocketAddress("127.0.0.1", 0), CONNECTIONS, -1, identity != null);
        connections.startup(server);
    }

    static ZooKeeperProgram plain(Carrier carrier, Path directory) throws Exception {
        return new ZooKeeperProgram(carrier, directory, null);
    }

    static ZooKeeperProgram secure(Carrier carrier, Path directory) throws Exception {
        return new ZooKeeperProgram(carrier, directory, new Identity(directory));
    }

    /** Configures both sides; the server reads its part from system properties. */
    private void secure(Identity identity) throws Exception {
        config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
        System.setProperty("zookeeper.authProvider.x509", X509AuthenticationProvider.class.getName());
        setStore("zookeeper.ssl.keyStore", identity.file());
        setStore("zookeeper.ssl.trustStore", identity.trusted());
    }

    private void setStore(String name, Path file) {
        set(name + ".location", file.toString());
        set(name + ".password", Identity.PASSWORD);
        set(name + ".type", "PKCS12");
    }

    private void set(String name, String value) {
        config.setProperty(name, value);
        System.setProperty(name, value);
    }

    ServerCnxnFactory connections() {
        return connections;
    }

    void checkSockets() {
        loops.checkSockets();
    }

    /** Returns a client once it has a session. */
    ZooKeeper connect() throws Exception {
        CompletableFuture<Void> connected = new CompletableFuture<>();
        ZooKeeper client = new ZooKeeper("127.0.0.1:" + connections.getLocalPort(), SESSION_MILLIS, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.complete(null);
            }
        }, config);
        clients.add(client);
        Waiting.get(connected);
        return client;
    }

    /** Repeats the call, as a user does, because it fails while the connection is lost. */
    void setDataAgainAndAgain(ZooKeeper client, String path, byte[] data) {
        Waiting.until("a connection", () -> {
            try {
                client.setData(path, data, -1);
                return true;
            } catch (KeeperException.ConnectionLossException e) {
                return false;
            } catch (KeeperException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Override
    public void close() {
        for (ZooKeeper client : clients) {
            try {
                client.close();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        connections.shutdown();
        server.shutdown();
        loops.close();
    }
}
