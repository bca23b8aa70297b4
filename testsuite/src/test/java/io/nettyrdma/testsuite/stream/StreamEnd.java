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
package io.nettyrdma.testsuite.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.memory.PostBatches;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.stream.RdmaStream;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.stream.StreamInput;
import io.nettyrdma.stream.StreamListener;
import io.nettyrdma.stream.StreamMemory;
import io.nettyrdma.stream.StreamParts;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.TestLoop;
import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.WorkCompletion;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One end of a stream with what a channel provides around it: a loop, memory, an outbound buffer and a reader. Unless a
 * test says otherwise, it behaves normally.
 */
final class StreamEnd implements StreamListener {

    static final int SLAB_BYTES = 64 << 10;
    static final int SLOTS_PER_SLAB = 16;
    private static final long WORK_REQUEST_IDS = 0x1234567800000000L;

    /** Runs the tasks of this end. */
    final TestLoop loop = new TestLoop();
    final Endpoint endpoint;
    final SlotPool receives;
    final SlotPool staging;
    /** Registered memory of the application. */
    final SlotPool application;
    final RdmaCounters counters = new RdmaCounters();
    final RdmaStream stream;
    /** Only its outbound buffer is used. */
    final EmbeddedChannel channel = new EmbeddedChannel();
    /** Received data that has not been read. */
    final StreamInput input = new StreamInput();

    /** Receives what is read, and owns the reference. */
    Consumer<ByteBuf> reader = ByteBuf::release;
    boolean reads = true;
    /** The number of completions of receives, and of sends. */
    int received;
    int sent;
    /** The number of completions of requests that succeeded. */
    int succeeded;
    AbortReason abortReason;
    String abortText;
    IOException failure;
    int failures;
    int lefts;
    /** Whether the owner should call {@link RdmaStream#calmDown}. */
    boolean grown;

    StreamEnd(Endpoint endpoint, StreamConfig config) {
        this(endpoint, config, config.receiveBuffer());
    }

    StreamEnd(Endpoint endpoint, StreamConfig config, int stagingSize) {
        this.endpoint = endpoint;
        RegistrationIndex index = endpoint.own(RegistrationIndex.of(RdmaByteBufAllocator.DEFAULT, endpoint.domain()));
        int[] sizes = config.receiveSizes();
        receives = pool(index, FrameHeader.SIZE, sizes);
        staging = sizes.length == 1 ? pool(index, 0, stagingSize) : pool(index, 0, sizes);
        application = pool(index, 0, 1 << 16);
        StreamMemory memory = new StreamMemory(receives, staging,
                new PostBatches(config.framesPerPost(), Math.max(1, config.sendSge())), index,
                RdmaByteBufAllocator.DEFAULT);
        stream = new RdmaStream(StreamParts.of(endpoint.queuePair(), memory, config, WORK_REQUEST_IDS, counters),
                memory, config, input, this);
        // Closed after the queue pair and before the pools.
        endpoint.own((AutoCloseable) this::ended);
    }

    private SlotPool pool(RegistrationIndex index, int headerRoom, int... sizes) {
        return sizes.length == 1 ? poolOfOneSize(index, sizes[0], headerRoom) : endpoint.own(
                new SlotPool(RdmaByteBufAllocator.DEFAULT, index, loop, sizes, headerRoom, SLAB_BYTES));
    }

    private SlotPool poolOfOneSize(RegistrationIndex index, int slotSize, int headerRoom) {
        return endpoint.own(new SlotPool(RdmaByteBufAllocator.DEFAULT, index, loop, slotSize, headerRoom,
                SLOTS_PER_SLAB));
    }

    ConnectData offer() throws IOException {
        return stream.offer();
    }

    /** {@code null} once the channel has released it. */
    ChannelOutboundBuffer outbound() {
        return channel.unsafe().outboundBuffer();
    }

    ChannelPromise write(Object message) {
        return write(message, channel.newPromise());
    }

    ChannelPromise write(Object message, ChannelPromise promise) {
        channel.unsafe().write(message, promise);
        return promise;
    }

    void flush() throws IOException {
        ChannelOutboundBuffer outbound = outbound();
        if (outbound != null) {
            outbound.addFlush();
        }
        stream.flush(outbound);
    }

    ChannelPromise writeAndFlush(Object message) throws IOException {
        ChannelPromise promise = write(message);
        flush();
        return promise;
    }

    /** A buffer of registered memory with {@code length} readable bytes. */
    ByteBuf registered(int length) throws IOException {
        return application.received(application.take(0)).toBuffer(length, null, RdmaByteBufAllocator.DEFAULT);
    }

    /** Handles the completions of sends alone. */
    void completeSends() throws IOException {
        sent += handle(endpoint.sends().queue());
    }

    /** Does all pending work. Returns whether there was any. */
    boolean turn() throws IOException {
        int receivesNow = handle(endpoint.receives().queue());
        int sendsNow = handle(endpoint.sends().queue());
        received += receivesNow;
        sent += sendsNow;
        int completions = receivesNow + sendsNow;
        // As the channel does it.
        if (completions > 0) {
            stream.beforeRead();
        }
        int read = reads ? readAll() : 0;
        if (completions > 0) {
            stream.batchEnd(outbound());
        }
        return loop.run() | completions + read > 0;
    }

    /** Reads everything that has arrived. Returns the number of buffers. */
    int readAll() {
        int count = 0;
        for (; !input.isEmpty(); count++) {
            reader.accept(input.read(Integer.MAX_VALUE, ByteBufAllocator.DEFAULT));
        }
        return count;
    }

    @Override
    public InetSocketAddress localAddress() {
        return null;
    }

    @Override
    public InetSocketAddress peerAddress() {
        return null;
    }

    @Override
    public String deviceName() {
        return endpoint.queuePair().device().name();
    }

    @Override
    public void aborted(AbortReason reason, String text) {
        abortReason = reason;
        abortText = text;
    }

    @Override
    public void grown() {
        grown = true;
    }

    @Override
    public void onPeerLeft() {
        lefts++;
    }

    @Override
    public void failed(IOException cause) {
        failure = cause;
        failures++;
    }

    private int handle(CompletionQueue queue) throws IOException {
        int count = queue.poll();
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = queue.completion(i);
            if (completion.isSuccess()) {
                succeeded++;
                stream.completed(completion, outbound());
            } else {
                stream.failed(completion, outbound());
            }
        }
        return count;
    }

    private void ended() {
        stream.release();
        input.discard();
        channel.close();
        channel.finishAndReleaseAll();
        loop.run();
        assertThat(staging.inUse()).as("slots in use: %s", staging).isZero();
        assertThat(receives.inUse()).as("slots in use: %s", receives).isZero();
        assertThat(application.inUse()).as("slots in use: %s", application).isZero();
    }
}
