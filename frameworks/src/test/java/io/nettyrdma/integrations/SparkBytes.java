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

import org.apache.spark.network.client.StreamCallbackWithID;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** Collects a stream. */
final class SparkBytes implements StreamCallbackWithID {

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> all = new CompletableFuture<>();

    CompletableFuture<byte[]> all() {
        return all;
    }

    @Override
    public String getID() {
        return "bytes";
    }

    /** Echoes an upload. */
    @Override
    public ByteBuffer getCompletionResponse() {
        return ByteBuffer.wrap(received.toByteArray());
    }

    @Override
    public void onData(String stream, ByteBuffer data) {
        received.writeBytes(SparkAnswer.copy(data));
    }

    @Override
    public void onComplete(String stream) {
        all.complete(received.toByteArray());
    }

    @Override
    public void onFailure(String stream, Throwable cause) {
        all.completeExceptionally(cause);
    }
}
