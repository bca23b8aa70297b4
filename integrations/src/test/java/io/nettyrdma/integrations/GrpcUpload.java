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

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** A call of {@link GrpcMethods#UPLOAD} at the server. */
final class GrpcUpload implements StreamObserver<byte[]> {

    private final MessageDigest digest = newDigest();
    private final ServerCallStreamObserver<byte[]> answer;

    GrpcUpload(ServerCallStreamObserver<byte[]> answer) {
        this.answer = answer;
        answer.disableAutoRequest();
    }

    static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts reading. Any thread. */
    void readAll() {
        answer.request(Integer.MAX_VALUE);
    }

    @Override
    public void onNext(byte[] message) {
        digest.update(message);
    }

    @Override
    public void onError(Throwable cause) {
    }

    @Override
    public void onCompleted() {
        answer.onNext(digest.digest());
        answer.onCompleted();
    }
}
