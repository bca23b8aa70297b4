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
package io.nettyrdma.io;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** A pipe, watched by a Netty loop. */
class FdWatchTest {

    private static final int SECONDS = 60;
    private static final int FAILURES = 4;

    private final RdmaCounters counters = new RdmaCounters();
    private final CompletableFuture<Integer> read = new CompletableFuture<>();
    private IoHandler epoll;
    private ThreadAwareExecutor executor;
    private FdWatch watch;
    private int reads;

    /** Reading fails a few times, as without memory. Earlier and later bytes are still read. */
    @Test
    void failedReadIsRepeated() throws Exception {
        IoHandlerFactory factory = loop -> {
            executor = loop;
            epoll = EpollIoHandler.newFactory().newHandler(loop);
            return epoll;
        };
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, factory);
        FileDescriptor[] pipe = FileDescriptor.pipe();
        try {
            RdmaLoop loop = new RdmaLoop(executor, RdmaIoHandlerConfig.DEFAULT, epoll, counters, 0, null, null);
            group.submit(() -> {
                watch = FdWatch.start(loop, pipe[0].intValue(), "a pipe", () -> readOrFail(pipe[0]));
                return null;
            }).sync();
            pipe[1].write(ByteBuffer.allocateDirect(1), 0, 1);
            assertThat(read.get(SECONDS, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(counters.get(RdmaCounter.UNREADABLE_EVENTS)).isEqualTo(FAILURES);
            group.submit(() -> watch.stop()).sync();
        } finally {
            group.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS).sync();
            pipe[0].close();
            pipe[1].close();
        }
    }

    private void readOrFail(FileDescriptor from) throws IOException {
        if (reads++ < FAILURES) {
            throw new IOException("Cannot allocate memory");
        }
        read.complete(from.read(ByteBuffer.allocateDirect(1), 0, 1));
    }
}
