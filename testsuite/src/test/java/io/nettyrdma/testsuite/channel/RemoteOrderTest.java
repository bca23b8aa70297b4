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
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.remote.RdmaImmediate;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.MemoryAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Writes, messages and immediates in random order. Each has the next number. A write puts its number into the peer's
 * memory; whenever a message or an immediate arrives, the memory must have the number of the write before it, or of a
 * later one.
 */
@Tag("device")
class RemoteOrderTest {

    private static final int STEPS = Integer.getInteger("io.nettyrdma.testsuite.remoteSteps", 10_000);
    private static final int PATIENCE_SECONDS = 300;
    private static final int SIZE = 16 << 10;
    /** The reader pauses once in so many arrivals, on average. */
    private static final int PAUSES = 500;

    private final LeakWatch leaks = new LeakWatch();

    @AfterEach
    void check() {
        leaks.close();
    }

    @Test
    void messagesAndImmediatesFollowEarlierWrites() throws Exception {
        System.out.println("RemoteOrderTest: " + STEPS + " steps");
        ByteBuf memory = RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE, SIZE).setZero(0, SIZE);
        Reader reader = new Reader(memory);
        try (ChannelPair pair = new ChannelPair(() -> reader, bootstrap -> bootstrap
                .childOption(RdmaChannelOption.REMOTE_ACCESS, true))) {
            boolean immediates = TestDevice.get().device().capabilities().immediate();
            Writer writer = new Writer(immediates);
            RdmaChannel client = pair.connect(writer);
            RdmaChannel server = pair.acceptedAndActive();
            RemoteMemory remote = server.expose(memory, MemoryAccess.REMOTE_WRITE)
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS).remote();
            client.eventLoop().execute(() -> writer.start(remote));
            assertThat(reader.end.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo(STEPS);
            client.close().sync();
        }
        assertThat(memory.refCnt()).isEqualTo(1);
        memory.release();
    }

    /** Sends as long as the channel is writable. */
    private static final class Writer extends ChannelInboundHandlerAdapter {

        private final Random random = Seeds.newRandom();
        private final boolean immediates;
        private ChannelHandlerContext context;
        private RemoteMemory remote;
        private int next = 1;
        /** The number of the last write. */
        private int written;

        Writer(boolean immediates) {
            this.immediates = immediates;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext added) {
            context = added;
        }

        void start(RemoteMemory to) {
            remote = to;
            writeOn();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext changed) {
            writeOn();
        }

        private void writeOn() {
            while (next <= STEPS && context.channel().isWritable()) {
                // The last one must arrive as a message, to end the test.
                write(next == STEPS ? 2 : random.nextInt(immediates ? 4 : 3));
                next++;
                if (random.nextInt(8) == 0) {
                    context.flush();
                }
            }
            context.flush();
        }

        private void write(int what) {
            switch (what) {
            case 0, 1 -> {
                written = next;
                context.write(new RdmaWrite(data(), remote), context.voidPromise());
            }
            case 2 -> context.write(Unpooled.buffer(2 * Integer.BYTES).writeInt(next).writeInt(written),
                    context.voidPromise());
            default -> {
                written = next;
                context.write(new RdmaWrite(data(), remote).withImmediate(next), context.voidPromise());
            }
            }
        }

        /** The number, and then as many bytes as a write of that kind has: from staging slots, or in place. */
        private ByteBuf data() {
            int length = random.nextInt(10) == 0 ? SIZE : Integer.BYTES + random.nextInt(64);
            ByteBuf data = random.nextBoolean() ? context.alloc().directBuffer(length) : Unpooled.buffer(length);
            return data.writeInt(next).writeZero(length - Integer.BYTES);
        }
    }

    /** Looks at the memory whenever something arrives, and pauses now and then. */
    private static final class Reader extends ChannelInboundHandlerAdapter {

        private final Random random = Seeds.newRandom(1);
        private final ByteBuf memory;
        private final ByteBuf partial = Unpooled.buffer(2 * Integer.BYTES, 2 * Integer.BYTES);
        private final CompletableFuture<Integer> end = new CompletableFuture<>();
        private int last;

        Reader(ByteBuf memory) {
            this.memory = memory;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            while (buffer.isReadable()) {
                partial.writeBytes(buffer, Math.min(buffer.readableBytes(), partial.writableBytes()));
                if (!partial.isWritable()) {
                    arrived(context, partial.readInt(), partial.readInt());
                    partial.clear();
                }
            }
            buffer.release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof RdmaImmediate immediate) {
                // The write that carries it has the same number.
                arrived(context, immediate.value(), immediate.value());
            }
        }

        private void arrived(ChannelHandlerContext context, int number, int written) {
            if (number <= last || memory.getInt(0) < written) {
                end.completeExceptionally(new AssertionError("after " + last + " came " + number + ", behind the write "
                        + written + ", and the memory has " + memory.getInt(0)));
            }
            last = number;
            if (number == STEPS) {
                end.complete(number);
            } else if (random.nextInt(PAUSES) == 0) {
                context.channel().config().setAutoRead(false);
                context.executor().schedule(() -> context.channel().config().setAutoRead(true),
                        random.nextInt(1_000), TimeUnit.MICROSECONDS);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            end.completeExceptionally(cause);
            context.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end.completeExceptionally(new AssertionError("the connection has ended after " + last));
        }
    }
}
