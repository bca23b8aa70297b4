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

import io.nettyrdma.jni.AbiLayout.ConnectionParameters;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.jni.NativeMemory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class CmConnectionParametersTest {

    private static final CmConnectionParameters DEFAULT = CmConnectionParameters.DEFAULT;

    @BeforeAll
    static void loadNativeLibrary() {
        NativeLibrary.verbsUnavailabilityCause();
    }

    @Test
    void everyFieldIsWrittenAtItsOffset() {
        NativeMemory record = DEFAULT.withQueuePair(0xabcdef, true).withReads(3, 4).withFlowControl(true)
                .withRetries(5, 6).withPrivateData(new byte[] { 11, -12 }).write(56);
        assertThat(record.u32(ConnectionParameters.QP_NUM)).isEqualTo(0xabcdef);
        assertThat(record.u8(ConnectionParameters.SRQ)).isEqualTo(1);
        assertThat(record.u8(ConnectionParameters.RESPONDER_RESOURCES)).isEqualTo(3);
        assertThat(record.u8(ConnectionParameters.INITIATOR_DEPTH)).isEqualTo(4);
        assertThat(record.u8(ConnectionParameters.FLOW_CONTROL)).isEqualTo(1);
        assertThat(record.u8(ConnectionParameters.RETRY_COUNT)).isEqualTo(5);
        assertThat(record.u8(ConnectionParameters.RNR_RETRY_COUNT)).isEqualTo(6);
        assertThat(record.u8(ConnectionParameters.PRIVATE_DATA_LEN)).isEqualTo(2);
        assertThat(record.bytes(ConnectionParameters.PRIVATE_DATA, 3)).containsExactly(11, -12, 0);
    }

    @Test
    void defaultsAreFlowControlAndMaximumRetries() {
        NativeMemory record = DEFAULT.write(0);
        assertThat(record.u8(ConnectionParameters.FLOW_CONTROL)).isEqualTo(1);
        assertThat(record.u8(ConnectionParameters.RETRY_COUNT)).isEqualTo(7);
        assertThat(record.u8(ConnectionParameters.RNR_RETRY_COUNT)).isEqualTo(7);
        assertThat(record.u8(ConnectionParameters.SRQ)).isZero();
        assertThat(DEFAULT.withFlowControl(false).write(0).u8(ConnectionParameters.FLOW_CONTROL)).isZero();
    }

    @Test
    void privateDataIsAcceptedUpToTheLimitOfItsMessage() {
        for (CmPortSpace space : CmPortSpace.values()) {
            for (int most : new int[] { space.maxRequestData(), space.maxResponseData() }) {
                NativeMemory record = DEFAULT.withPrivateData(new byte[most]).write(most);
                assertThat(record.u8(ConnectionParameters.PRIVATE_DATA_LEN)).isEqualTo(most);
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> DEFAULT.withPrivateData(new byte[most + 1]).write(most))
                        .withMessage(most + 1 + " bytes of private data do not fit, " + most + " do");
            }
        }
    }

    @Test
    void privateDataIsCopiedInAndOut() {
        byte[] data = { 1 };
        CmConnectionParameters parameters = DEFAULT.withPrivateData(data);
        data[0] = 2;
        parameters.privateData()[0] = 3;
        assertThat(parameters.privateData()).containsExactly(1);
    }

    @Test
    void valuesBeyondTheirBitsAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withRetries(8, 7))
                .withMessage("retryCount is 8, not within 0 to 7");
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withRetries(7, 8));
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withRetries(-1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withReads(255, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withReads(0, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> DEFAULT.withQueuePair(0x1000000, false));
    }
}
