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
package io.nettyrdma.testsuite.cm;

import io.nettyrdma.cm.CmConnectionParameters;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.CmPair;
import io.nettyrdma.testsuite.support.CmSide;
import io.nettyrdma.testsuite.support.Cycles;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A long-lived server that has served a thousand clients is no larger than before. */
@Tag("device")
class ConnectionCyclesTest {

    private static final byte[] MESSAGE = "once per cycle".getBytes();

    @Test
    void aThousandConnectionsReleaseAllResources() throws Exception {
        try (CmPair pair = new CmPair(TestDevice.get().ipv4())) {
            Cycles.assertLeaveNothingBehind("connections by rdma_cm", () -> {
                cycle(pair);
                return null;
            });
            pair.serverEvents().assertNoMore();
            pair.clientEvents().assertNoMore();
            assertThat(pair.serverEvents().channel().droppedEvents()).isZero();
        }
    }

    /** Both sides are created, exchange a message and are closed; only the listener stays. */
    private static void cycle(CmPair pair) throws Exception {
        RcSettings settings = RcSettings.of(ApiVariant.preferred());
        try (CmId id = CmId.create(pair.clientEvents().channel(), CmPortSpace.TCP)) {
            CmSide.resolve(pair.clientEvents(), id, pair.listener().localAddress());
            try (CmSide client = new CmSide(pair.clientEvents(), id, settings)) {
                client.connect(CmConnectionParameters.DEFAULT);
                CmEvent request = pair.serverEvents().await(pair.listener(), CmEventType.CONNECT_REQUEST);
                try (CmId accepted = request.newId();
                     CmSide server = new CmSide(pair.serverEvents(), accepted, settings)) {
                    server.accept(request);
                    client.establish();
                    server.awaitEstablished();
                    client.deliver(server, MESSAGE);
                }
            }
        }
    }
}
