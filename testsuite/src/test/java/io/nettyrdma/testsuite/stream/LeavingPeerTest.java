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
package io.nettyrdma.testsuite.stream;

import io.netty.buffer.Unpooled;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.stream.StreamInput;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** On iWARP a failed send may be the first sign that the peer has left. A stream hears no event of the device. */
@Tag("device")
@OneProcess("both ends of a stream are inspected")
class LeavingPeerTest {

    @Test
    void failedSendAfterFinReportsThatThePeerLeft() throws Exception {
        SoftHca.assumeItIsTheDevice();
        assumeTrue(TestDevice.get().completesWhenTaken(), "elsewhere the peer's device acknowledges");
        try (StreamPair pair = new StreamPair(StreamConfig.DEFAULT)) {
            pair.left.stream.requireConfirmation();
            pair.right.stream.closeOutput(pair.right.outbound(), 0);
            pair.right.flush();
            pair.until("the peer's FIN", () -> pair.left.input.state() == StreamInput.State.ENDED);
            SoftHca.faults(1, "reset=1");
            pair.left.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 }));
            pair.until("the report", () -> pair.left.lefts > 0);
            assertThat(pair.left.failure).isNull();
        } finally {
            SoftHca.noFaults();
        }
    }
}
