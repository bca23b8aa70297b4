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
import io.netty.channel.ChannelFuture;
import io.nettyrdma.fallback.FallbackReason;
import io.nettyrdma.testsuite.channel.Recorder;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.FlightRecording;
import io.nettyrdma.testsuite.support.SoftHca;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The JFR event of a connection, or of a listener, that uses TCP. */
@Tag("device")
class FallbackEventTest {

    private final OnePort port = new OnePort();

    @AfterEach
    void end() {
        port.close();
    }

    @Test
    void connectionByTcpHasTheReason() throws Exception {
        Channel server = port.listenByTcp();
        try (FlightRecording recording = FlightRecording.of("Fallback")) {
            ChannelFuture connect = port.client(new Recorder()).connect(server.localAddress()).sync();
            RecordedEvent event = recording.await("Fallback",
                    each -> connect.channel().localAddress().toString().equals(each.getString("local")));
            assertThat(event.getString("peer")).isEqualTo(server.localAddress().toString());
            assertThat(event.getString("reason"))
                    .startsWith(FallbackReason.REFUSED.text() + ": Connection refused: ");
        }
    }

    @Test
    void listenerThatLosesItsDeviceHasNoPeer() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChildProcess child = ChildProcess.start(RemovedDevice.class)) {
            assertThat(child.readLine()).isEqualTo("null its listener for RDMA is closed");
            assertThat(child.exitStatus()).isZero();
        }
    }

    static final class RemovedDevice {

        private RemovedDevice() {
        }

        public static void main(String[] arguments) throws Exception {
            try (OnePort port = new OnePort();
                 FlightRecording recording = FlightRecording.of("Fallback")) {
                String address = port.listen().localAddress().toString();
                SoftHca.control("remove-device");
                RecordedEvent event = recording.await("Fallback", each -> address.equals(each.getString("local")));
                ChildProcess.reportToParent(event.getString("peer") + ' ' + event.getString("reason"));
            }
        }
    }
}
