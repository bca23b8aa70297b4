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
package io.nettyrdma.testsuite.datagram;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.efa.EfaChannelOption;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.Wrapper;
import io.nettyrdma.verbs.MemoryAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static io.nettyrdma.testsuite.datagram.EfaEnds.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Writes and reads with the memory of wrapped buffers, whose owner releases them as soon as the channel has them. */
@Tag("device")
class EfaWrappedMemoryTest {

    private static final int SIZE = 32 << 10;
    private static final int OTHERS = 8;

    private final byte[] sent = new byte[SIZE];
    private final List<ByteBuf> others = new ArrayList<>();
    private EfaEnds ends;
    private EfaDatagramChannel owner;
    private EfaDatagramChannel actor;
    private ByteBuf memory;

    @BeforeEach
    void bind() throws Exception {
        EfaEnds.assumeEfa();
        SoftHca.assumeItIsTheDevice();
        Seeds.newRandom().nextBytes(sent);
        ends = new EfaEnds();
        owner = ends.bind(new Inbox());
        // Delayed datagrams arrive later.
        actor = ends.bind(new Inbox(), bootstrap -> bootstrap.option(EfaChannelOption.RNR_RETRY_COUNT, 7));
        EfaEnds.prepare(actor, owner);
        memory = RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE, SIZE);
    }

    @AfterEach
    void end() throws Exception {
        SoftHca.noFaults();
        if (ends != null) {
            ends.close();
            others.forEach(ByteBuf::release);
            assertThat(memory.release()).as("the channel has no reference any more").isTrue();
        }
    }

    private ExposedMemory expose(MemoryAccess access) throws Exception {
        return owner.expose(memory, access).get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** The device reads them again when it repeats a write whose receive was not there. */
    @ParameterizedTest
    @EnumSource
    void writeSendsOnlyItsBuffer(Wrapper kind) throws Exception {
        EfaEnds.assumeWrites();
        ExposedMemory exposed = expose(MemoryAccess.REMOTE_WRITE);
        SoftHca.faults(1, "rnr=1");
        ChannelFuture written = actor.eventLoop().submit(() -> {
            ByteBuf mine = actor.alloc().directBuffer(SIZE, SIZE).writeBytes(sent);
            ChannelFuture begun = actor.writeAndFlush(to(owner,
                    new RdmaWrite(kind.of(mine), exposed.remote()).withImmediate(1)));
            mine.release();
            takeOthers();
            return begun;
        }).get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        SoftHca.noFaults();
        written.sync();
        assertThat(memory.writerIndex(SIZE)).isEqualTo(Unpooled.wrappedBuffer(sent));
    }

    /** Memory that cannot be retained is refused. */
    @ParameterizedTest
    @EnumSource
    void readChangesOnlyItsTarget(Wrapper kind) throws Exception {
        EfaEnds.assumeReads();
        memory.writeBytes(sent);
        ExposedMemory exposed = expose(MemoryAccess.REMOTE_READ);
        ChannelFuture read = actor.eventLoop().submit(() -> {
            ByteBuf mine = actor.alloc().directBuffer(SIZE, SIZE).writerIndex(SIZE);
            ByteBuf into = kind.of(mine).clear();
            ChannelFuture begun = actor.newSucceededFuture();
            if (kind.isReadOnly()) {
                assertThatIllegalArgumentException().isThrownBy(() -> new RdmaRead(exposed.remote(), into))
                        .withMessageContaining("read-only");
            } else {
                begun = actor.writeAndFlush(to(owner, new RdmaRead(exposed.remote(), into)));
            }
            assertThat(mine.release()).as("the last reference").isEqualTo(kind.isReadOnly() || !kind.unwraps());
            takeOthers();
            return begun;
        }).get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(read.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
        assertThat(read.isSuccess()).as("%s", read).isEqualTo(kind.unwraps());
        assertThat(others).allSatisfy(each -> assertThat(each).isEqualTo(Unpooled.wrappedBuffer(new byte[SIZE])));
    }

    /** Buffers of another owner: they get any memory that was released. */
    private void takeOthers() {
        for (int i = 0; i < OTHERS; i++) {
            others.add(actor.alloc().directBuffer(SIZE, SIZE).writeZero(SIZE));
        }
    }
}
