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

import org.apache.dubbo.config.bootstrap.DubboBootstrap;
import org.apache.dubbo.rpc.RpcException;
import org.junit.jupiter.api.Tag;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Dubbo: calls, calls in flight at once, and a server that goes. */
@Tag("device")
@Tested(DubboBootstrap.class)
@CallsNioByName("org.apache.dubbo.")
class DubboTest {

    private static final int CALLS = 200;
    private static final int SMALL = 3_000;
    private static final int LARGE = 1 << 20;
    private static final int THREADS = 8;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void calls(Carrier carrier) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (DubboProgram program = new DubboProgram(carrier)) {
            byte[] large = random.next(LARGE);
            assertThat(program.service().echo(large)).isEqualTo(large);
            program.checkSockets();
            List<byte[]> sent = new ArrayList<>();
            List<CompletableFuture<byte[]>> answers = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                byte[] bytes = random.next(1 + i * SMALL / CALLS);
                sent.add(bytes);
                answers.add(CompletableFuture.supplyAsync(() -> program.service().echo(bytes), threads));
            }
            for (int i = 0; i < CALLS; i++) {
                assertThat(Waiting.get(answers.get(i))).as("answer %d", i).isEqualTo(sent.get(i));
            }
        } finally {
            threads.shutdown();
        }
    }

    @EachCarrier
    void serverGone(Carrier carrier) {
        try (DubboProgram program = new DubboProgram(carrier)) {
            assertThat(program.service().echo(new byte[1])).hasSize(1);
            program.stopServer();
            assertThatThrownBy(() -> program.service().echo(new byte[1])).isInstanceOf(RpcException.class);
        }
    }
}
