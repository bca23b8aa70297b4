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
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A promise that is cancelled in time cancels the operation; a late cancel fails. */
@Tag("device")
class CancelledPromiseTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    private static final byte[] SENT = { 1, 2, 3 };

    private enum Operation {
        CLOSE {
            @Override
            void begin(RdmaChannel channel, ChannelPromise promise) {
                channel.unsafe().close(promise);
            }
        },
        SHUTDOWN_OUTPUT {
            @Override
            void begin(RdmaChannel channel, ChannelPromise promise) {
                channel.shutdownOutput(promise);
            }
        },
        SHUTDOWN_INPUT {
            @Override
            void begin(RdmaChannel channel, ChannelPromise promise) {
                channel.shutdownInput(promise);
            }
        },
        SHUTDOWN {
            @Override
            void begin(RdmaChannel channel, ChannelPromise promise) {
                channel.shutdown(promise);
            }
        },
        DEREGISTER {
            @Override
            void begin(RdmaChannel channel, ChannelPromise promise) {
                channel.unsafe().deregister(promise);
            }
        };

        /** Called on the loop. */
        abstract void begin(RdmaChannel channel, ChannelPromise promise);
    }

    @ParameterizedTest
    @EnumSource
    void operationWithCancelledPromiseIsNotStarted(Operation operation) throws Exception {
        SameBytes echoed = new SameBytes(SENT);
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannel client = pair.connect(echoed);
            ChannelPromise promise = client.newPromise();
            assertThat(promise.cancel(false)).isTrue();
            client.eventLoop().submit(() -> operation.begin(client, promise)).sync();
            assertThat(client.isActive()).isTrue();
            assertThat(client.isShutdown() || client.isInputShutdown() || client.isOutputShutdown()).isFalse();
            client.writeAndFlush(Unpooled.wrappedBuffer(SENT)).sync();
            Deadline.standard().until("the echo", () -> echoed.count() == SENT.length);
        }
    }

    @ParameterizedTest
    @EnumSource
    void startedOperationCannotBeCancelled(Operation operation) throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannel client = pair.connect(new Recorder());
            ChannelPromise promise = client.newPromise();
            boolean cancelled = client.eventLoop().submit(() -> {
                operation.begin(client, promise);
                return promise.cancel(false);
            }).sync().getNow();
            assertThat(cancelled).isFalse();
            assertThat(promise.await(PATIENCE_MILLIS)).as("it ends").isTrue();
            assertThat(promise.isSuccess()).isEqualTo(operation != Operation.DEREGISTER);
        }
    }
}
