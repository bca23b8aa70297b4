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

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;

import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The server's side of {@link GrpcMethods}, and a record of its calls. */
final class GrpcService {

    private final BlockingQueue<GrpcUpload> uploads = new LinkedBlockingQueue<>();
    private final BlockingQueue<GrpcPump> repeats = new LinkedBlockingQueue<>();
    private final BlockingQueue<Optional<Deadline>> silences = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> cancellations = new LinkedBlockingQueue<>();

    ServerServiceDefinition definition() {
        return ServerServiceDefinition.builder(GrpcMethods.SERVICE)
                .addMethod(GrpcMethods.ECHO, ServerCalls.asyncUnaryCall(GrpcService::echo))
                .addMethod(GrpcMethods.UPLOAD, ServerCalls.asyncClientStreamingCall(this::upload))
                .addMethod(GrpcMethods.REPEAT, ServerCalls.asyncServerStreamingCall(this::repeat))
                .addMethod(GrpcMethods.CHAT, ServerCalls.asyncBidiStreamingCall(this::chat))
                .addMethod(GrpcMethods.SILENT, ServerCalls.asyncUnaryCall(this::silent))
                .addMethod(GrpcMethods.REFUSE, ServerCalls.asyncUnaryCall(GrpcService::refuse))
                .build();
    }

    BlockingQueue<GrpcUpload> uploads() {
        return uploads;
    }

    BlockingQueue<GrpcPump> repeats() {
        return repeats;
    }

    /** The deadlines of silent calls, as they begin. */
    BlockingQueue<Optional<Deadline>> silences() {
        return silences;
    }

    /** Names of the methods whose calls the client cancelled. */
    BlockingQueue<String> cancellations() {
        return cancellations;
    }

    private static void echo(byte[] request, StreamObserver<byte[]> answer) {
        answer.onNext(request);
        answer.onCompleted();
    }

    private StreamObserver<byte[]> upload(StreamObserver<byte[]> answer) {
        GrpcUpload upload = new GrpcUpload((ServerCallStreamObserver<byte[]>) answer);
        uploads.add(upload);
        return upload;
    }

    private void repeat(byte[] request, StreamObserver<byte[]> answer) {
        ServerCallStreamObserver<byte[]> call = (ServerCallStreamObserver<byte[]>) answer;
        GrpcPump pump = new GrpcPump(call, request, GrpcMethods.REPETITIONS);
        call.setOnReadyHandler(pump);
        repeats.add(pump);
    }

    private StreamObserver<byte[]> chat(StreamObserver<byte[]> answer) {
        ((ServerCallStreamObserver<byte[]>) answer).setOnCancelHandler(() -> cancellations.add("Chat"));
        return new StreamObserver<>() {
            @Override
            public void onNext(byte[] message) {
                answer.onNext(message);
            }

            @Override
            public void onError(Throwable cause) {
            }

            @Override
            public void onCompleted() {
                answer.onCompleted();
            }
        };
    }

    private void silent(byte[] request, StreamObserver<byte[]> answer) {
        ((ServerCallStreamObserver<byte[]>) answer).setOnCancelHandler(() -> cancellations.add("Silent"));
        silences.add(Optional.ofNullable(Context.current().getDeadline()));
    }

    private static void refuse(byte[] request, StreamObserver<byte[]> answer) {
        Status refusal = GrpcMethods.REFUSAL;
        Metadata trailers = new Metadata();
        trailers.put(GrpcMethods.BYTES, request);
        trailers.put(GrpcMethods.TEXT, "because");
        answer.onError(refusal.asRuntimeException(trailers));
    }
}
