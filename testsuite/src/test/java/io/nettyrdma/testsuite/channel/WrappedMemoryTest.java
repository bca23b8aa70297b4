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
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.Wrapper;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Remote access to the memory of wrapped buffers, whose owner releases them as soon as the transport has them. */
@Tag("device")
class WrappedMemoryTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final int SIZE = 32 << 10;

    private final LeakWatch leaks = new LeakWatch();
    private final Recorder arrivals = new Recorder();
    private final byte[] sent = new byte[SIZE];
    private ChannelPair pair;
    private RdmaChannel client;
    private RdmaChannel server;

    @BeforeEach
    void connect() throws Exception {
        Seeds.newRandom().nextBytes(sent);
        pair = new ChannelPair(() -> arrivals,
                bootstrap -> bootstrap.childOption(RdmaChannelOption.REMOTE_ACCESS, true));
        client = pair.connect(new Recorder());
        server = pair.acceptedAndActive();
    }

    @AfterEach
    void close() throws Exception {
        SoftHca.noFaults();
        pair.close();
        leaks.close();
    }

    /** Memory that cannot be retained is refused. */
    @ParameterizedTest
    @EnumSource
    void exposedMemoryStaysAllocated(Wrapper kind) throws Exception {
        Others others = new Others();
        Future<ExposedMemory> exposing = on(server.eventLoop(), () -> {
            ByteBuf mine = RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE, SIZE).writeZero(SIZE);
            ByteBuf wrapped = kind.of(mine);
            Future<ExposedMemory> requested = server.expose(wrapped, MemoryAccess.REMOTE_WRITE);
            wrapped.release();
            mine.release();
            others.take();
            return requested;
        });
        assertThat(exposing.await(PATIENCE_MILLIS)).isTrue();
        boolean isKept = kind.unwraps() && !kind.isReadOnly();
        assertThat(exposing.isSuccess()).isEqualTo(isKept);
        if (isKept) {
            client.writeAndFlush(new RdmaWrite(Unpooled.wrappedBuffer(sent), exposing.getNow().remote())).sync();
            awaitMessage();
            assertThat(exposing.getNow().buffer()).isEqualTo(Unpooled.wrappedBuffer(sent));
            exposing.getNow().close().sync();
        } else {
            assertThat(exposing.cause()).isInstanceOf(IllegalArgumentException.class);
        }
        others.assertUnchanged();
    }

    /** Its bytes are ours, and no reference would keep them. */
    @Test
    void aForeignBufferOverOurMemoryIsNotExposed() throws Exception {
        ByteBuf ours = RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE, SIZE);
        ByteBuffer bytes = ours.nioBuffer(0, SIZE);
        ByteBuf foreign = Unpooled.wrappedBuffer(bytes);
        assumeTrue(foreign.hasMemoryAddress(), "Netty has no addresses without Unsafe");
        assertThat(server.expose(foreign, MemoryAccess.REMOTE_WRITE).await().cause())
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("whose memory it is");
        foreign.release();
        ours.release();
    }

    @Test
    void foreignBufferIsRetainedBehindAnUnreleasableWrapper() throws Exception {
        ByteBuf foreign = Unpooled.directBuffer(SIZE, SIZE).writeZero(SIZE);
        assumeTrue(foreign.hasMemoryAddress(), "Netty has no addresses without Unsafe");
        ByteBuf wrapped = Unpooled.unreleasableBuffer(foreign).slice();
        ExposedMemory exposed = server.expose(wrapped, MemoryAccess.REMOTE_WRITE)
                .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(foreign.release()).as("the last reference").isFalse();
        exposed.close().sync();
        assertThat(foreign.refCnt()).isZero();
    }

    /** The device reads it later. Memory that cannot be retained is copied at once. */
    @ParameterizedTest
    @EnumSource
    void writeSendsOnlyItsBuffer(Wrapper kind) throws Exception {
        SoftHca.assumeItIsTheDevice();
        ByteBuf target = RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE, SIZE).writeZero(SIZE);
        ExposedMemory exposed = server.expose(target, MemoryAccess.REMOTE_WRITE)
                .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        SoftHca.faults(1, "begin=1:5ms");
        Others others = new Others();
        on(client.eventLoop(), () -> {
            ByteBuf mine = client.alloc().directBuffer(SIZE, SIZE).writeBytes(sent);
            ChannelFuture writing = client.writeAndFlush(new RdmaWrite(kind.of(mine), exposed.remote()));
            mine.release();
            others.take();
            return writing;
        }).sync();
        awaitMessage();
        assertThat(target).isEqualTo(Unpooled.wrappedBuffer(sent));
        others.assertUnchanged();
        exposed.close().sync();
        target.release();
    }

    /** The device writes to it later. Memory that cannot be retained is refused. */
    @ParameterizedTest
    @EnumSource
    void readChangesOnlyItsTarget(Wrapper kind) throws Exception {
        SoftHca.assumeItIsTheDevice();
        assumeTrue(TestDevice.get().device().info().transport() != RdmaDeviceInfo.Transport.IWARP,
                "reads need memory that the peer may write (iWARP)");
        ByteBuf source = RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE, SIZE).writeBytes(sent);
        ExposedMemory exposed = server.expose(source, MemoryAccess.REMOTE_READ)
                .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        SoftHca.faults(1, "begin=1:5ms");
        Others others = new Others();
        ChannelFuture reading = on(client.eventLoop(), () -> {
            ByteBuf mine = client.alloc().directBuffer(SIZE, SIZE);
            ByteBuf into = kind.of(mine.writerIndex(SIZE)).clear();
            ChannelFuture begun;
            try {
                begun = client.writeAndFlush(new RdmaRead(exposed.remote(), into));
            } catch (IllegalArgumentException e) {
                begun = client.newFailedFuture(e);
            }
            mine.release();
            others.take();
            return begun;
        });
        assertThat(reading.await(PATIENCE_MILLIS)).isTrue();
        others.assertUnchanged();
        boolean isKept = kind.unwraps() && !kind.isReadOnly();
        assertThat(reading.isSuccess()).as("%s", reading).isEqualTo(isKept);
        exposed.close().sync();
        source.release();
    }

    private void awaitMessage() throws Exception {
        int before = arrivals.count();
        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[1])).sync();
        Deadline.standard().until("the message behind it has come", () -> arrivals.count() > before);
    }

    private static <T> T on(EventLoop loop, Callable<T> action) throws Exception {
        return loop.submit(action).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Buffers of another owner: they get any memory that was released. */
    private static final class Others {

        private static final int COUNT = 8;
        private static final byte MARK = 0x55;

        private final List<ByteBuf> buffers = new ArrayList<>();

        private void take() {
            for (int i = 0; i < COUNT; i++) {
                ByteBuf buffer = RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE, SIZE);
                while (buffer.isWritable()) {
                    buffer.writeByte(MARK);
                }
                buffers.add(buffer);
            }
        }

        private void assertUnchanged() {
            for (ByteBuf buffer : buffers) {
                assertThat(buffer.forEachByte(value -> value == MARK)).as("a byte that changed").isEqualTo(-1);
                buffer.release();
            }
        }
    }
}
