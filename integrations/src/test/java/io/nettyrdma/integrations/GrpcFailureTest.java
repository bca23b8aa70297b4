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

import io.grpc.CallOptions;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import org.junit.jupiter.api.Tag;

import java.net.ConnectException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** Calls fail with the same status on RDMA and on TCP, and both sides are notified. */
@Tag("device")
@Tested(NettyServerBuilder.class)
class GrpcFailureTest {

    private static final int TOO_LARGE = (4 << 20) + 1;
    private static final int SHORT_MILLIS = 2_000;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void deadline(Carrier carrier) throws Exception {
        try (GrpcProgram program = newProgram(carrier)) {
            // The connection is established before the deadline starts.
            program.call(GrpcMethods.ECHO, new byte[0]);
            CallOptions options = CallOptions.DEFAULT.withDeadlineAfter(SHORT_MILLIS, TimeUnit.MILLISECONDS);
            StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class,
                    () -> ClientCalls.blockingUnaryCall(program.client(), GrpcMethods.SILENT, options, new byte[1]));
            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
            Optional<Deadline> deadline = Waiting.next(program.service().silences());
            assertThat(deadline).as("the deadline travels with the call").isPresent();
            assertThat(Waiting.next(program.service().cancellations())).isEqualTo("Silent");
        }
    }

    @EachCarrier
    void cancellation(Carrier carrier) throws Exception {
        try (GrpcProgram program = newProgram(carrier)) {
            GrpcAnswers answers = new GrpcAnswers();
            StreamObserver<byte[]> requests = ClientCalls.asyncBidiStreamingCall(
                    program.client().newCall(GrpcMethods.CHAT, GrpcProgram.options()), answers);
            requests.onNext(new byte[1]);
            Waiting.next(answers.messages());
            ((ClientCallStreamObserver<byte[]>) requests).cancel("enough", null);
            assertThat(answers.status().getCode()).isEqualTo(Status.Code.CANCELLED);
            assertThat(Waiting.next(program.service().cancellations())).isEqualTo("Chat");
            assertStillUsable(program);
        }
    }

    @EachCarrier
    void messageTooLarge(Carrier carrier) throws Exception {
        try (GrpcProgram program = newProgram(carrier)) {
            StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class,
                    () -> program.call(GrpcMethods.ECHO, random.next(TOO_LARGE)));
            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertStillUsable(program);
        }
    }

    @EachCarrier
    void missingListenerFailsTheCall(Carrier carrier) throws Exception {
        try (GrpcProgram program = newProgram(carrier)) {
            program.server().shutdownNow();
            assertThat(program.server().awaitTermination(Waiting.SECONDS, TimeUnit.SECONDS)).isTrue();
            StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class,
                    () -> program.call(GrpcMethods.ECHO, new byte[1]));
            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(failure.getStatus().getCause()).isInstanceOf(ConnectException.class);
        }
    }

    /** Without waiting for what is in flight. */
    @EachCarrier
    void serverEndsDuringCall(Carrier carrier) throws Exception {
        try (GrpcProgram program = newProgram(carrier)) {
            GrpcAnswers answers = new GrpcAnswers();
            StreamObserver<byte[]> requests = ClientCalls.asyncBidiStreamingCall(
                    program.client().newCall(GrpcMethods.CHAT, GrpcProgram.options()), answers);
            requests.onNext(new byte[1]);
            Waiting.next(answers.messages());
            program.server().shutdownNow();
            // The stream is reset, or the connection ends: versions of gRPC differ in which the client sees first.
            assertThat(answers.status().getCode()).isIn(Status.Code.CANCELLED, Status.Code.UNAVAILABLE);
            assertThat(program.server().awaitTermination(Waiting.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Calls that have begun are finished, others are refused. */
    @EachCarrier
    void gracefulServerShutdownFinishesCalls(Carrier carrier) throws Exception {
        try (GrpcProgram program = newProgram(carrier)) {
            GrpcAnswers answers = new GrpcAnswers();
            StreamObserver<byte[]> requests = ClientCalls.asyncBidiStreamingCall(
                    program.client().newCall(GrpcMethods.CHAT, GrpcProgram.options()), answers);
            requests.onNext(new byte[1]);
            Waiting.next(answers.messages());
            program.server().shutdown();
            byte[] last = random.next(1000);
            requests.onNext(last);
            assertThat(Waiting.next(answers.messages())).isEqualTo(last);
            requests.onCompleted();
            assertThat(answers.status().getCode()).isEqualTo(Status.Code.OK);
            assertThat(program.server().awaitTermination(Waiting.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @EachCarrier
    void clientEndsDuringCall(Carrier carrier) throws Exception {
        try (GrpcProgram program = newProgram(carrier)) {
            GrpcAnswers answers = new GrpcAnswers();
            StreamObserver<byte[]> requests = ClientCalls.asyncBidiStreamingCall(
                    program.client().newCall(GrpcMethods.CHAT, GrpcProgram.options()), answers);
            requests.onNext(new byte[1]);
            Waiting.next(answers.messages());
            program.client().shutdownNow();
            assertThat(answers.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(Waiting.next(program.service().cancellations())).isEqualTo("Chat");
        }
    }

    /** The connection is closed and, for the next call, established again. */
    @EachCarrier
    void connectsAgainAfterIdling(Carrier carrier) throws Exception {
        try (GrpcProgram program = newProgram(carrier)) {
            assertStillUsable(program);
            program.client().enterIdle();
            assertStillUsable(program);
        }
    }

    private static GrpcProgram newProgram(Carrier carrier) throws Exception {
        return new GrpcProgram(carrier, GrpcProgram.Way.PLAIN, null);
    }

    private void assertStillUsable(GrpcProgram program) {
        byte[] request = random.next(1000);
        assertThat(program.call(GrpcMethods.ECHO, request)).isEqualTo(request);
    }
}
