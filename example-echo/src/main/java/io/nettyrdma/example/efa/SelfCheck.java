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
package io.nettyrdma.example.efa;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramException;
import io.nettyrdma.datagram.DatagramImmediate;
import io.nettyrdma.datagram.RdmaDatagramChannelOption;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.EfaLimits;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Tries on a real adapter, or on the software device, what the transport needs, from one channel of this process to
 * another, and says what works. A report of it helps: nobody here has an adapter.
 */
final class SelfCheck implements AutoCloseable {

    /** An operation that is tried. */
    @FunctionalInterface
    private interface Trial {

        void run() throws Exception;
    }

    private static final int PATIENCE_SECONDS = 10;
    private static final int MEMORY = 1 << 20;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
    private final BlockingQueue<Object> arrived = new LinkedBlockingQueue<>();
    private final PrintStream out;
    private boolean allWork = true;
    private EfaDatagramChannel here;
    private EfaDatagramChannel there;

    SelfCheck(PrintStream out) {
        this.out = out;
    }

    /** @return whether all works that the device says it has. */
    boolean run() throws Exception {
        EfaLimits limits = device();
        here = bind();
        there = bind();
        out.println("channels     " + here.localAddress() + " to " + there.localAddress());
        attempt("handles", () -> {
            here.prepare(there.localAddress()).sync();
            there.prepare(here.localAddress()).sync();
        });
        attempt("datagram of 8 bytes", () -> datagram(8));
        attempt("datagram of " + here.maxDatagram() + " bytes", () -> datagram(here.maxDatagram()));
        ByteBuf memory = there.alloc().directBuffer(MEMORY, MEMORY).writeZero(MEMORY);
        try {
            if (limits.hasReads()) {
                attempt("read of " + MEMORY + " bytes", () -> read(memory));
            } else {
                out.println("  no reads");
            }
            if (limits.hasWrites()) {
                attempt("write with immediate of " + MEMORY + " bytes", () -> write(memory));
            } else {
                out.println("  no writes: an adapter of Nitro v4 or newer, and rdma-core 46 or newer, have them");
            }
        } finally {
            memory.release();
        }
        return allWork;
    }

    /** Prints what the first EFA device says of itself. */
    private EfaLimits device() throws IOException {
        for (RdmaDeviceInfo info : RdmaDevice.list()) {
            try (RdmaDevice device = RdmaDevice.open(info.name())) {
                DeviceCapabilities has = device.capabilities();
                if (has.efa() != null) {
                    out.println("device       " + info.name());
                    out.println("limits       " + has.efa());
                    out.println("events       " + (has.completionEvents() ? "yes" : "no: loops poll"));
                    out.println("strangers    " + (has.senderGids() ? "are named" : "are dropped"));
                    return has.efa();
                }
            }
        }
        throw new IOException("no EFA device: " + RdmaDevice.list());
    }

    private EfaDatagramChannel bind() throws Exception {
        return (EfaDatagramChannel) new Bootstrap().group(group).channel(EfaDatagramChannel.class)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        arrived.add(((AddressedEnvelope<?, ?>) message).content());
                    }

                    @Override
                    public void userEventTriggered(ChannelHandlerContext context, Object event) {
                        arrived.add(event);
                    }
                }).option(RdmaDatagramChannelOption.IMMEDIATES, true).bind(DatagramAddress.any()).sync().channel();
    }

    private void attempt(String what, Trial trial) throws InterruptedException {
        String outcome = "works";
        try {
            trial.run();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            allWork = false;
            outcome = "FAILS: " + (e instanceof DatagramException failed ? failed.failure() + ", " : "")
                    + e.getMessage();
        }
        out.println("  " + what + ": " + outcome);
    }

    private void datagram(int length) throws Exception {
        here.writeAndFlush(toThere(here.alloc().directBuffer(length).writeZero(length))).sync();
        ByteBuf datagram = (ByteBuf) next();
        int got = datagram.readableBytes();
        datagram.release();
        if (got != length) {
            throw new IOException(got + " bytes arrived");
        }
    }

    private AddressedEnvelope<Object, DatagramAddress> toThere(Object content) {
        return new DefaultAddressedEnvelope<>(content, there.localAddress());
    }

    private Object next() throws Exception {
        Object next = arrived.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (next == null) {
            throw new IOException("nothing arrived within " + PATIENCE_SECONDS + " s");
        }
        return next;
    }

    private void read(ByteBuf memory) throws Exception {
        ExposedMemory exposed = there.expose(memory, MemoryAccess.REMOTE_READ).sync().getNow();
        memory.setLong(MEMORY - Long.BYTES, 7);
        ByteBuf into = here.alloc().directBuffer(MEMORY);
        try {
            here.writeAndFlush(toThere(new RdmaRead(exposed.remote(), into.retain()))).sync();
            if (!into.equals(memory)) {
                throw new IOException("other bytes came");
            }
        } finally {
            into.release();
            exposed.close().sync();
        }
    }

    private void write(ByteBuf memory) throws Exception {
        ExposedMemory exposed = there.expose(memory, MemoryAccess.REMOTE_WRITE).sync().getNow();
        ByteBuf from = here.alloc().directBuffer(MEMORY).writeZero(MEMORY).setLong(MEMORY - Long.BYTES, 9);
        try {
            here.writeAndFlush(toThere(new RdmaWrite(from.retain(), exposed.remote())
                    .withImmediate(-1))).sync();
            if (!next().equals(new DatagramImmediate(here.localAddress(), -1, MEMORY)) || !from.equals(memory)) {
                throw new IOException("another immediate, or other bytes came");
            }
        } finally {
            from.release();
            exposed.close().sync();
        }
    }

    @Override
    public void close() {
        group.shutdownGracefully().syncUninterruptibly();
    }
}
