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

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * An abort while the device may still read the application's buffers. The application is notified that its writes have
 * failed, so the queue pair is flushed at once. It does not wait for the peer to get the ABORT, which is behind them.
 */
@Tag("device")
class AbortedSendTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final int SIZE = 64 << 10;

    @AfterEach
    void endFaults() throws Exception {
        SoftHca.noFaults();
    }

    @Test
    void abortDoesNotWaitForGatheredBuffers() throws Exception {
        SoftHca.assumeItIsTheDevice();
        assumeTrue(!TestDevice.get().completesWhenTaken(), "sends complete without the peer");
        assumeTrue(TestDevice.get().capabilities().maxSendSge() > 1, "what is sent is copied");
        CountDownLatch end = new CountDownLatch(1);
        EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try (ChannelPair pair = new ChannelPair(Recorder::new)) {
            RdmaChannel client = (RdmaChannel) pair.bootstrap(new Recorder()).clone(clients).connect(pair.address())
                    .sync().channel();
            // A peer that answers nothing.
            pair.acceptedAndActive().eventLoop().execute(() -> await(end));
            ByteBuf sent = client.alloc().directBuffer(SIZE).writeZero(SIZE);
            client.config().setSoLinger(0);
            // Longer than a departure waits for anything.
            SoftHca.faults(1, "acknowledge=1:3s");
            ChannelFuture[] written = new ChannelFuture[1];
            client.eventLoop().submit(() -> {
                written[0] = client.writeAndFlush(sent);
                assertThat(written[0].isDone()).isFalse();
                client.close();
            }).sync();
            Deadline.standard().until("the memory is the application's again", () -> sent.refCnt() == 0);
            assertThat(written[0].isSuccess()).isFalse();
            assertThat(client.loopCounters().get(RdmaCounter.DEPARTURES_TIMED_OUT)).isZero();
            end.countDown();
        } finally {
            end.countDown();
            clients.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
        }
    }

    private static void await(CountDownLatch end) {
        try {
            end.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
