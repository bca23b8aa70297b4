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
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.remote.RdmaAtomic;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The event loop's thread allocates nothing per received or sent message: docs/hot-path.md. */
@Tag("device")
@Tag("any-device")
@Tag("native-speed")
class AllocationTest {

    private static final double SECONDS = 120;
    /** Number of buffers that a side reads before the measurements, and during each of them. */
    private static final int WARM_UP = 4_000;
    private static final int MEASURED = 2_000;
    /** Of messages of a megabyte, each of which takes 18 ms on late iWARP beside two other JVMs. */
    private static final int MEASURED_LARGE = 400;
    /**
     * Messages that a stream writes during each measurement. When more are in flight than ever before, Netty's pool of
     * entries grows by some kilobytes, more than a byte for each of a few thousand messages.
     */
    private static final int STREAMED = 100_000;
    /**
     * A loop measures until it allocates less, for at most so long: classes are loaded, and with one processor the code
     * of a busy loop is compiled late.
     */
    private static final double MEASURED_SECONDS = 50;
    /** Netty keeps its entries of unsent messages in a queue, which else allocates an array for each 32 of them. */
    private static final String LARGE_CHUNKS = "-Dio.netty.recycler.chunkSize=2048";

    /** Runs in its own process, because leak detection, which other tests enable, allocates for every buffer. */
    @ParameterizedTest
    @CsvSource({ "64, true", "64, false", "4096, true", "65536, true", "65536, false", "1048576, true" })
    void bufferAllocatesLessThanAByte(int bytes, boolean autoRead) throws Exception {
        assertAllocatesNothing(Bouncing.class, "" + bytes, "" + autoRead);
    }

    /**
     * An end allocates a message when it has received one of this length. Buffers of Netty's allocators are copied.
     * Without others of its size Netty's pool makes a chunk for a buffer of a megabyte, and the adaptive allocator for
     * one of 64 KiB. Without Unsafe, as on JDK 25, Netty makes a ByteBuffer whenever its buffers are read.
     */
    @ParameterizedTest
    @CsvSource({ "RDMA, 64", "RDMA, 4096", "RDMA, 65536", "RDMA, 1048576", "POOLED, 64", "POOLED, 4096",
            "POOLED, 65536", "ADAPTIVE, 64", "ADAPTIVE, 4096" })
    void messageAllocatesLessThanAByte(Answering.Kind kind, int bytes) throws Exception {
        assumeTrue(kind == Answering.Kind.RDMA || PlatformDependent.hasUnsafe(), "Netty has no Unsafe here");
        int measured = Answerer.measured(bytes);
        assertAllocatesLess(measured, measured, Answering.class, kind.name(), "" + bytes);
    }

    /** Each flush has as many messages as the channel takes until it is not writable. */
    @Test
    void streamOfSmallMessagesAllocatesLessThanAByte() throws Exception {
        assertAllocatesLess(STREAMED, MEASURED, Streaming.class);
    }

    /** The same with an operation before each buffer of the client. Its message is the same one each time. */
    @ParameterizedTest
    @CsvSource({ "WRITE, 64", "WRITE, 65536", "READ, 64", "READ, 65536", "ADD, 8" })
    void remoteOperationAllocatesLessThanAByte(Operating.Kind kind, int bytes) throws Exception {
        RdmaDevice device = TestDevice.get().device();
        assumeTrue(kind != Operating.Kind.ADD || device.capabilities().atomics(), "the device has no atomics");
        assumeTrue(kind != Operating.Kind.READ || device.info().transport() != RdmaDeviceInfo.Transport.IWARP,
                "no reads on iWARP");
        assertAllocatesNothing(Operating.class, kind.name(), "" + bytes);
    }

    private static void assertAllocatesNothing(Class<?> program, String... arguments) throws Exception {
        assertAllocatesLess(MEASURED, MEASURED, program, arguments);
    }

    private static void assertAllocatesLess(int ofClient, int ofServer, Class<?> program, String... arguments)
            throws Exception {
        try (ChildProcess child = ChildProcess.start(List.of(), List.of("-cp", System.getProperty("java.class.path"),
                "-Dio.netty.leakDetection.level=disabled", LARGE_CHUNKS), program, arguments)) {
            Deadline deadline = Deadline.ofSeconds(SECONDS);
            assertThat(Long.parseLong(child.readLine(deadline))).as("bytes of the client's loop")
                    .isLessThan(ofClient);
            assertThat(Long.parseLong(child.readLine(deadline))).as("bytes of the server's loop").isLessThan(ofServer);
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
                ChildProcess.reportToParent(client.allocated.get().toString());
                ChildProcess.reportToParent(server.allocated.get().toString());
            }
        }
    }

    /** Two ends that send a message of their own for each that they have received. */
    static final class Answering {

        /** Of which allocator. */
        enum Kind {
            RDMA(RdmaByteBufAllocator.DEFAULT), POOLED(PooledByteBufAllocator.DEFAULT),
            ADAPTIVE(new AdaptiveByteBufAllocator());

            private final ByteBufAllocator allocator;

            Kind(ByteBufAllocator allocator) {
                this.allocator = allocator;
            }
        }

        private Answering() {
        }

        public static void main(String[] arguments) throws Exception {
            ByteBufAllocator allocator = Kind.valueOf(arguments[0]).allocator;
            int bytes = Integer.parseInt(arguments[1]);
            Answerer server = new Answerer(allocator, bytes);
            Answerer client = new Answerer(allocator, bytes);
            try (ChannelPair pair = new ChannelPair(() -> server)) {
                pair.connect(client).writeAndFlush(Unpooled.wrappedBuffer(new byte[bytes]));
                ChildProcess.reportToParent(client.allocated.get().toString());
                ChildProcess.reportToParent(server.allocated.get().toString());
            }
        }
    }

    /** A client that writes all the time, and a server that reads. */
    static final class Streaming {

        private Streaming() {
        }

        public static void main(String[] none) throws Exception {
            Reader server = new Reader();
            Writer client = new Writer();
            try (ChannelPair pair = new ChannelPair(() -> server)) {
                pair.connect(client);
                ChildProcess.reportToParent(client.allocated.get().toString());
                ChildProcess.reportToParent(server.allocated.get().toString());
            }
        }
    }

    /** A client that accesses the server's memory before each buffer that it sends back. */
    static final class Operating {

        private static final int MESSAGE = 8;

        /** What the client does. */
        enum Kind {
            WRITE(MemoryAccess.REMOTE_WRITE), READ(MemoryAccess.REMOTE_READ), ADD(MemoryAccess.REMOTE_ATOMIC);

            private final MemoryAccess access;

            Kind(MemoryAccess access) {
                this.access = access;
            }
        }

        private Operating() {
        }

        public static void main(String[] arguments) throws Exception {
            Kind kind = Kind.valueOf(arguments[0]);
            int bytes = Integer.parseInt(arguments[1]);
            Bouncer server = new Bouncer(true);
            Bouncer client = new Bouncer(true);
            try (ChannelPair pair = new ChannelPair(() -> server, bootstrap ->
                    bootstrap.childOption(RdmaChannelOption.REMOTE_ACCESS, true))) {
                RdmaChannel channel = pair.connect(client);
                ByteBuf memory = RdmaByteBufAllocator.DEFAULT.directBuffer(bytes, bytes).setZero(0, bytes);
                RemoteMemory remote = pair.acceptedAndActive().expose(memory, kind.access).get().remote();
                client.operation = operation(kind, remote, bytes);
                channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[MESSAGE]));
                ChildProcess.reportToParent(client.allocated.get().toString());
                ChildProcess.reportToParent(server.allocated.get().toString());
            }
        }

        private static RemoteOperation operation(Kind kind, RemoteMemory remote, int bytes) {
            ByteBuf local = RdmaByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
            return switch (kind) {
                case WRITE -> new RdmaWrite(local.writeZero(bytes), remote);
                case READ -> new RdmaRead(remote, local);
                case ADD -> RdmaAtomic.fetchAndAdd(remote, 1, local);
            };
        }
    }

    /** Measures what its loop allocates while it handles messages. */
    private abstract static class Measuring extends ChannelInboundHandlerAdapter {

        final CompletableFuture<Long> allocated = new CompletableFuture<>();
        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private final int messages;
        private final int warmUp;
        private long before;
        private long least = Long.MAX_VALUE;
        private Deadline deadline;
        private int count;

        Measuring(int messages) {
            this.messages = messages;
            warmUp = Math.min(WARM_UP, 2 * messages);
        }

        final void handled() {
            count++;
            if (count >= warmUp && (count - warmUp) % messages == 0) {
                measured();
            }
        }

        private void measured() {
            long now = threads.getCurrentThreadAllocatedBytes();
            if (deadline == null) {
                deadline = Deadline.ofSeconds(MEASURED_SECONDS);
            } else {
                least = Math.min(least, now - before);
            }
            if (least < messages || deadline.remainingNanos() == 0) {
                allocated.complete(least);
            }
            // Completing it may allocate.
            before = threads.getCurrentThreadAllocatedBytes();
        }

        /** At the end of the test writes are in flight, and their promises report failures to the pipeline. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (!allocated.isDone()) {
                allocated.completeExceptionally(cause);
            }
        }
    }

    private static final class Answerer extends Measuring {

        private final ByteBufAllocator allocator;
        private final int bytes;
        private int received;

        Answerer(ByteBufAllocator allocator, int bytes) {
            super(measured(bytes));
            this.allocator = allocator;
            this.bytes = bytes;
        }

        static int measured(int bytes) {
            return bytes < 1 << 20 ? MEASURED : MEASURED_LARGE;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            received += ((ByteBuf) message).readableBytes();
            ((ByteBuf) message).release();
            if (received == bytes) {
                received = 0;
                handled();
                context.writeAndFlush(allocator.directBuffer(bytes, bytes).writerIndex(bytes), context.voidPromise());
            }
        }
    }

    /** Writes in tasks, so that nothing is left of a flush when the next begins. Counts messages after many flushes. */
    private static final class Writer extends Measuring implements Runnable {

        private static final int BYTES = 64;

        private ChannelHandlerContext context;
        private int flushes;

        Writer() {
            super(STREAMED);
        }

        @Override
        public void channelActive(ChannelHandlerContext active) {
            context = active;
            run();
        }

        @Override
        public void run() {
            while (context.channel().isWritable()) {
                context.write(RdmaByteBufAllocator.DEFAULT.directBuffer(BYTES, BYTES).writerIndex(BYTES),
                        context.voidPromise());
                if (flushes >= WARM_UP) {
                    handled();
                }
            }
            flushes++;
            context.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext changed) {
            if (changed.channel().isWritable()) {
                changed.executor().execute(this);
            }
        }
    }

    /** Counts reads. */
    private static final class Reader extends Measuring {

        Reader() {
            super(MEASURED);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ((ByteBuf) message).release();
            handled();
        }
    }

    private static final class Bouncer extends Measuring {

        private final boolean autoRead;
        /** Before each buffer that is sent back; {@code null} if there is none. */
        private volatile RemoteOperation operation;

        Bouncer(boolean autoRead) {
            super(MEASURED);
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
            handled();
            if (operation != null) {
                context.write(operation.retain(), context.voidPromise());
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
    }
}
