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
package io.nettyrdma.channel;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import org.junit.jupiter.api.AfterEach;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of channels over {@link TestLink}s. The test's thread is the loop and the loop's time stands still, so nothing
 * waits and nothing races. After each test all channels are closed, every promise is done, every buffer was released
 * once, and every link has departed.
 */
abstract class ChannelSetup {

    final MockTicker clock = Ticker.newMockTicker();
    final ManualIoEventLoop loop = newLoop();
    final TestLinks links = new TestLinks();
    final RdmaChannel channel = new RdmaChannel(null, null, null, links);
    final Recorder recorder = new Recorder();
    /** The newest. */
    ChannelFuture registration;
    private final List<ManualIoEventLoop> loops = new ArrayList<>(List.of(loop));
    private final List<RdmaChannel> channels = new ArrayList<>();
    private final List<ChannelPromise> promises = new ArrayList<>();
    private final List<CountedBuf> buffers = new ArrayList<>();

    private ManualIoEventLoop newLoop() {
        return new ManualIoEventLoop(null, Thread.currentThread(), LocalIoHandler.newFactory(), clock);
    }

    /** Another loop of this thread. */
    final ManualIoEventLoop anotherLoop() {
        ManualIoEventLoop another = newLoop();
        loops.add(another);
        return another;
    }

    // ---- steps ----

    /** Runs the loops until they have nothing to do now. */
    final void turn() {
        int done;
        do {
            done = 0;
            for (ManualIoEventLoop each : loops) {
                done += each.runNow();
            }
        } while (done > 0);
    }

    final void pass(long millis) {
        clock.advanceMillis(millis);
        turn();
    }

    /** Registers the channel, with the recorder in its pipeline. */
    final TestLink register() {
        return register(channel, recorder);
    }

    final TestLink register(RdmaChannel one, Recorder its) {
        channels.add(one);
        one.config().setOption(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT);
        one.pipeline().addLast(its);
        enter(loop, one);
        return links.last();
    }

    /** Registers a channel with a loop. */
    final void enter(EventLoopGroup with, Channel one) {
        registration = with.register(one);
        turn();
    }

    /** Connects the channel, which waits for the link. */
    final ChannelPromise connect() {
        ChannelPromise promise = promise(channel);
        channel.connect(TestLink.PEER, promise);
        turn();
        return promise;
    }

    /** Registers and connects the channel. */
    final TestLink open() {
        TestLink link = register();
        connect();
        link.open();
        turn();
        return link;
    }

    final ChannelPromise promise(RdmaChannel one) {
        ChannelPromise promise = one.newPromise();
        promises.add(promise);
        return promise;
    }

    final CountedBuf buffer(String text) {
        CountedBuf buffer = new CountedBuf(text);
        buffers.add(buffer);
        return buffer;
    }

    final ChannelPromise write(String text) {
        ChannelPromise promise = promise(channel);
        channel.write(buffer(text), promise);
        return promise;
    }

    final ChannelPromise send(String text) {
        ChannelPromise promise = write(text);
        channel.flush();
        return promise;
    }

    /** Closes the channel. */
    final ChannelFuture close() {
        ChannelFuture closing = channel.close();
        turn();
        return closing;
    }

    // ---- checks ----

    @AfterEach
    final void everythingIsReleasedOnce() {
        if (links.listener != null && !links.listener.isStopped) {
            links.listener.events().loopEnds();
        }
        channels.forEach(RdmaChannel::close);
        turn();
        for (TestLink link : links.made) {
            if (link.state == TestLink.State.DRAINING || link.isOpening()) {
                link.fail(new IOException("the test has ended"));
            }
        }
        turn();
        assertThat(links.made).allSatisfy(link -> {
            assertThat(link.violations).isEmpty();
            assertThat(link.isCancelled).isTrue();
            assertThat(link.state).isIn(TestLink.State.DEPARTED, TestLink.State.IDLE);
            assertThat(link.received).allMatch(CountedBuf::isReleasedOnce);
        });
        assertThat(promises).allMatch(ChannelPromise::isDone);
        assertThat(buffers).allMatch(CountedBuf::isReleasedOnce);
    }
}
