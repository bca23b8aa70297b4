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
package io.nettyrdma.testsuite.channel;

import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A device reports the failure of a queue pair on its own descriptor before the loop has processed what was received
 * earlier.
 */
@Tag("device")
class FatalEventTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    private static final int COMPLETIONS = 4096;
    private static final int FRAMES = 8;
    /** The server's default receive buffer size. */
    private static final int BUFFER = 8192;

    /** Devices differ in which of these they report. */
    private enum Violation {
        TOO_LONG {
            @Override
            void commit(RawPeer peer) throws Exception {
                peer.send(RawPeer.frame(FrameType.DATA, new byte[BUFFER - FrameHeader.SIZE + 1]));
            }
        },
        TRESPASS {
            @Override
            void commit(RawPeer peer) throws Exception {
                peer.trespass();
            }
        };

        abstract void commit(RawPeer peer) throws Exception;
    }

    /** One turn of the loop takes one completion and then checks the other descriptors. */
    @ParameterizedTest
    @EnumSource
    void receivedDataIsReadBeforeTheFailure(Violation violation) throws Exception {
        if (violation == Violation.TRESPASS) {
            // Such a device reports nothing; only the peer's silence shows it.
            Deviation.RXE_REPORTS_NO_QUEUE_PAIR.assumeNotHere();
        }
        Recorder recorder = new Recorder();
        RdmaIoHandlerConfig config = RdmaIoHandlerConfig.DEFAULT.withCompletionQueue(COMPLETIONS, 1)
                .withSelect(1, Duration.ofNanos(1));
        try (ChannelPair pair = new ChannelPair(config, () -> recorder, bootstrap -> { });
             RawPeer peer = RawPeer.heard(pair.address())) {
            RdmaChannel child = pair.accepted();
            Deadline.standard().until("the child is active", child::isActive);
            CountDownLatch failed = new CountDownLatch(1);
            child.eventLoop().execute(() -> {
                try {
                    failed.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            for (int i = 0; i < FRAMES; i++) {
                peer.sendAndArrive(RawPeer.frame(FrameType.DATA, (byte) i));
            }
            violation.commit(peer);
            awaitFailure(peer);
            failed.countDown();

            assertThat(recorder.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            assertThat(recorder.bytes()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
            assertThat(recorder.failures()).singleElement().isInstanceOf(IOException.class);
        }
    }

    /** Waits until the device of the other end has refused it. */
    private static void awaitFailure(RawPeer peer) throws Exception {
        if (TestDevice.get().completesWhenTaken()) {
            peer.awaitDisconnected();
        } else {
            assertThat(peer.sent().status()).isNotEqualTo(WorkCompletionStatus.SUCCESS);
        }
    }
}
