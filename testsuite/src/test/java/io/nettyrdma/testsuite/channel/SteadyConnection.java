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

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.nettyrdma.testsuite.support.Deadline;

import static org.assertj.core.api.Assertions.assertThat;

/** A connection to an echo server that stays open and must survive whatever happens to others. */
final class SteadyConnection implements AutoCloseable {

    private static final byte[] WORD = { 1, 2, 3 };

    private final Recorder recorder = new Recorder();
    private final Channel channel;
    private int echoed;

    SteadyConnection(ChannelPair pair) throws Exception {
        channel = pair.connect(recorder);
        assertGoesOn();
    }

    synchronized void assertGoesOn() throws Exception {
        channel.writeAndFlush(Unpooled.wrappedBuffer(WORD)).sync();
        echoed += WORD.length;
        Deadline.standard().until("the echo of a connection that is open all the time", () ->
                recorder.count() == echoed);
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        assertThat(recorder.failures()).isEmpty();
    }
}
