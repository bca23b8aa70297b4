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
package io.nettyrdma.testsuite.differential;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.ResourceLeakDetector;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.testsuite.channel.CountedLoops;
import io.nettyrdma.testsuite.channel.LeakWatch;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random programs behave on RDMA, and on channels that use RDMA or TCP, as on NIO. {@code
 * io.nettyrdma.testsuite.programs} sets their number. A failure reports the seed of the first program that differs,
 * which {@code io.nettyrdma.testsuite.programSeed} repeats, and the smallest program that was found to fail as well.
 * See docs/testing.md.
 */
@Tag("device")
@Tag("native-speed")
class DifferentialTest {

    private static final String PROPERTY = "io.nettyrdma.testsuite.programSeed";
    private static final Long SEED = Long.getLong(PROPERTY);
    private static final int FEW = 80;
    /** Repetitions of one program, for outcomes that depend on threads. */
    private static final int REPETITIONS = 100;
    private static final int COUNT = SEED != null ? REPETITIONS
            : Rounds.areMany() ? Integer.getInteger("io.nettyrdma.testsuite.programs", FEW) : Rounds.scaled(FEW);
    /** Of them, for channels that are one of the two others from their connect on. */
    private static final int SHARE = 4;
    private static final List<String> WITHOUT = Stream.of(System.getProperty(
            "io.nettyrdma.testsuite.programsWithout", "").split(",")).filter(part -> !part.isEmpty())
            .collect(Collectors.toList());
    /** Private to this test, so that whatever is left of it is a leak. */
    private static final RdmaByteBufAllocator ALLOCATOR = RdmaByteBufAllocator.builder().build();
    private static final int FORGIVEN = 2;
    private static final int LANES = 3;
    /** In this many programs NIO may fail at one, and at a few more: one of 800 was observed, and more under load. */
    private static final int MANY = 200;
    private static final int A_FEW = 3;
    private static final int LOOPS = 2;
    private static final double SECONDS = 15;
    private static final double SHRINKING_SECONDS = 1;
    private static final long SHRINKING_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final long base = Seeds.newRandom().nextLong();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger withoutControl = new AtomicInteger();

    @ParameterizedTest
    @EnumSource
    void programsHaveEqualResults(Subject subject) throws Exception {
        int count = subject == Subject.RDMA || SEED != null ? COUNT : COUNT / SHARE;
        long start = System.nanoTime();
        EventLoopGroup ofNio = new MultiThreadIoEventLoopGroup(LOOPS, NioIoHandler.newFactory());
        CountedLoops ofRdma = new CountedLoops(LOOPS);
        ExecutorService threads = Executors.newCachedThreadPool();
        LeakWatch leaks = new LeakWatch();
        // Each program counts what it has not released. A stack trace per access would take nine tenths of the time.
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
        try {
            List<Future<String>> lanes = new ArrayList<>();
            for (int i = 0; i < LANES; i++) {
                lanes.add(threads.submit(() -> runLane(ofNio, subject, ofRdma, count, threads)));
            }
            for (Future<String> lane : lanes) {
                assertThat(lane.get()).as("a program that differs").isNull();
            }
            Deadline.standard().until("loops that have nothing left", () -> ofRdma.registrations() == 0);
        } finally {
            ResourceLeakDetector.setLevel(level);
            threads.shutdown();
            end(ofNio);
            end(ofRdma);
        }
        leaks.close();
        System.out.printf("%d programs on %s in %d ms, %s without NIO as control%n", count, subject,
                (System.nanoTime() - start) / 1_000_000, withoutControl);
        assertThat(withoutControl.get()).as("programs at which NIO failed").isLessThanOrEqualTo(A_FEW + count / MANY);
        assertThat(ALLOCATOR.metric().inUseBytes()).as("memory that is not given back").isZero();
    }

    private static void end(EventLoopGroup group) {
        int millis = Deadline.scaledMillis(30_000);
        assertThat(group.shutdownGracefully(0, millis, TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(millis, TimeUnit.MILLISECONDS)).as("the loops end").isTrue();
    }

    private String runLane(EventLoopGroup ofNio, Subject subject, EventLoopGroup ofRdma, int count,
                           ExecutorService threads) throws Exception {
        try (Transport nio = new Transport("NIO", ofNio, NioSocketChannel.class, NioServerSocketChannel.class,
                     InetAddress.getLoopbackAddress(), new AdaptiveByteBufAllocator(), Map.of());
             Transport rdma = subject.transport(subject.isOfNio() ? ofNio : ofRdma, ALLOCATOR)) {
            int forgiven = subject.isOfNio() ? FORGIVEN : 0;
            Comparison comparison = new Comparison(new Lane(threads, SECONDS), nio, rdma, forgiven, withoutControl);
            for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                long seed = SEED != null ? SEED : base + i;
                Program program = new Generator(seed, WITHOUT).program();
                String failure = comparison.difference(program);
                if (failure != null) {
                    next.set(count);
                    return report(i, seed, program, failure, new Comparison(new Lane(threads, SHRINKING_SECONDS), nio,
                            rdma, forgiven, new AtomicInteger()));
                }
            }
            return null;
        }
    }

    private static String report(int number, long seed, Program program, String failure,
                                 Comparison comparison) throws Exception {
        Shrinker shrinker = new Shrinker(program, failure, comparison::difference, SHRINKING_NANOS).shrink();
        return "program " + number + ", again with -D" + PROPERTY + '=' + seed + "\n" + program + failure
                + "\n\nshrunk from " + program.size() + " to " + shrinker.smallest().size() + ":\n"
                + shrinker.smallest() + shrinker.failure();
    }
}
