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
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.nettyrdma.channel.DatagramExchange;
import io.nettyrdma.channel.DatagramPeer;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramException;
import io.nettyrdma.datagram.DatagramFailure;
import io.nettyrdma.efa.EfaChannelOption;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePairType;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Tries what one adapter can do with an adapter of the other end, compares all bytes, and says what works. */
final class AdapterCheck implements AutoCloseable {

    /** An operation that is tried. */
    @FunctionalInterface
    private interface Trial {

        /** @return what else is to be said; may be empty. */
        String run() throws Exception;
    }

    private static final int LOW_LATENCY = 8;
    private static final int SMALL = 8;
    /** Unreliable ones may be lost. */
    private static final int UNRELIABLE_TRIES = 10;
    private static final int UNRELIABLE_MILLIS = 1_000;

    private final CheckTime time = new CheckTime();
    private final List<CheckChannel> channels = new ArrayList<>();
    private final String adapter;
    private final DeviceCapabilities has;
    private final EventLoopGroup group;
    private final EventLoopGroup sleepers;
    private final PrintStream out;
    private boolean allWork = true;
    private CheckChannel here;
    private DatagramPeer there;

    /** @param sleepers whose loops wait for events and never poll. */
    AdapterCheck(String adapter, DeviceCapabilities has, EventLoopGroup group, EventLoopGroup sleepers,
                 PrintStream out) {
        this.adapter = adapter;
        this.has = has;
        this.group = group;
        this.sleepers = sleepers;
        this.out = out;
    }

    /** @return whether all works that both devices say they have. */
    boolean run(InetSocketAddress target) throws InterruptedException {
        attempt("exchange of addresses", () -> meet(target));
        // Everything else needs it.
        if (allWork) {
            attempt("datagram of " + SMALL + " bytes", () -> echo(here, there.address(), SMALL));
        }
        if (allWork) {
            int most = Math.min(here.channel().maxDatagram(), there.maxDatagram());
            attempt("datagram of " + most + " bytes", () -> echo(here, there.address(), most));
            attempt("sleep until a datagram comes", this::sleep);
            attempt("datagram of a stranger", this::stranger);
            attempt("service level " + LOW_LATENCY, this::lowLatency);
            attemptMemory();
            attemptNotReady();
            attempt("unreliable datagrams", this::unreliable);
        }
        return allWork;
    }

    private void attempt(String what, Trial trial) throws InterruptedException {
        String outcome;
        try {
            String more = trial.run();
            outcome = more.isEmpty() ? "works" : "works: " + more;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            allWork = false;
            outcome = "FAILS: " + (e instanceof DatagramException failed ? failed.failure() + ", " : "")
                    + e.getMessage();
        }
        out.println("  " + what + ": " + outcome);
    }

    private CheckChannel open(Bootstrap bootstrap) throws Exception {
        CheckChannel opened = new CheckChannel(bootstrap, adapter, time);
        channels.add(opened);
        return opened;
    }

    /** One with the key of the other end: that does not know the keys of those with whom it exchanged no addresses. */
    private Bootstrap withTheirKey(EventLoopGroup loops) {
        return new Bootstrap().group(loops).option(RdmaDatagramChannelOption.QUEUE_KEY, there.address().queueKey());
    }

    private String meet(InetSocketAddress target) throws Exception {
        here = open(new Bootstrap().group(group));
        Bootstrap tcp = new Bootstrap().group(group).channel(EpollSocketChannel.class);
        there = time.await(DatagramExchange.connect(tcp, target, here.channel(), List.of(), time.millis()));
        return here.channel().localAddress() + " and " + there.address();
    }

    // ---- datagrams ----

    private String echo(CheckChannel from, DatagramAddress to, int length) throws Exception {
        ask(from, to, CheckMessage.ECHO, length, time.millis());
        return "";
    }

    /** Sends random bytes, which are to come back. */
    private void ask(CheckChannel from, DatagramAddress to, CheckMessage how, int length, int millis)
            throws Exception {
        byte[] bytes = new byte[Math.max(0, length - CheckMessage.HEADER)];
        new Random(length).nextBytes(bytes);
        int asked = from.nextNumber();
        from.send(to, how, asked, Unpooled.wrappedBuffer(bytes));
        ByteBuf answer = from.answer(asked, how, millis);
        try {
            if (!ByteBufUtil.equals(answer, Unpooled.wrappedBuffer(bytes))) {
                throw new IOException("other bytes came back");
            }
        } finally {
            answer.release();
        }
    }

    private String sleep() throws Exception {
        CheckChannel sleeper = open(withTheirKey(sleepers));
        ask(sleeper, there.address(), CheckMessage.ECHO_LATER, SMALL, time.millis());
        return has.completionEvents() ? "" : "loops poll, because the adapter has no events";
    }

    private String stranger() throws Exception {
        CheckChannel stranger = open(withTheirKey(group));
        ByteBuf answer = openThere(CheckMessage.OPEN_UNPREPARED, stranger);
        DatagramAddress unprepared = DatagramAddress.decode(answer);
        boolean areNamed = answer.readBoolean();
        answer.release();
        if (areNamed) {
            return echo(stranger, unprepared, SMALL);
        }
        stranger.send(unprepared, CheckMessage.ECHO, stranger.nextNumber(), Unpooled.EMPTY_BUFFER);
        return "it is not answered, because the other adapter does not say who strangers are";
    }

    private String lowLatency() throws Exception {
        CheckChannel fast = open(withTheirKey(group).option(EfaChannelOption.SERVICE_LEVEL, LOW_LATENCY));
        echo(fast, there.address(), SMALL);
        return fast.channel().config().getOption(EfaChannelOption.SERVICE_LEVEL) == LOW_LATENCY ? ""
                : "with level 0, because adapter, driver or library do not know it";
    }

    private void attemptNotReady() throws InterruptedException {
        if (has.efa().hasRnrRetry()) {
            attempt("end of RNR retries", this::notReady);
        } else {
            out.println("  no RNR_RETRY_COUNT: the adapter repeats without limit for a peer that does not read");
        }
    }

    /** The other end does not read, so sooner or later a datagram fails. */
    private String notReady() throws Exception {
        CheckChannel impatient = open(withTheirKey(group).option(EfaChannelOption.RNR_RETRY_COUNT, 1));
        ByteBuf answer = openThere(CheckMessage.OPEN_SILENT, impatient);
        DatagramAddress silent = DatagramAddress.decode(answer);
        answer.release();
        int taken = 0;
        while (taken <= CheckMessage.SILENT_DEPTH) {
            ChannelFuture sent = time.end(impatient.send(silent, Unpooled.copyLong(taken)));
            if (sent.cause() instanceof DatagramException failed && failed.failure() == DatagramFailure.NOT_READY) {
                return "the peer took " + taken + " datagrams";
            }
            time.await(sent);
            taken++;
        }
        throw new IOException("a peer that has room for " + CheckMessage.SILENT_DEPTH + " datagrams took " + taken);
    }

    private String unreliable() throws Exception {
        CheckChannel sender = open(withTheirKey(group).option(EfaChannelOption.TRANSPORT, QueuePairType.UD));
        ByteBuf answer = openThere(CheckMessage.OPEN_UNRELIABLE, sender);
        DatagramAddress receiver = DatagramAddress.decode(answer);
        answer.release();
        int length = sender.channel().maxDatagram();
        for (int lost = 0; ; lost++) {
            try {
                ask(sender, receiver, CheckMessage.ECHO, length, UNRELIABLE_MILLIS);
                return length + " bytes" + (lost == 0 ? "" : ", after " + lost + " that were lost");
            } catch (IOException e) {
                if (lost == UNRELIABLE_TRIES) {
                    throw e;
                }
            }
        }
    }

    /** @return the answer's body, to be released. */
    private ByteBuf openThere(CheckMessage kind, CheckChannel asking) throws Exception {
        ByteBuf own = Unpooled.buffer(DatagramAddress.SIZE);
        asking.channel().localAddress().encode(own);
        return here.ask(there.address(), kind, own);
    }

    // ---- memory ----

    private void attemptMemory() throws InterruptedException {
        RemoteMemory memory = there.memories().isEmpty() ? null : there.memories().get(0);
        if (memory != null && memory.allows(MemoryAccess.REMOTE_READ) && has.efa().hasReads()) {
            attempt("read of " + CheckMessage.MEMORY + " bytes", () -> read(memory));
        } else {
            out.println("  no reads: an adapter of Nitro v4 or newer has them");
        }
        if (memory != null && memory.allows(MemoryAccess.REMOTE_WRITE) && has.efa().hasWrites()) {
            attempt("write of " + CheckMessage.MEMORY + " bytes", () -> write(memory));
            attempt("write with immediate of " + CheckMessage.MEMORY + " bytes", () -> writeWithImmediate(memory));
        } else {
            out.println("  no writes: an adapter of Nitro v4 or newer, and rdma-core 46 or newer, have them");
        }
    }

    private String read(RemoteMemory memory) throws Exception {
        long seed = 1;
        here.ask(there.address(), CheckMessage.FILL, Unpooled.copyLong(seed)).release();
        ByteBuf into = here.channel().alloc().directBuffer(CheckMessage.MEMORY);
        try {
            time.await(here.send(there.address(), new RdmaRead(memory, into.retain())));
            if (!CheckMessage.isFilled(into, CheckMessage.MEMORY, seed)) {
                throw new IOException("other bytes came");
            }
            return "";
        } finally {
            into.release();
        }
    }

    private String write(RemoteMemory memory) throws Exception {
        long seed = 2;
        time.await(here.send(there.address(), new RdmaWrite(bytes(seed), memory)));
        return compare(seed);
    }

    private String writeWithImmediate(RemoteMemory memory) throws Exception {
        long seed = 3;
        int number = here.nextNumber();
        time.await(here.send(there.address(), new RdmaWrite(bytes(seed), memory).withImmediate(number)));
        ByteBuf answer = here.answer(number, CheckMessage.IMMEDIATE, time.millis());
        int length = answer.readInt();
        answer.release();
        if (length != CheckMessage.MEMORY) {
            throw new IOException("the immediate came with " + length + " bytes");
        }
        return compare(seed);
    }

    private ByteBuf bytes(long seed) {
        return CheckMessage.fill(here.channel().alloc().directBuffer(CheckMessage.MEMORY), CheckMessage.MEMORY, seed);
    }

    private String compare(long seed) throws Exception {
        ByteBuf answer = here.ask(there.address(), CheckMessage.COMPARE, Unpooled.copyLong(seed));
        boolean isSame = answer.readBoolean();
        answer.release();
        if (!isSame) {
            throw new IOException("other bytes arrived");
        }
        return "";
    }

    @Override
    public void close() {
        if (there != null) {
            there.close();
        }
        channels.forEach(CheckChannel::close);
    }
}
