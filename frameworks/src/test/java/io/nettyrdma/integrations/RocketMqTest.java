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
package io.nettyrdma.integrations;

import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.netty.NettyRemotingClient;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.junit.jupiter.api.Tag;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** RocketMQ's remoting: calls that wait, calls in flight at once, and a server that goes. */
@Tag("device")
@Tested(NettyRemotingClient.class)
@CallsNioByName("org.apache.rocketmq.")
class RocketMqTest {

    private static final int CALLS = 200;
    private static final int SMALL = 3_000;
    private static final int LARGE = 1 << 20;
    private static final int MILLIS = Waiting.SECONDS * 1000;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void calls(Carrier carrier) throws Exception {
        try (RocketMqProgram program = new RocketMqProgram(carrier)) {
            byte[] large = random.next(LARGE);
            assertThat(program.client().invokeSync(program.address(), echo(large), MILLIS).getBody()).isEqualTo(large);
            program.checkSockets();
            List<byte[]> sent = new ArrayList<>();
            List<CompletableFuture<RemotingCommand>> answers = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                sent.add(random.next(1 + i * SMALL / CALLS));
                answers.add(program.client().invoke(program.address(), echo(sent.get(i)), MILLIS));
            }
            for (int i = 0; i < CALLS; i++) {
                assertThat(Waiting.get(answers.get(i)).getBody()).as("answer %d", i).isEqualTo(sent.get(i));
            }
        }
    }

    /** The client notices the end of its connection, and that there is no other. */
    @EachCarrier
    void serverGone(Carrier carrier) throws Exception {
        try (RocketMqProgram program = new RocketMqProgram(carrier)) {
            byte[] bytes = random.next(SMALL);
            assertThat(program.client().invokeSync(program.address(), echo(bytes), MILLIS).getBody()).isEqualTo(bytes);
            String address = program.address();
            program.stopServer();
            assertThatThrownBy(() -> {
                while (true) {
                    program.client().invokeSync(address, echo(bytes), MILLIS);
                }
            }).isInstanceOf(RemotingException.class);
        }
    }

    private static RemotingCommand echo(byte[] body) {
        RemotingCommand request = RemotingCommand.createRequestCommand(RocketMqProgram.ECHO, null);
        request.setBody(body);
        return request;
    }
}
