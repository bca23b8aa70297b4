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

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.simulacron.common.stubbing.CloseType;
import org.junit.jupiter.api.Tag;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletionStage;

import static org.assertj.core.api.Assertions.assertThat;

/** Cassandra's driver, through its hook for Netty's classes, with a simulator of Cassandra. */
@Tag("device")
@Tested(CqlSession.class)
class CassandraTest {

    private static final int QUERIES = 200;
    private static final int SMALL = 3_000;
    private static final int LARGE = 1 << 20;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void queries(Carrier carrier) throws Exception {
        try (CassandraProgram program = new CassandraProgram(carrier)) {
            CqlSession session = program.session();
            program.checkSockets();
            List<String> expected = new ArrayList<>();
            List<CompletionStage<AsyncResultSet>> answers = new ArrayList<>();
            for (int i = 0; i < QUERIES; i++) {
                String value = text(i == 0 ? random.next(LARGE) : random.nextUpTo(SMALL));
                expected.add(value);
                program.answer("SELECT v FROM t WHERE k = " + i, value);
            }
            for (int i = 0; i < QUERIES; i++) {
                answers.add(session.executeAsync("SELECT v FROM t WHERE k = " + i));
            }
            for (int i = 0; i < QUERIES; i++) {
                assertThat(Waiting.get(answers.get(i).toCompletableFuture()).one().getString("v"))
                        .as("answer %d", i).isEqualTo(expected.get(i));
            }
        }
    }

    /** Here the client sends large requests. */
    @EachCarrier
    void prepared(Carrier carrier) throws Exception {
        try (CassandraProgram program = new CassandraProgram(carrier)) {
            PreparedStatement insert = program.session().prepare("INSERT INTO t (k, v) VALUES (?, ?)");
            for (int i = 0; i < 5; i++) {
                assertThat(program.session().execute(insert.bind()).wasApplied()).isTrue();
            }
            String query = "SELECT '" + text(random.next(LARGE)) + "' FROM t";
            program.answer(query, "large");
            assertThat(program.session().execute(query).one().getString("v")).isEqualTo("large");
        }
    }

    /** The driver reconnects by itself. */
    @EachCarrier
    void connectionsLost(Carrier carrier) throws Exception {
        try (CassandraProgram program = new CassandraProgram(carrier)) {
            program.answer("SELECT v FROM t", "again");
            program.loseConnections(CloseType.DISCONNECT);
            Waiting.until("a connection", () -> program.isAnswered("SELECT v FROM t", "again"));
        }
    }

    private static String text(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
