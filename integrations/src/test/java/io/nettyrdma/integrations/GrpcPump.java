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

import io.grpc.stub.CallStreamObserver;

/** Writes one message repeatedly, but only while the call is ready, as a well-behaved writer on either side does. */
final class GrpcPump implements Runnable {

    private final CallStreamObserver<byte[]> out;
    private final byte[] message;
    private final int times;
    /** Written only by the call's own thread. */
    private volatile int sent;

    GrpcPump(CallStreamObserver<byte[]> out, byte[] message, int times) {
        this.out = out;
        this.message = message;
        this.times = times;
    }

    /** Called whenever the call has become ready. */
    @Override
    public void run() {
        int done = sent;
        if (done == times) {
            return;
        }
        while (done < times && out.isReady()) {
            out.onNext(message);
            sent = ++done;
        }
        if (done == times) {
            out.onCompleted();
        }
    }

    /** Bytes of all messages sent. */
    long sentBytes() {
        return (long) sent * message.length;
    }

    boolean isStopped() {
        return sent < times && !out.isReady();
    }
}
