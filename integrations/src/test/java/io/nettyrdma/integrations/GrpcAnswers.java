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

import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/** What a client gets: messages, and finally a status. */
final class GrpcAnswers implements ClientResponseObserver<byte[], byte[]> {

    private final Consumer<ClientCallStreamObserver<byte[]>> setUp;
    private final BlockingQueue<byte[]> messages = new LinkedBlockingQueue<>();
    private final CompletableFuture<Status> status = new CompletableFuture<>();

    GrpcAnswers() {
        this(call -> { });
    }

    /** @param setUp does what is allowed only before the call starts. */
    GrpcAnswers(Consumer<ClientCallStreamObserver<byte[]>> setUp) {
        this.setUp = setUp;
    }

    BlockingQueue<byte[]> messages() {
        return messages;
    }

    Status status() throws Exception {
        return Waiting.get(status);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<byte[]> call) {
        setUp.accept(call);
    }

    @Override
    public void onNext(byte[] message) {
        messages.add(message);
    }

    @Override
    public void onError(Throwable cause) {
        status.complete(Status.fromThrowable(cause));
    }

    @Override
    public void onCompleted() {
        status.complete(Status.OK);
    }
}
