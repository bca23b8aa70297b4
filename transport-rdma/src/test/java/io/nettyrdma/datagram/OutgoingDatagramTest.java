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
package io.nettyrdma.datagram;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.verbs.Gid;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;

import static org.assertj.core.api.Assertions.assertThat;

class OutgoingDatagramTest {

    private final Promise<Void> promise = ImmediateEventExecutor.INSTANCE.newPromise();
    private final ByteBuf content = Unpooled.buffer().writeInt(1);
    private final OutgoingDatagram datagram = OutgoingDatagram.of(content, address(), promise);

    private static DatagramAddress address() {
        byte[] raw = new byte[Gid.LENGTH];
        raw[0] = 1;
        return new DatagramAddress(new Gid(raw), 1, 1);
    }

    @Test
    void aDatagramThatIsSentSucceedsAndGivesItsReferencesBack() {
        assertThat(datagram.take()).isTrue();
        datagram.release();
        assertThat(content.refCnt()).isOne();
        datagram.succeeded();
        assertThat(promise.isSuccess()).isTrue();
        assertThat(content.refCnt()).isZero();
    }

    @Test
    void aDatagramThatIsFlushedCannotBeCancelled() {
        assertThat(datagram.take()).isTrue();
        assertThat(promise.cancel(false)).isFalse();
        datagram.release();
        datagram.failed(new IOException("by the test"));
    }

    @Test
    void aDatagramThatWasCancelledIsNotTaken() {
        promise.cancel(false);
        assertThat(datagram.take()).isFalse();
        datagram.release();
        assertThat(content.refCnt()).isZero();
    }

    @Test
    void aDatagramThatIsReleasedBeforeItsFlushFailsAsOfAClosedChannel() {
        datagram.release();
        assertThat(promise.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(content.refCnt()).isZero();
    }

    /** Its reference is not there to be given back, and the channel continues. */
    @Test
    void aDatagramWhoseContentTheApplicationReleasedFailsAlone() {
        content.release();
        assertThat(datagram.take()).isFalse();
        datagram.release();
        assertThat(promise.cause()).isInstanceOfSatisfying(DatagramException.class,
                e -> assertThat(e.failure()).isEqualTo(DatagramFailure.NOT_POSTED));
    }

    @Test
    void aDatagramThatIsAbandonedFailsAndKeepsItsContent() {
        assertThat(datagram.take()).isTrue();
        datagram.release();
        datagram.abandoned(new IOException("by the test"));
        assertThat(promise.isSuccess()).isFalse();
        assertThat(promise.isDone()).isTrue();
        assertThat(content.refCnt()).isOne();
        content.release();
    }
}
