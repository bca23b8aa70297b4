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

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.ServerCnxn;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** ZooKeeper's server and clients, with its own classes for Netty: data, also over TLS, watches, sessions. */
@Tag("device")
@Tested(ZooKeeper.class)
@CallsNioByName("org.apache.zookeeper.")
class ZooKeeperTest {

    private static final int NODES = 200;
    private static final int SMALL = 2_000;
    /** ZooKeeper accepts at most a megabyte in one request. */
    private static final int LARGE = 1_000_000;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void data(Carrier carrier, @TempDir Path directory) throws Exception {
        try (ZooKeeperProgram program = ZooKeeperProgram.plain(carrier, directory)) {
            assertData(program);
        }
    }

    @EachCarrier
    void dataOverTls(Carrier carrier, @TempDir Path directory) throws Exception {
        try (ZooKeeperProgram program = ZooKeeperProgram.secure(carrier, directory)) {
            assertData(program);
        }
    }

    /** One client is notified of another's changes; the other's ephemeral nodes are removed with its session. */
    @EachCarrier
    void watchesAndSessions(Carrier carrier, @TempDir Path directory) throws Exception {
        try (ZooKeeperProgram program = ZooKeeperProgram.plain(carrier, directory)) {
            BlockingQueue<EventType> heard = new LinkedBlockingQueue<>();
            ZooKeeper watching = program.connect();
            ZooKeeper changing = program.connect();
            changing.create("/mine", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            watching.getData("/mine", event -> heard.add(event.getType()), null);
            changing.setData("/mine", random.next(SMALL), -1);
            assertThat(Waiting.next(heard)).isEqualTo(EventType.NodeDataChanged);
            watching.exists("/mine", event -> heard.add(event.getType()));
            changing.close();
            assertThat(Waiting.next(heard)).isEqualTo(EventType.NodeDeleted);
            assertThat(watching.exists("/mine", false)).isNull();
        }
    }

    /** The server closes all connections. The client reconnects, and its session and watches survive. */
    @EachCarrier
    void connectionsLost(Carrier carrier, @TempDir Path directory) throws Exception {
        try (ZooKeeperProgram program = ZooKeeperProgram.plain(carrier, directory)) {
            ZooKeeper client = program.connect();
            long session = client.getSessionId();
            client.create("/mine", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            BlockingQueue<EventType> heard = new LinkedBlockingQueue<>();
            client.getData("/mine", event -> heard.add(event.getType()), null);
            heard.clear();
            program.connections().closeAll(ServerCnxn.DisconnectReason.CONNECTION_CLOSE_FORCED);
            byte[] data = random.next(SMALL);
            program.setDataAgainAndAgain(client, "/mine", data);
            Waiting.until("the watch", () -> heard.contains(EventType.NodeDataChanged));
            assertThat(client.getSessionId()).isEqualTo(session);
            assertThat(client.getData("/mine", false, null)).isEqualTo(data);
        }
    }

    private void assertData(ZooKeeperProgram program) throws Exception {
        ZooKeeper writer = program.connect();
        ZooKeeper reader = program.connect();
        program.checkSockets();
        List<byte[]> all = new ArrayList<>();
        List<CompletableFuture<String>> created = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            byte[] data = random.nextUpTo(SMALL);
            all.add(data);
            CompletableFuture<String> name = new CompletableFuture<>();
            created.add(name);
            writer.create("/node-", data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL,
                    (code, path, context, made) -> name.complete(made), null);
        }
        for (int i = 0; i < NODES; i++) {
            assertThat(reader.getData(Waiting.get(created.get(i)), false, null)).as("node %d", i)
                    .isEqualTo(all.get(i));
        }
        byte[] large = random.next(LARGE);
        writer.create("/large", large, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        Stat stat = new Stat();
        assertThat(reader.getData("/large", false, stat)).isEqualTo(large);
        assertThatThrownBy(() -> writer.multi(List.of(Op.delete("/large", stat.getVersion()), Op.check("/none", 0))))
                .isInstanceOf(KeeperException.NoNodeException.class);
        reader.delete("/large", stat.getVersion());
        assertThat(writer.getChildren("/", false)).hasSize(NODES + 1).contains("zookeeper");
    }
}
