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
package io.nettyrdma.microbench.operations;

import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import io.nettyrdma.microbench.echo.Figure;
import io.nettyrdma.microbench.echo.Samples;

import java.util.concurrent.CompletableFuture;

/** Has a channel do one operation at a time. All methods run on its event loop. */
final class ChannelLatency implements FutureListener<Void> {

    private final ChannelEnd end;
    private final Operation operation;
    private final CompletableFuture<Object> result;
    private final Samples samples = Samples.take();
    private final long nanos;
    private long endTime;
    private long start;
    private long count;

    /** @param result completes with this object. */
    ChannelLatency(ChannelEnd end, Operation operation, long nanos, CompletableFuture<Object> result) {
        this.end = end;
        this.operation = operation;
        this.nanos = nanos;
        this.result = result;
    }

    void start() {
        start = System.nanoTime();
        endTime = start + nanos;
        post();
    }

    private void post() {
        // A write that fails ends the channel or is an exception of the pipeline. The handler there reports the result.
        end.post(operation.isAnswered() ? end.channel().voidPromise() : end.channel().newPromise().addListener(this));
    }

    @Override
    public void operationComplete(Future<Void> future) {
        if (future.isSuccess()) {
            done();
        } else {
            result.completeExceptionally(future.cause());
        }
    }

    /** The operation is complete, or its answer has come. */
    void done() {
        long now = System.nanoTime();
        samples.add(operation.isAnswered() ? (now - start) / 2 : now - start);
        count++;
        if (now - endTime < 0 && !samples.isFull()) {
            start = now;
            post();
        } else {
            result.complete(this);
        }
    }

    long count() {
        return count;
    }

    /** Call it once, at the end. */
    Figure figure() {
        Figure figure = samples.figure();
        samples.give();
        return figure;
    }
}
