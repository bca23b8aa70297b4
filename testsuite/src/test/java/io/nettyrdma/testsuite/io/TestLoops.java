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
package io.nettyrdma.testsuite.io;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.Deadline;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A group of the loops under test, and waits with a time limit. */
final class TestLoops implements AutoCloseable {

    private static final int CLOSE_MILLIS = 10_000;

    private final MultiThreadIoEventLoopGroup group;

    TestLoops(int threads, RdmaIoHandlerConfig config) {
        this(threads, RdmaIoHandler.newFactory(config));
    }

    TestLoops(int threads, IoHandlerFactory factory) {
        group = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("loop under test", true), factory);
    }

    TestLoops(int threads, PollMode mode) {
        this(threads, RdmaIoHandlerConfig.DEFAULT.withMode(mode));
    }

    MultiThreadIoEventLoopGroup group() {
        return group;
    }

    IoEventLoop next() {
        return group.next();
    }

    static <T> T await(Future<T> future) throws Exception {
        return await(future, Deadline.standard());
    }

    static <T> T await(Future<T> future, Deadline deadline) throws Exception {
        try {
            return future.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("waited in vain for " + future, e);
        }
    }

    /** Runs a task on the loop and waits until it is done. */
    static void run(IoEventLoop loop, Runnable task) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                task.run();
                done.complete(null);
            } catch (Throwable t) {
                done.completeExceptionally(t);
            }
        });
        await(done);
    }

    void beginToEnd() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS);
    }

    /** Waits until the loops have ended. */
    @Override
    public void close() {
        beginToEnd();
        if (!group.terminationFuture().awaitUninterruptibly(Deadline.scaledMillis(CLOSE_MILLIS))) {
            throw new AssertionError("waited in vain for the end of the loops");
        }
    }
}
