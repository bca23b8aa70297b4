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

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The methods of the server in {@link GrpcProgram}, on plain bytes, without generated code. */
final class GrpcMethods {

    static final String SERVICE = "io.nettyrdma.Integration";

    /** Echoes the request. */
    static final MethodDescriptor<byte[], byte[]> ECHO = method("Echo", MethodType.UNARY);
    /** Answers with the SHA-256 of everything sent. Reads when the test lets it, see {@link GrpcUpload}. */
    static final MethodDescriptor<byte[], byte[]> UPLOAD = method("Upload", MethodType.CLIENT_STREAMING);
    /** Sends the request {@link #REPETITIONS} times. */
    static final MethodDescriptor<byte[], byte[]> REPEAT = method("Repeat", MethodType.SERVER_STREAMING);
    /** Echoes each message. */
    static final MethodDescriptor<byte[], byte[]> CHAT = method("Chat", MethodType.BIDI_STREAMING);
    /** Never answers. */
    static final MethodDescriptor<byte[], byte[]> SILENT = method("Silent", MethodType.UNARY);
    /** Fails with {@link #REFUSAL} and returns the request as a trailer. */
    static final MethodDescriptor<byte[], byte[]> REFUSE = method("Refuse", MethodType.UNARY);

    static final int REPETITIONS = 400;
    static final Status REFUSAL =
            Status.FAILED_PRECONDITION.withDescription("not today, 100 % \u2014 \u00fcberhaupt nicht");
    static final Metadata.Key<byte[]> BYTES = Metadata.Key.of("request-bin", Metadata.BINARY_BYTE_MARSHALLER);
    static final Metadata.Key<String> TEXT = Metadata.Key.of("reason", Metadata.ASCII_STRING_MARSHALLER);

    private GrpcMethods() {
    }

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
        return MethodDescriptor.<byte[], byte[]>newBuilder(Bytes.MARSHALLER, Bytes.MARSHALLER)
                .setType(type).setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name)).build();
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {

        static final Bytes MARSHALLER = new Bytes();

        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
