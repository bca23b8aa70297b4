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

import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.BookKeeperAdmin;
import org.apache.bookkeeper.common.component.LifecycleComponentStack;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.server.EmbeddedServer;
import org.apache.bookkeeper.server.conf.BookieConfiguration;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

import java.net.InetSocketAddress;
import java.nio.file.Path;

/** A bookie and a client of BookKeeper. What they know of each other is in a ZooKeeper server without Netty. */
final class BookKeeperProgram implements AutoCloseable {

    private static final int TICK_MILLIS = 2_000;
    private static final int CONNECTIONS = 100;
    /** A full disk of the machine is not what is tested. */
    private static final float FULL = 0.999f;

    private final OwnLoops loops;
    private final NIOServerCnxnFactory connections = new NIOServerCnxnFactory();
    private final LifecycleComponentStack bookie;
    private final BookKeeper client;
    private boolean hasBookie = true;

    BookKeeperProgram(Carrier carrier, Path directory) throws Exception {
        loops = new OwnLoops(carrier);
        Path metadata = directory.resolve("metadata");
        connections.configure(new InetSocketAddress(Host.NAME, 0), CONNECTIONS);
        connections.startup(new ZooKeeperServer(metadata.toFile(), metadata.toFile(), TICK_MILLIS));
        String address = "zk+hierarchical://" + Host.NAME + ':' + connections.getLocalPort() + "/ledgers";
        ServerConfiguration configuration = new ServerConfiguration()
                .setBookiePort(Ports.next())
                .setAllowLoopback(true)
                .setAdvertisedAddress(Host.NAME)
                .setJournalDirName(directory.resolve("journal").toString())
                .setLedgerDirNames(new String[] { directory.resolve("ledgers").toString() })
                .setDiskUsageThreshold(FULL)
                .setDiskUsageWarnThreshold(FULL);
        configuration.setMetadataServiceUri(address);
        BookKeeperAdmin.initNewCluster(configuration);
        bookie = EmbeddedServer.builder(new BookieConfiguration(configuration)).build().getLifecycleComponentStack();
        bookie.start();
        ClientConfiguration ofClient = new ClientConfiguration();
        ofClient.setMetadataServiceUri(address);
        client = BookKeeper.forConfig(ofClient).build();
    }

    BookKeeper client() {
        return client;
    }

    /** Its {@code stop} alone leaves the server running. */
    void stopBookie() {
        hasBookie = false;
        bookie.stop();
        bookie.close();
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (Exception e) {
            throw new IllegalStateException("the client does not close", e);
        }
        if (hasBookie) {
            stopBookie();
        }
        connections.shutdown();
        loops.close();
    }
}
