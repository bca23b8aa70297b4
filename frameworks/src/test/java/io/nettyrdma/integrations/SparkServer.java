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
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;

import java.nio.ByteBuffer;

/** Echoes calls and uploads, and serves its blocks. */
final class SparkServer extends RpcHandler {

    private final StreamManager blocks;

    SparkServer(StreamManager blocks) {
        this.blocks = blocks;
    }

    @Override
    public void receive(TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
        callback.onSuccess(ByteBuffer.wrap(SparkAnswer.copy(message)));
    }

    @Override
    public StreamCallbackWithID receiveStream(TransportClient client, ByteBuffer header, RpcResponseCallback callback) {
        return new SparkBytes();
    }

    @Override
    public StreamManager getStreamManager() {
        return blocks;
    }
}
