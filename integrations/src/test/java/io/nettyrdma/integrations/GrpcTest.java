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

import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Calls that succeed: whatever grpc-java carries over TCP it carries over RDMA. */
@Tag("device")
@Tested(NettyServerBuilder.class)
class GrpcTest {

    private static final int LARGEST = 4 << 20;
    private static final int PART = 16 << 10;
    /** grpc accepts 32 KiB and one more message for a call that cannot send yet; the rest is for headers. */
    private static final int QUEUED = 32 * 1024 + 2 * PART;
    private static final int MANY = 200;

    @TempDir
    private static Path directory;
    private static Identity identity;

    private final RandomBytes random = new RandomBytes();

    @BeforeAll
    static void makeIdentity() throws Exception {
        identity = new Identity(directory);
    }

    static Stream<Arguments> ways() {
        return Stream.of(GrpcProgram.Way.values())
                .flatMap(way -> Carrier.wanted().stream().filter(carrier -> isPossible(carrier, way))
                        .map(carrier -> Arguments.of(carrier, way)));
    }

    /** The jar gives grpc other classes than the agent expects. */
    private static boolean isPossible(Carrier carrier, GrpcProgram.Way way) {
        return carrier != Carrier.AGENT || way != GrpcProgram.Way.JAR;
    }

    @ParameterizedTest
    @MethodSource("ways")
    void unary(Carrier carrier, GrpcProgram.Way way) throws Exception {
        try (GrpcProgram program = new GrpcProgram(carrier, way, identity)) {
            for (int length : new int[] { 0, 1, PART, LARGEST }) {
                byte[] request = random.next(length);
                assertThat(program.call(GrpcMethods.ECHO, request)).isEqualTo(request);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void manyCallsAtOnce(Carrier carrier, GrpcProgram.Way way) throws Exception {
        try (GrpcProgram program = new GrpcProgram(carrier, way, identity)) {
            List<byte[]> requests = new ArrayList<>();
            List<Future<byte[]>> answers = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                byte[] request = random.nextUpTo(PART);
                requests.add(request);
                answers.add(ClientCalls.futureUnaryCall(newCall(program, GrpcMethods.ECHO), request));
            }
            for (int i = 0; i < MANY; i++) {
                assertThat(Waiting.get(answers.get(i))).as("call %d", i).isEqualTo(requests.get(i));
            }
        }
    }

    /** At first the server reads nothing: the client has to stop, and to continue when the server reads. */
    @ParameterizedTest
    @MethodSource("ways")
    void clientStreamingToSlowServer(Carrier carrier, GrpcProgram.Way way) throws Exception {
        byte[] part = random.next(PART);
        MessageDigest expected = GrpcUpload.newDigest();
        for (int i = 0; i < GrpcMethods.REPETITIONS; i++) {
            expected.update(part);
        }
        try (GrpcProgram program = new GrpcProgram(carrier, way, identity)) {
            AtomicReference<GrpcPump> writer = new AtomicReference<>();
            GrpcAnswers answers = new GrpcAnswers(call -> {
                writer.set(new GrpcPump(call, part, GrpcMethods.REPETITIONS));
                call.setOnReadyHandler(writer.get());
            });
            ClientCalls.asyncClientStreamingCall(newCall(program, GrpcMethods.UPLOAD), answers);
            GrpcUpload upload = Waiting.next(program.service().uploads());
            assertStops(writer.get());
            upload.readAll();
            assertThat(answers.status().getCode()).isEqualTo(Status.Code.OK);
            assertThat(answers.messages()).containsExactly(expected.digest());
        }
    }

    /** The same in the other direction. */
    @ParameterizedTest
    @MethodSource("ways")
    void serverStreamingToSlowClient(Carrier carrier, GrpcProgram.Way way) throws Exception {
        byte[] part = random.next(PART);
        try (GrpcProgram program = new GrpcProgram(carrier, way, identity)) {
            AtomicReference<ClientCallStreamObserver<byte[]>> reader = new AtomicReference<>();
            GrpcAnswers answers = new GrpcAnswers(call -> {
                call.disableAutoRequestWithInitial(0);
                reader.set(call);
            });
            ClientCalls.asyncServerStreamingCall(newCall(program, GrpcMethods.REPEAT), part, answers);
            assertStops(Waiting.next(program.service().repeats()));
            reader.get().request(Integer.MAX_VALUE);
            assertThat(answers.status().getCode()).isEqualTo(Status.Code.OK);
            assertThat(answers.messages()).hasSize(GrpcMethods.REPETITIONS).allSatisfy(
                    message -> assertThat(message).isEqualTo(part));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void bidirectionalStreaming(Carrier carrier, GrpcProgram.Way way) throws Exception {
        try (GrpcProgram program = new GrpcProgram(carrier, way, identity)) {
            GrpcAnswers answers = new GrpcAnswers();
            StreamObserver<byte[]> requests =
                    ClientCalls.asyncBidiStreamingCall(newCall(program, GrpcMethods.CHAT), answers);
            for (int i = 0; i < MANY; i++) {
                byte[] said = random.nextUpTo(PART);
                requests.onNext(said);
                assertThat(Waiting.next(answers.messages())).as("message %d", i).isEqualTo(said);
            }
            requests.onCompleted();
            assertThat(answers.status().getCode()).isEqualTo(Status.Code.OK);
            assertThat(answers.messages()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void statusAndTrailers(Carrier carrier, GrpcProgram.Way way) throws Exception {
        byte[] request = random.next(1000);
        try (GrpcProgram program = new GrpcProgram(carrier, way, identity)) {
            StatusRuntimeException refusal = catchThrowableOfType(StatusRuntimeException.class,
                    () -> program.call(GrpcMethods.REFUSE, request));
            assertThat(refusal.getStatus().getCode()).isEqualTo(GrpcMethods.REFUSAL.getCode());
            assertThat(refusal.getStatus().getDescription()).isEqualTo(GrpcMethods.REFUSAL.getDescription());
            assertThat(refusal.getTrailers().get(GrpcMethods.BYTES)).isEqualTo(request);
            assertThat(refusal.getTrailers().get(GrpcMethods.TEXT)).isEqualTo("because");
        }
    }

    private static ClientCall<byte[], byte[]> newCall(GrpcProgram program, MethodDescriptor<byte[], byte[]> method) {
        return program.client().newCall(method, GrpcProgram.options());
    }

    private static void assertStops(GrpcPump writer) {
        Waiting.until("the writer to stop", () -> writer.sentBytes() >= GrpcProgram.WINDOW && writer.isStopped());
        assertThat(writer.sentBytes()).isLessThanOrEqualTo(GrpcProgram.WINDOW + QUEUED);
    }
}
