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
package io.nettyrdma.microbench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.pipeline.PromisingUnsafe;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

import java.util.concurrent.TimeUnit;

/** A message through Netty's outbound buffer: written, flushed and removed, with its promise and with a stand-in. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class WritePromisesBenchmark {

    private static final int MESSAGES = 16;

    /** Whether the buffer gets a stand-in. */
    @Param({ "false", "true" })
    public boolean standIn;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ByteBuf message = Unpooled.directBuffer(64).writeZero(64);
    private Channel.Unsafe unsafe;
    private ChannelOutboundBuffer buffer;

    @Setup
    public void setUp() {
        unsafe = channel.unsafe();
        buffer = unsafe.outboundBuffer();
        if (standIn) {
            unsafe = new PromisingUnsafe(channel, unsafe);
        }
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public boolean writeAndRemove() {
        for (int i = 0; i < MESSAGES; i++) {
            unsafe.write(message.retain(), channel.newPromise());
        }
        buffer.addFlush();
        boolean isRemoved = true;
        for (int i = 0; i < MESSAGES; i++) {
            isRemoved &= buffer.remove();
        }
        return isRemoved;
    }
}
