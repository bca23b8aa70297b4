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
package io.nettyrdma.testsuite.verbs;

import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.TestMemory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A child process shares the parent's pages until one of the two writes. If a registered page were copied then, the
 * device would keep using the old page, and parent and device would see different memory.
 */
@Tag("device")
class ForkTest {

    private static final int ROUNDS = 10;

    @Test
    void registeredMemorySurvivesAFork() throws Exception {
        try (RcPair pair = new RcPair(ApiVariant.preferred())) {
            TestMemory source = pair.left().memory(8192);
            PeerMemory sink = pair.right().memory(8192);
            for (int round = 1; round <= ROUNDS; round++) {
                pair.right().receive(round, sink, 0, 8192);
                Process child = new ProcessBuilder("sleep", "100").start();
                try {
                    // Written by the parent while the child is alive, which is what would copy the page.
                    source.bytes().putInt(0, round).putInt(4096, -round);
                    sink.putInt(0, 0);
                    sink.putInt(4096, 0);
                    pair.left().send(batch -> batch.send(1).sge(source.region(), 0, 8192).signaled());
                    pair.right().receives().awaitSuccess();
                    pair.left().sends().awaitSuccess();
                    assertThat(sink.getInt(0)).isEqualTo(round);
                    assertThat(sink.getInt(4096)).isEqualTo(-round);
                } finally {
                    end(child);
                }
            }
        }
    }

    private static void end(Process child) throws IOException, InterruptedException {
        child.destroyForcibly();
        if (!child.waitFor(Deadline.standard().remainingNanos(), TimeUnit.NANOSECONDS)) {
            throw new IOException("process " + child.pid() + " does not end");
        }
    }
}
