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
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.metrics.RdmaChannelSnapshot;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.metrics.RdmaGauge;
import io.nettyrdma.metrics.RdmaLoopMetrics;
import io.nettyrdma.metrics.RdmaMetrics;
import io.nettyrdma.remote.RdmaAtomic;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

/** The metrics of loops and connections agree with the traffic. */
@Tag("device")
class MetricsTest {

    private static final double SECONDS = 60;
    private static final int SMALL = 16;
    private static final int MIDDLE = 1000;
    private static final int LARGE = 1 << 18;
    private static final long WORK_NANOS = 1_000_000;

    private final List<RdmaLoopMetrics> before = RdmaMetrics.loops();

    /** The loops of the pair: those that this test has started. */
    private List<RdmaLoopMetrics> loops() {
        List<RdmaLoopMetrics> loops = new ArrayList<>(RdmaMetrics.loops());
        loops.removeAll(before);
        return loops;
    }

    private static long sum(List<RdmaLoopMetrics> loops, RdmaCounter counter) {
        return loops.stream().mapToLong(loop -> loop.counters().get(counter)).sum();
    }

    private static long sum(List<RdmaLoopMetrics> loops, RdmaGauge gauge) {
        return loops.stream().mapToLong(loop -> loop.counters().get(gauge)).sum();
    }

    private static ByteBuf registered(int bytes) {
        return RdmaByteBufAllocator.DEFAULT.directBuffer(bytes).writeZero(bytes);
    }

    @Test
    void bytesAndMessagesOfAnEchoArriveByThePathsThatTheyWereSentBy() throws Exception {
        Recorder recorder = new Recorder();
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannel client = pair.connect(recorder);
            client.writeAndFlush(Unpooled.buffer().writeZero(SMALL)).sync();
            client.writeAndFlush(Unpooled.buffer().writeZero(MIDDLE)).sync();
            client.writeAndFlush(registered(LARGE)).sync();
            long all = SMALL + MIDDLE + LARGE;
            Deadline.ofSeconds(SECONDS).until("the echo", () -> recorder.count() == all);

            RdmaChannelSnapshot own = client.snapshot().sync().getNow();
            assertThat(own.bytesStaged() + own.bytesGathered() + own.bytesInline()).isEqualTo(all);
            assertThat(own.bytesReceived()).isEqualTo(all);
            assertThat(own.messagesReceived()).isPositive();
            assertThat(own.messagesStaged() + own.messagesGathered() + own.messagesInline())
                    .isGreaterThanOrEqualTo(3);
            assertThat(own.window()).isPositive();
            assertThat(own.receiveBytes()).isPositive();
            assertThat(own.credits()).isPositive();

            List<RdmaLoopMetrics> loops = loops();
            assertThat(loops).hasSize(2);
            assertThat(sum(loops, RdmaCounter.BYTES_RECEIVED)).isEqualTo(2 * all);
            long inline = sum(loops, RdmaCounter.BYTES_INLINE);
            long staged = sum(loops, RdmaCounter.BYTES_STAGED);
            assertThat(inline + staged).isEqualTo(sum(loops, RdmaCounter.BYTES_COPIED_OUT));
            assertThat(inline + staged + sum(loops, RdmaCounter.BYTES_GATHERED)).isEqualTo(2 * all);
            assertThat(sum(loops, RdmaCounter.MESSAGES_RECEIVED)).isEqualTo(sum(loops, RdmaCounter.MESSAGES_INLINE)
                    + sum(loops, RdmaCounter.MESSAGES_STAGED) + sum(loops, RdmaCounter.MESSAGES_GATHERED));
        }
        assertThat(recorder.failures()).isEmpty();
    }

    @Test
    void remoteOperationsAreCountedByTheirKind() throws Exception {
        RdmaDevice device = TestDevice.get().device();
        boolean reads = device.info().transport() != RdmaDeviceInfo.Transport.IWARP;
        boolean atomics = device.capabilities().atomics();
        ByteBuf memory = registered(LARGE);
        try (ChannelPair pair = new ChannelPair(Recorder::new, server -> server
                .childOption(RdmaChannelOption.REMOTE_ACCESS, true))) {
            RdmaChannel client = pair.connect(new Recorder());
            RdmaChannel owner = pair.acceptedAndActive();
            RemoteMemory remote = owner.expose(memory, MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ)
                    .sync().getNow().remote();
            client.writeAndFlush(new RdmaWrite(Unpooled.buffer().writeZero(MIDDLE), remote.slice(0, MIDDLE)));
            client.writeAndFlush(new RdmaWrite(registered(LARGE), remote)).sync();
            if (reads) {
                ByteBuf into = client.alloc().directBuffer(LARGE);
                client.writeAndFlush(new RdmaRead(remote, into)).sync();
            }
            if (atomics) {
                RemoteMemory at = owner.expose(memory, MemoryAccess.REMOTE_ATOMIC).sync().getNow().remote();
                client.writeAndFlush(RdmaAtomic.fetchAndAdd(at.slice(0, RdmaAtomic.SIZE), 1,
                        client.alloc().directBuffer(RdmaAtomic.SIZE))).sync();
            }

            List<RdmaLoopMetrics> loops = loops();
            assertThat(sum(loops, RdmaCounter.REMOTE_WRITES)).isEqualTo(2);
            assertThat(sum(loops, RdmaCounter.REMOTE_BYTES_WRITTEN)).isEqualTo(MIDDLE + LARGE);
            assertThat(sum(loops, RdmaCounter.REMOTE_READS)).isEqualTo(reads ? 1 : 0);
            assertThat(sum(loops, RdmaCounter.REMOTE_BYTES_READ)).isEqualTo(reads ? LARGE : 0);
            assertThat(sum(loops, RdmaCounter.REMOTE_ATOMICS)).isEqualTo(atomics ? 1 : 0);
            assertThat(sum(loops, RdmaCounter.BYTES_COPIED_OUT) + sum(loops, RdmaCounter.BYTES_GATHERED)).isZero();
        } finally {
            memory.release();
        }
    }

    @Test
    void connectionIsCountedByItsStateUntilItsEnd() throws Exception {
        List<RdmaLoopMetrics> loops;
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannel client = pair.connect(new Recorder());
            pair.acceptedAndActive();
            loops = loops();
            assertThat(sum(loops, RdmaGauge.LISTENERS)).isEqualTo(1);
            assertThat(sum(loops, RdmaGauge.CONNECTIONS_OPEN)).isEqualTo(2);
            assertThat(sum(loops, RdmaGauge.CONNECTIONS_OPENING)).isZero();
            assertThat(sum(loops, RdmaCounter.CONNECTIONS_MADE)).isEqualTo(1);
            assertThat(sum(loops, RdmaCounter.CONNECTIONS_ACCEPTED)).isEqualTo(1);
            assertThat(sum(loops, RdmaGauge.RECEIVES_UP_TO_1_KIB)).isPositive();
            client.close().sync();
            Deadline.ofSeconds(SECONDS).until("the end of the connection", () ->
                    sum(loops, RdmaGauge.CONNECTIONS_OPEN) + sum(loops, RdmaGauge.CONNECTIONS_DRAINING)
                            + sum(loops, RdmaGauge.CONNECTIONS_DEPARTING) == 0);
            assertThat(sum(loops, RdmaCounter.CONNECTIONS_FAILED)).isZero();
        }
        assertThat(loops()).as("loops that have ended").isEmpty();
        for (RdmaGauge gauge : RdmaGauge.values()) {
            assertThat(sum(loops, gauge)).as(gauge.name()).isZero();
        }
    }

    @Test
    void refusedConnectionIsAFailedHandshake() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            pair.listener().close().sync();
            assertThat(pair.bootstrap(new Recorder()).connect(pair.address()).await().isSuccess()).isFalse();
            assertThat(sum(loops(), RdmaCounter.HANDSHAKES_FAILED)).isEqualTo(1);
            assertThat(sum(loops(), RdmaCounter.CONNECTIONS_MADE)).isZero();
        }
    }

    @Test
    void writerStallsWhileItsPeerDoesNotRead() throws Exception {
        try (ChannelPair pair = new ChannelPair(Recorder::new, server -> server
                .childOption(ChannelOption.AUTO_READ, false).childOption(ChannelOption.SO_RCVBUF, LARGE))) {
            RdmaChannel client = pair.connect(new Recorder());
            RdmaChannel child = pair.acceptedAndActive();
            for (int i = 0; i < 40; i++) {
                client.writeAndFlush(registered(LARGE));
            }
            List<RdmaLoopMetrics> loops = loops();
            Deadline.ofSeconds(SECONDS).until("a stall", () -> sum(loops, RdmaGauge.CREDIT_STALLED) == 1);
            RdmaChannelSnapshot stalled = client.snapshot().sync().getNow();
            assertThat(stalled.creditStalls()).isPositive();
            assertThat(stalled.creditStallNanos()).isPositive();
            child.config().setAutoRead(true);
            Deadline.ofSeconds(SECONDS).until("all bytes", () ->
                    sum(loops, RdmaCounter.BYTES_RECEIVED) == 40L * LARGE);
            Deadline.ofSeconds(SECONDS).until("the end of the stall", () ->
                    sum(loops, RdmaGauge.CREDIT_STALLED) == 0);
            assertThat(sum(loops, RdmaCounter.CREDIT_STALL_NANOS)).isPositive();
        }
    }

    /** Also of a loop that sleeps now. */
    @Test
    void timesOfALoopAddUpToItsLife() throws Exception {
        long begin = System.nanoTime();
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            pair.connect(new Recorder()).writeAndFlush(registered(LARGE)).sync();
            for (RdmaLoopMetrics loop : loops()) {
                assertThat(loop.threadName()).isNotEmpty();
                Deadline.ofSeconds(SECONDS).until("a sleep", () ->
                        loop.counters().get(RdmaCounter.NANOS_ASLEEP) > 0);
                long sum = loop.counters().get(RdmaCounter.NANOS_ASLEEP)
                        + loop.counters().get(RdmaCounter.NANOS_SPINNING)
                        + loop.counters().get(RdmaCounter.NANOS_WORKING);
                assertThat(sum).isBetween(1L, System.nanoTime() - begin);
                assertThat(loop.counters().get(RdmaCounter.POLLS))
                        .isGreaterThanOrEqualTo(loop.counters().get(RdmaCounter.EMPTY_POLLS));
            }
        }
    }

    /** The event of the connection wakes a loop, which handles it before its sleep ends for Netty. */
    @Test
    void loopThatWorksIsNotAsleep() throws Exception {
        CompletableFuture<Long> seen = new CompletableFuture<>();
        RdmaIoHandlerConfig config = RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.EVENT).withSpin(Duration.ZERO);
        try (ChannelPair pair = new ChannelPair(config, EchoHandler::new, server -> { })) {
            pair.connect(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelActive(ChannelHandlerContext context) {
                    RdmaCounters counters = ((RdmaChannel) context.channel()).loopCounters();
                    long asleep = counters.get(RdmaCounter.NANOS_ASLEEP);
                    long end = System.nanoTime() + WORK_NANOS;
                    while (System.nanoTime() - end < 0) {
                        Thread.onSpinWait();
                    }
                    seen.complete(counters.get(RdmaCounter.NANOS_ASLEEP) - asleep);
                }
            });
            assertThat(seen.get()).isZero();
        }
    }

    @Test
    void registeredMemoryIsCountedByDevice() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannel client = pair.connect(new Recorder());
            assertThat(RdmaMetrics.registeredBytes().get(client.device().name())).isPositive();
            assertThat(RdmaMetrics.committedBytes()).isPositive();
        }
    }
}
