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

import com.sun.management.ThreadMXBean;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

/** The event loop's thread allocates nothing per received or sent message: docs/hot-path.md. */
@Tag("device")
@Tag("native-speed")
class AllocationTest {

    private static final double SECONDS = 120;
    /** Number of buffers that a side reads before the measurement, and during it. */
    private static final int WARM_UP = 20_000;
    private static final int MEASURED = 20_000;

    /** Runs in its own process, because leak detection, which other tests enable, allocates for every buffer. */
    @ParameterizedTest
    @CsvSource({ "64, true", "64, false", "65536, true", "65536, false" })
    void lessThanAByteForABuffer(int bytes, boolean autoRead) throws Exception {
        try (ChildProcess child = ChildProcess.start(List.of(), List.of("-cp", System.getProperty("java.class.path"),
                "-Dio.netty.leakDetection.level=disabled"), Bouncing.class, "" + bytes, "" + autoRead)) {
            Deadline deadline = Deadline.ofSeconds(SECONDS);
            assertThat(Long.parseLong(child.readLine(deadline))).as("bytes of the client's loop").isLessThan(MEASURED);
            assertThat(Long.parseLong(child.readLine(deadline))).as("bytes of the server's loop").isLessThan(MEASURED);
            assertThat(child.exitStatus()).isZero();
        }
    }

    /** Two ends that endlessly send back what they receive. */
    static final class Bouncing {

        private Bouncing() {
        }

        public static void main(String[] arguments) throws Exception {
            int bytes = Integer.parseInt(arguments[0]);
            boolean autoRead = Boolean.parseBoolean(arguments[1]);
            Bouncer server = new Bouncer(autoRead);
            Bouncer client = new Bouncer(autoRead);
            try (ChannelPair pair = new ChannelPair(() -> server, bootstrap ->
                    bootstrap.childOption(ChannelOption.AUTO_READ, autoRead))) {
                RdmaChannel channel = pair.connect(client, bootstrap ->
                        bootstrap.option(ChannelOption.AUTO_READ, autoRead));
                channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[bytes]));
                ChildProcess.tellParent(client.allocated.get().toString());
                ChildProcess.tellParent(server.allocated.get().toString());
            }
        }
    }

    private static final class Bouncer extends ChannelInboundHandlerAdapter {

        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private final CompletableFuture<Long> allocated = new CompletableFuture<>();
        private final boolean autoRead;
        private long before;
        private int count;

        Bouncer(boolean autoRead) {
            this.autoRead = autoRead;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            if (!autoRead) {
                context.read();
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            count++;
            if (count == WARM_UP) {
                before = threads.getCurrentThreadAllocatedBytes();
            } else if (count == WARM_UP + MEASURED) {
                allocated.complete(threads.getCurrentThreadAllocatedBytes() - before);
            }
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
            if (!autoRead) {
                context.read();
            }
        }

        /** At the end of the test writes are in flight, and their promises report failures to the pipeline. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (!allocated.isDone()) {
                allocated.completeExceptionally(cause);
            }
        }
    }
}
