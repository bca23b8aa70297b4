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
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.ProcessResources;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.MemoryAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory is exposed and withdrawn, also while the peer writes to it. Nothing stays registered or referenced. */
@Tag("device")
class ExposureCyclesTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final int SIZE = 4 << 10;
    private static final int CYCLES = Rounds.scaled(500);
    /** Each ends a connection. */
    private static final int INTERRUPTED = Rounds.scaled(60);

    private final LeakWatch leaks = new LeakWatch();
    private final ByteBuf buffer = RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE, SIZE);

    @AfterEach
    void check() throws Exception {
        Deadline.standard().until("the buffer is released", () -> buffer.refCnt() == 1);
        buffer.release();
        leaks.close();
    }

    private static ChannelPair pair() throws Exception {
        return new ChannelPair(() -> new Recorder(true), bootstrap -> bootstrap
                .childOption(RdmaChannelOption.REMOTE_ACCESS, true));
    }

    private ExposedMemory expose(RdmaChannel server) throws Exception {
        return server.expose(buffer, MemoryAccess.REMOTE_WRITE).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static ByteBuf number(int value) {
        return Unpooled.buffer(Integer.BYTES).writeInt(value);
    }

    /** Each write has arrived before its memory is withdrawn. On iWARP the promise of a write does not say so. */
    @Test
    void memoryIsExposedAndWithdrawnRepeatedly() throws Exception {
        ArrivalRecorder arrivals = new ArrivalRecorder();
        try (ChannelPair pair = new ChannelPair(() -> arrivals, bootstrap -> bootstrap
                .childOption(RdmaChannelOption.REMOTE_ACCESS, true))) {
            RdmaChannel client = pair.connect(new Recorder());
            RdmaChannel server = pair.acceptedAndActive();
            ProcessResources before = ProcessResources.now(TestDevice.get().device());
            for (int i = 0; i < CYCLES; i++) {
                ExposedMemory memory = expose(server);
                ChannelFuture written = client.write(new RdmaWrite(number(i), memory.remote()));
                client.writeAndFlush(number(i)).sync();
                written.sync();
                int bytes = (i + 1) * Integer.BYTES;
                Deadline.standard().until("the message behind it", () -> arrivals.bytes() == bytes);
                assertThat(memory.close().await(PATIENCE_MILLIS)).isTrue();
                assertThat(buffer.refCnt()).isEqualTo(1);
            }
            ProcessResources.awaitNoMoreThan(before);
            assertThat(client.isActive()).isTrue();
        }
    }

    /** Writes are on their way when the memory is withdrawn, or when a channel closes: every promise is done, once. */
    @Test
    void memoryIsWithdrawnWhileThePeerWrites() throws Exception {
        Random random = Seeds.newRandom();
        try (ChannelPair pair = pair(); SteadyConnection steady = new SteadyConnection(pair)) {
            pair.accepted();
            ProcessResources before = ProcessResources.now(TestDevice.get().device());
            for (int i = 0; i < INTERRUPTED; i++) {
                RdmaChannel client = pair.connect(new Recorder());
                RdmaChannel server = pair.acceptedAndActive();
                ExposedMemory memory = expose(server);
                ChannelFuture last = null;
                for (int j = random.nextInt(200); j >= 0; j--) {
                    last = client.writeAndFlush(new RdmaWrite(number(j), memory.remote()));
                }
                switch (random.nextInt(3)) {
                case 0 -> memory.close();
                case 1 -> server.close();
                default -> client.close();
                }
                assertThat(last.await(PATIENCE_MILLIS)).as("the last write is done").isTrue();
                client.close().sync();
                server.close().sync();
            }
            ProcessResources.awaitNoMoreThan(before);
            steady.assertGoesOn();
        }
    }
}
