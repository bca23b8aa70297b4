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
package io.nettyrdma.testsuite.fallback;

import io.netty.channel.Channel;
import io.nettyrdma.fallback.FallbackReason;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcpOption;
import io.nettyrdma.testsuite.channel.Recorder;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The head start ends while RDMA connects, before or after, thousands of times: the client has one connection, and the
 * server has one child. {@code io.nettyrdma.testsuite.headStarts} is their number.
 */
@Tag("device")
@Tag("native-speed")
class HeadStartRaceTest {

    private static final int FEW = 300;
    private static final int COUNT = Integer.getInteger("io.nettyrdma.testsuite.headStarts", Rounds.scaled(FEW));
    private static final int SEED = 7;
    /** Some connects by RDMA take longer then, and some do not. */
    private static final int MAX_HEAD_START_MILLIS = 4;
    private static final String SLOW = "control=0.3:500us";

    @Test
    void connectHasOneConnection() throws Exception {
        // With iWARP an attempt that is given up may leave a child for a moment: decision 45.
        TestDevice.get().assumeThreeWayHandshake();
        long byRdma = RdmaOrTcp.connectionsByRdma();
        long byTcp = byTcp();
        try (OnePort port = new OnePort()) {
            SoftHca.faultsWhereItIsTheDevice(SEED, SLOW);
            Random random = Seeds.newRandom();
            Channel server = port.listen();
            for (int i = 0; i < COUNT; i++) {
                Recorder recorder = new Recorder();
                Channel client = OnePort.assertIsEchoed(port.client(recorder)
                        .option(RdmaOrTcpOption.HEAD_START_MILLIS, 1 + random.nextInt(MAX_HEAD_START_MILLIS))
                        .connect(server.localAddress()), recorder);
                assertThat(RdmaOrTcp.transport(port.assertEndsWith(client, recorder)))
                        .isEqualTo(RdmaOrTcp.transport(client));
            }
        } finally {
            SoftHca.faultsWhereItIsTheDevice(SEED, "");
        }
        System.out.printf("of %d connects %d by RDMA%n", COUNT, RdmaOrTcp.connectionsByRdma() - byRdma);
        assertThat(RdmaOrTcp.connectionsByRdma() - byRdma + byTcp() - byTcp).isEqualTo(COUNT);
    }

    private static long byTcp() {
        return RdmaOrTcp.connectionsByTcp(FallbackReason.SILENT) + RdmaOrTcp.connectionsByTcp(FallbackReason.REFUSED)
                + RdmaOrTcp.connectionsByTcp(FallbackReason.NO_ROUTE)
                + RdmaOrTcp.connectionsByTcp(FallbackReason.FAILED);
    }
}
