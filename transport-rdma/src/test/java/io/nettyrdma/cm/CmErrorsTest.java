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
package io.nettyrdma.cm;

import io.nettyrdma.jni.Errno;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class CmErrorsTest {

    private static final InetSocketAddress PEER = new InetSocketAddress("10.9.0.1", 4711);
    private static final byte[] NOTHING = {};
    private static final byte[] ZEROES = new byte[148];

    @Test
    void everyFailureNamesThePeer() {
        for (CmEventType type : CmEventType.values()) {
            if (type.isFailure()) {
                for (CmPortSpace space : CmPortSpace.values()) {
                    for (int status = -120; status < 40; status++) {
                        assertThat(CmErrors.failure(type, status, NOTHING, space, PEER))
                                .hasMessageContaining(PEER.toString());
                    }
                }
            } else {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> CmErrors.failure(type, 0, NOTHING, CmPortSpace.TCP, PEER));
            }
        }
    }

    @Test
    void unresolvedAddressHasNoRoute() {
        assertThat(failure(CmEventType.ADDR_ERROR, -Errno.EHOSTUNREACH, NOTHING))
                .isInstanceOf(NoRouteToHostException.class).hasMessageContaining("no host answers for it");
        assertThat(failure(CmEventType.ADDR_ERROR, -Errno.ENODEV, NOTHING))
                .isInstanceOf(NoRouteToHostException.class).hasMessageContaining("no RDMA device leads there");
        assertThat(failure(CmEventType.ADDR_ERROR, -Errno.ETIMEDOUT, NOTHING))
                .isInstanceOf(NoRouteToHostException.class).hasMessageContaining("wait longer");
    }

    @Test
    void missingListenerMeansConnectionRefused() {
        for (int status : new int[] { CmErrors.INVALID_SERVICE_ID, -Errno.ECONNREFUSED }) {
            assertThat(failure(CmEventType.REJECTED, status, ZEROES)).isInstanceOf(ConnectException.class)
                    .hasMessageStartingWith("Connection refused: " + PEER)
                    .hasMessageContaining("no program listens");
        }
        assertThat(CmErrors.failure(CmEventType.UNREACHABLE, CmErrors.SERVICE_NOT_SUPPORTED, ZEROES, CmPortSpace.UDP,
                PEER)).isInstanceOf(ConnectException.class).hasMessageContaining("no program listens");
    }

    @Test
    void rejectTextHasNoPadding() {
        byte[] data = Arrays.copyOf(new byte[] { 0x52, 0, (byte) 0xff }, 148);
        for (int status : new int[] { CmErrors.CONSUMER_DEFINED, -Errno.ECONNREFUSED }) {
            assertThat(failure(CmEventType.REJECTED, status, data)).isInstanceOf(ConnectException.class)
                    .hasMessageContaining("rejected the connection with 3 bytes of private data: 5200ff (");
        }
        byte[] much = new byte[148];
        Arrays.fill(much, (byte) 1);
        assertThat(failure(CmEventType.REJECTED, CmErrors.CONSUMER_DEFINED, much))
                .hasMessageContaining("148 bytes of private data: " + "01".repeat(16) + "... (");
        assertThat(failure(CmEventType.REJECTED, CmErrors.CONSUMER_DEFINED, ZEROES))
                .hasMessageContaining("without a reason");
    }

    @Test
    void messageHasTextAndNumberOfTheReason() {
        assertThat(failure(CmEventType.REJECTED, 10, ZEROES))
                .hasMessageContaining("old connection").hasMessageEndingWith("(reason 10)");
        assertThat(failure(CmEventType.REJECTED, 99, ZEROES))
                .hasMessage("Connection refused: " + PEER + " (reason 99)");
    }

    @Test
    void missingAnswerIsATimeout() {
        for (CmPortSpace space : CmPortSpace.values()) {
            assertThat(CmErrors.failure(CmEventType.UNREACHABLE, -Errno.ETIMEDOUT, NOTHING, space, PEER))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageStartingWith("Connection timed out: " + PEER).hasMessageContaining("ETIMEDOUT (110)");
        }
    }

    @Test
    void unreachableAddressHasNoRoute() {
        assertThat(failure(CmEventType.ADDR_ERROR, -Errno.ENODEV, NOTHING)).isInstanceOf(NoRouteToHostException.class)
                .hasMessageContaining("no RDMA device leads there (ENODEV (19)); rdma-info");
        assertThat(failure(CmEventType.ADDR_ERROR, -Errno.ETIMEDOUT, NOTHING))
                .isInstanceOf(NoRouteToHostException.class).hasMessageContaining("not found in time");
        assertThat(failure(CmEventType.ROUTE_ERROR, -Errno.ETIMEDOUT, NOTHING))
                .isInstanceOf(NoRouteToHostException.class).hasMessageContaining("subnet manager");
    }

    @Test
    void removedDeviceIsNoConnectException() {
        assertThat(failure(CmEventType.DEVICE_REMOVAL, 0, NOTHING)).isExactlyInstanceOf(IOException.class);
    }

    private static IOException failure(CmEventType type, int status, byte[] privateData) {
        return CmErrors.failure(type, status, privateData, CmPortSpace.TCP, PEER);
    }
}
