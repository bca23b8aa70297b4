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
package io.nettyrdma.testsuite.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.testsuite.transport.AbstractSingleThreadEventLoopTest;
import io.netty.util.concurrent.AutoScalingEventExecutorChooserFactory;
import io.netty.util.concurrent.EventExecutorChooserFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.Deadline;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Tag("netty")
class RdmaEventLoopTest extends AbstractSingleThreadEventLoopTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);
    /**
     * If starting the loops takes longer than two windows, a loop is suspended before it was started. The task that
     * starts it wakes it up, but Netty's scaling was not asked, and from then on counts one loop too few. This is at
     * least five times the original's, which a busy machine exceeds; the original waits five seconds for the scaling.
     */
    private static final int WINDOW_MILLIS = Math.max(5 * (int) SCALING_WINDOW_SECONDS,
            Deadline.scaledMillis((int) SCALING_WINDOW_SECONDS));

    @Override
    protected EventLoopGroup newEventLoopGroup() {
        return new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
    }

    @Override
    protected EventLoopGroup newAutoScalingEventLoopGroup() {
        EventExecutorChooserFactory scaling = new AutoScalingEventExecutorChooserFactory(SCALING_MIN_THREADS,
                SCALING_MAX_THREADS, WINDOW_MILLIS, SCALING_WINDOW_UNIT, SCALEDOWN_THRESHOLD, SCALEUP_THRESHOLD,
                SCALING_MAX_THREADS, SCALING_MAX_THREADS, SCALING_PATIENCE_CYCLES);
        return new MultiThreadIoEventLoopGroup(SCALING_MAX_THREADS, (Executor) null, scaling,
                RdmaIoHandler.newFactory());
    }

    @Override
    protected Channel newChannel() {
        return new RdmaChannel();
    }

    @Override
    protected Class<? extends ServerChannel> serverChannelClass() {
        return RdmaServerChannel.class;
    }

    /** The original, and the originals below, give all loops only 200 to 600 ms to start and end. */
    @Override
    @Test
    @SuppressWarnings("deprecation")
    public void shutdownBeforeStart() throws Exception {
        EventLoopGroup group = newEventLoopGroup();
        assertThat(group.awaitTermination(2, TimeUnit.MILLISECONDS)).isFalse();
        group.shutdown();
        assertTerminates(group);
    }

    @Override
    @Test
    public void shutdownGracefullyZeroQuietBeforeStart() throws Exception {
        EventLoopGroup group = newEventLoopGroup();
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS);
        assertTerminates(group);
    }

    @Override
    @Test
    public void shutdownGracefullyBeforeStart() throws Exception {
        EventLoopGroup group = newEventLoopGroup();
        group.shutdownGracefully(200, 1000, TimeUnit.MILLISECONDS);
        assertTerminates(group);
    }

    @Override
    @Test
    public void gracefulShutdownAfterStart() throws Exception {
        EventLoop loop = newEventLoopGroup().next();
        loop.submit(() -> { }).sync();
        loop.shutdownGracefully(200, 3000, TimeUnit.MILLISECONDS);
        assertTerminates(loop);
        assertThatThrownBy(() -> loop.execute(() -> { })).isInstanceOf(RejectedExecutionException.class);
    }

    @Override
    @Test
    public void testShutdownGracefullyNoQuietPeriod() throws Exception {
        EventLoopGroup group = newEventLoopGroup();
        new ServerBootstrap().group(group).channel(serverChannelClass())
                .childHandler(new ChannelInboundHandlerAdapter()).bind(0).sync();
        Future<?> end = group.shutdownGracefully(0, 1, TimeUnit.MINUTES);
        assertTerminates(group);
        assertThat(end.syncUninterruptibly().isSuccess()).isTrue();
        assertThat(group.isShutdown()).isTrue();
    }

    /**
     * The original submits the task as soon as the loop counts as suspended, which it does from the request on. If its
     * thread has not noticed yet, it runs the task and goes on to end: NIO's loops fail the original 6 times in 197.
     * This waits for the end of the thread, and asks for the suspension itself instead of letting a timer do it.
     */
    @Override
    @Test
    public void testSubmittingTaskWakesUpSuspendedExecutor() throws Exception {
        EventLoopGroup group = newEventLoopGroup();
        SingleThreadIoEventLoop loop = (SingleThreadIoEventLoop) group.next();
        Thread first = loop.submit(Thread::currentThread).get();
        assertThat(loop.trySuspend()).isTrue();
        Deadline.standard().until("the end of the suspended loop's thread", () -> !first.isAlive());
        assertThat(loop.isSuspended()).isTrue();
        Thread second = loop.submit(Thread::currentThread).get();
        assertThat(second).isNotSameAs(first);
        assertThat(loop.isSuspended()).isFalse();
        group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertTerminates(group);
    }

    private static void assertTerminates(EventExecutorGroup group) throws Exception {
        assertThat(group.awaitTermination(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(group.isTerminated()).isTrue();
    }
}
