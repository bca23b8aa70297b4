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

import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** The answer to a call or an upload. */
final class SparkAnswer implements RpcResponseCallback {

    private final CompletableFuture<byte[]> bytes = new CompletableFuture<>();

    static SparkAnswer to(TransportClient client, byte[] call) {
        SparkAnswer answer = new SparkAnswer();
        client.sendRpc(ByteBuffer.wrap(call), answer);
        return answer;
    }

    static byte[] copy(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.get(copy);
        return copy;
    }

    CompletableFuture<byte[]> bytes() {
        return bytes;
    }

    @Override
    public void onSuccess(ByteBuffer response) {
        bytes.complete(copy(response));
    }

    @Override
    public void onFailure(Throwable cause) {
        bytes.completeExceptionally(cause);
    }
}
