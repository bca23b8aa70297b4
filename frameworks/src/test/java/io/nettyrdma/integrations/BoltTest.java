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

import com.alipay.remoting.InvokeCallback;
import com.alipay.remoting.exception.RemotingException;
import com.alipay.remoting.rpc.RpcClient;
import com.alipay.remoting.rpc.RpcResponseFuture;
import org.junit.jupiter.api.Tag;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** SOFABolt's server and client: calls of each kind. */
@Tag("device")
@Tested(RpcClient.class)
@CallsNioByName("com.alipay.remoting.")
class BoltTest {

    private static final int CALLS = 200;
    private static final int SMALL = 3_000;
    private static final int LARGE = 1 << 20;
    private static final int MILLIS = Waiting.SECONDS * 1000;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void calls(Carrier carrier) throws Exception {
        try (BoltProgram program = new BoltProgram(carrier)) {
            String large = text(random.next(LARGE));
            assertThat(program.client().invokeSync(program.address(), large, MILLIS)).isEqualTo(large);
            program.checkSockets();
            List<String> sent = new ArrayList<>();
            List<RpcResponseFuture> answers = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                sent.add(text(random.nextUpTo(SMALL)));
                answers.add(program.client().invokeWithFuture(program.address(), sent.get(i), MILLIS));
            }
            for (int i = 0; i < CALLS; i++) {
                assertThat(answers.get(i).get(MILLIS)).as("answer %d", i).isEqualTo(sent.get(i));
            }
        }
    }

    @EachCarrier
    void callback(Carrier carrier) throws Exception {
        try (BoltProgram program = new BoltProgram(carrier)) {
            CompletableFuture<Object> answer = new CompletableFuture<>();
            program.client().invokeWithCallback(program.address(), "call", new InvokeCallback() {
                @Override
                public void onResponse(Object result) {
                    answer.complete(result);
                }

                @Override
                public void onException(Throwable cause) {
                    answer.completeExceptionally(cause);
                }

                @Override
                public Executor getExecutor() {
                    return null;
                }
            }, MILLIS);
            assertThat(Waiting.get(answer)).isEqualTo("call");
        }
    }

    /** The client notices the end of its connection, and that there is no other. */
    @EachCarrier
    void serverGone(Carrier carrier) throws Exception {
        try (BoltProgram program = new BoltProgram(carrier)) {
            assertThat(program.client().invokeSync(program.address(), "call", MILLIS)).isEqualTo("call");
            program.stopServer();
            assertThatThrownBy(() -> {
                while (true) {
                    program.client().invokeSync(program.address(), "call", MILLIS);
                }
            }).isInstanceOf(RemotingException.class);
        }
    }

    private static String text(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
