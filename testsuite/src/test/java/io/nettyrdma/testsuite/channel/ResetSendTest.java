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

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * On iWARP a send may be the first to detect that the connection is gone. The device then reports an error of the send
 * and of the queue pair, and the connection manager reports the end afterwards.
 */
@Tag("device")
class ResetSendTest {

    private static final double SECONDS = 30;

    /** As over TCP, where such a write fails and no handler sees an exception. */
    @Test
    void failedSendAfterThePeersFinFailsTheWriteAlone() throws Exception {
        assumeItIsIwarp();
        Recorder left = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> left, server ->
                server.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true));
             RawPeer peer = RawPeer.heard(pair.address())) {
            RdmaChannel channel = pair.accepted();
            peer.send(RawPeer.frame(FrameType.FIN));
            Deadline.ofSeconds(SECONDS).until("the end of its input", () ->
                    left.events().contains("ChannelInputShutdownReadComplete"));
            SoftHca.faults(1, "reset=1");
            writeUntilItFails(channel);
            Deadline.ofSeconds(SECONDS).until("the end", () -> left.inactive().getCount() == 0);
            assertThat(left.failures()).isEmpty();
        } finally {
            SoftHca.noFaults();
        }
    }

    @Test
    void failedSendBeforeThePeersFinFailsTheConnection() throws Exception {
        assumeItIsIwarp();
        Recorder left = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> left); RawPeer peer = RawPeer.heard(pair.address())) {
            RdmaChannel channel = pair.accepted();
            Deadline.ofSeconds(SECONDS).until("it is active", () -> left.events().contains("active"));
            SoftHca.faults(1, "reset=1");
            writeUntilItFails(channel);
            Deadline.ofSeconds(SECONDS).until("the end", () -> left.inactive().getCount() == 0);
            assertThat(left.failures()).singleElement().isInstanceOf(IOException.class);
            peer.awaitDisconnected();
        } finally {
            SoftHca.noFaults();
        }
    }

    /** The transport copies the first writes, so they succeed. */
    private static void writeUntilItFails(RdmaChannel channel) throws Exception {
        ChannelFuture[] written = new ChannelFuture[1];
        Deadline.ofSeconds(SECONDS).until("a write fails", () -> {
            if (written[0] == null || written[0].isSuccess()) {
                written[0] = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 }));
            }
            return written[0].isDone() && !written[0].isSuccess();
        });
        assertThat(written[0].cause()).isInstanceOf(IOException.class);
    }

    private static void assumeItIsIwarp() {
        SoftHca.assumeItIsTheDevice();
        assumeTrue(TestDevice.get().completesWhenTaken(), "elsewhere the peer's device acknowledges");
    }
}
