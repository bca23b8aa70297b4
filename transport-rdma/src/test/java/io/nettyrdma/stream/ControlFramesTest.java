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
package io.nettyrdma.stream;

import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.protocol.FrameType;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ControlFramesTest {

    private final ControlFrames control = new ControlFrames();

    @Test
    void noFrameIsPendingAtFirst() {
        assertThat(control.first()).isNull();
        assertThat(control.isFinWanted()).isFalse();
        assertThat(control.isFinalFrameSent()).isFalse();
        assertThat(control.isAborted()).isFalse();
    }

    @Test
    void requestedFramesAreSentFirstAndOnce() {
        control.credit();
        control.ping(1);
        control.pong(2);
        for (FrameType expected : new FrameType[] { FrameType.PONG, FrameType.PING, FrameType.CREDIT }) {
            assertThat(control.first()).isEqualTo(expected);
            assertThat(control.first()).as("asked again").isEqualTo(expected);
            control.sent(expected, 7);
        }
        assertThat(control.first()).isNull();
        control.pong(3);
        assertThat(control.first()).isEqualTo(FrameType.PONG);
    }

    @Test
    void finIsLastAndIsSentOnce() {
        control.fin();
        assertThat(control.first()).isNull();
        assertThat(control.isFinWanted()).isTrue();
        assertThat(control.isFinSent()).isFalse();
        control.sent(FrameType.FIN, 42);
        assertThat(control.isFinSent()).isTrue();
        assertThat(control.isFinalFrameSent()).isTrue();
        assertThat(control.finalFrame()).isEqualTo(42);
        control.fin();
        assertThat(control.isFinWanted()).isFalse();
    }

    @Test
    void controlFrameAfterFinIsNotTheFinalFrame() {
        control.fin();
        control.sent(FrameType.FIN, 42);
        control.pong(1);
        assertThat(control.first()).isEqualTo(FrameType.PONG);
        control.sent(FrameType.PONG, 43);
        assertThat(control.finalFrame()).isEqualTo(42);
    }

    @Test
    void noFrameFollowsAnAbort() {
        control.ping(1);
        control.pong(2);
        control.abort(AbortReason.RESET, "enough");
        assertThat(control.isAborted()).isTrue();
        assertThat(control.first()).isEqualTo(FrameType.ABORT);
        assertThat(control.isAbortSent()).isFalse();
        control.sent(FrameType.ABORT, 9);
        assertThat(control.isAbortSent()).isTrue();
        assertThat(control.isFinalFrameSent()).isTrue();
        assertThat(control.finalFrame()).isEqualTo(9);
        control.abort(AbortReason.PROTOCOL_VIOLATION, "again");
        control.pong(3);
        control.credit();
        assertThat(control.first()).isNull();
    }

    @Test
    void abortAfterFinIsTheFinalFrame() {
        control.fin();
        control.sent(FrameType.FIN, 42);
        control.abort(AbortReason.TIMEOUT, "");
        control.sent(FrameType.ABORT, 43);
        assertThat(control.finalFrame()).isEqualTo(43);
    }
}
