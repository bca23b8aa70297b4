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
package io.nettyrdma.testsuite.soak;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.remote.RdmaImmediate;

import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** One end of a connection. Confined to the loop's thread unless stated otherwise. */
final class End extends ChannelInboundHandlerAdapter {

    /** On average one read batch in this many is followed by a pause. */
    private static final int PAUSE = 256;
    private static final int PAUSE_MILLIS = 200;

    private final Run run;
    private final boolean client;
    private final Field seed = new Field();
    private SocketChannel channel;
    private Plan plan;
    private Incoming incoming;
    private Outgoing outgoing;
    /** {@code null} if the plan has none. */
    private RemoteTraffic remote;
    private SplittableRandom random;
    private boolean inputEnded;
    private boolean halfClosing;
    private boolean ending;
    /** Changes whenever something is done; only the change matters, not the amount. */
    private volatile long progress;

    private End(Run run, Plan plan, boolean client) {
        this.run = run;
        this.plan = plan;
        this.client = client;
    }

    static End ofClient(Run run, Plan plan) {
        return new End(run, plan, true);
    }

    static End ofServer(Run run) {
        return new End(run, null, false);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = (SocketChannel) context.channel();
        run.begins(this);
        // Also for a channel that never becomes active.
        channel.closeFuture().addListener(closed -> run.ended(this));
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        RdmaChannel byRdma = byRdma();
        if (byRdma != null) {
            run.totals().add(byRdma.loopCounters());
        }
        progressed();
        if (client) {
            run.totals().connections.increment();
            begin();
            outgoing.writeSeed(plan.seed());
            beginRemote();
            proceed();
        }
    }

    /** {@code null} if the connection is by TCP. */
    private RdmaChannel byRdma() {
        SocketChannel own = channel instanceof RdmaOrTcpChannel either ? either.current() : channel;
        return own instanceof RdmaChannel rdma ? rdma : null;
    }

    private void begin() {
        random = new SplittableRandom(client ? plan.seed() : -plan.seed());
        boolean cutOff = plan.ending() == Plan.Ending.ABORT && isFirst();
        outgoing = new Outgoing(this, channel, plan.bytesOf(client), random.split(), run.options(), !cutOff);
        if (plan.isRemote()) {
            remote = new RemoteTraffic(this, byRdma(), outgoing, plan.writesOf(client), plan.writesOf(!client),
                    random.split(), run.totals());
            outgoing.add(remote);
        }
        incoming = new Incoming(plan.bytesOf(!client), run.options().maxSize(), random.split(), run.totals(),
                run.keeper(), remote);
        channel.config().setAllowHalfClosure(plan.ending() == Plan.Ending.HALF_CLOSE);
    }

    private void beginRemote() {
        if (remote != null) {
            remote.begin();
        }
    }

    private boolean isFirst() {
        return plan.isFirst(client);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        progressed();
        try {
            if (incoming == null) {
                if (!seed.isComplete(buffer, Plan.SEED_BYTES)) {
                    return;
                }
                plan = Plan.of(seed.value());
                begin();
                beginRemote();
            }
            incoming.take(buffer);
        } catch (IOException e) {
            differs(e);
        } finally {
            buffer.release();
        }
    }

    private void differs(IOException how) {
        run.verdict().failed("WRONG CONTENT at the " + this, how);
        channel.close();
    }

    void differs(String how) {
        differs(new IOException(how));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        proceed();
        if (random != null && random.nextInt(PAUSE) == 0 && channel.config().isAutoRead()) {
            run.totals().pauses.increment();
            channel.config().setAutoRead(false);
            channel.eventLoop().schedule(() -> channel.config().setAutoRead(true), random.nextInt(PAUSE_MILLIS),
                    TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        proceed();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputEnded = true;
            progressed();
            proceed();
        } else if (event instanceof RdmaImmediate immediate) {
            progressed();
            try {
                remote.written(immediate.value());
            } catch (IOException e) {
                differs(e);
            }
        }
    }

    /** Does everything that can be done now. */
    void proceed() {
        if (outgoing == null || ending || !channel.isActive()) {
            return;
        }
        outgoing.writeMessages();
        // A write may have failed and closed the channel.
        if (outgoing.isFinished() && channel.isActive()) {
            endAsPlanned();
        }
    }

    private void endAsPlanned() {
        switch (plan.ending()) {
        case CLOSE -> {
            if (isFirst() && outgoing.isDone() && incoming.isComplete()) {
                close();
            }
        }
        case HALF_CLOSE -> {
            if (inputEnded && outgoing.isDone()) {
                close();
            } else if (isFirst() && outgoing.isDone() && !halfClosing) {
                halfClosing = true;
                run.totals().halfCloses.increment();
                channel.shutdownOutput().addListener(shut -> progressed());
            }
        }
        default -> {
            if (isFirst() && incoming.hasBegun()) {
                run.totals().aborts.increment();
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
                close();
            }
        }
        }
    }

    private void close() {
        ending = true;
        channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!mayBreak() && !run.hasFailed() && (incoming == null || !incoming.isComplete() || !outgoing.isDone())) {
            run.verdict().failed("ENDED TOO EARLY: the " + this);
        }
    }

    void writeFailed(Throwable cause) {
        if (!mayBreak() && !run.hasFailed()) {
            run.verdict().failed("A WRITE FAILED at the " + this, cause);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!(mayBreak() && cause instanceof IOException)) {
            run.verdict().failed("UNEXPECTED at the " + this, cause);
            context.close();
        }
    }

    /** Whether the plan lets the connection break. */
    private boolean mayBreak() {
        return plan != null && plan.ending() == Plan.Ending.ABORT;
    }

    boolean isStopping() {
        return run.isStopping();
    }

    void progressed() {
        // Only this loop's thread writes.
        progress = progress + 1;
    }

    /** Called on any thread. */
    long progress() {
        return progress;
    }

    /** Called on any thread. For a stalled connection it shows the last state. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(client ? "client of " : "server of ").append(channel);
        text.append(" (").append(plan == null ? "no plan came" : plan).append(')');
        if (outgoing == null) {
            return text.append(channel.isActive() ? ": active" : ": connecting").toString();
        }
        return text.append(": ").append(outgoing).append("; ").append(incoming)
                .append(remote == null ? "" : "; " + remote)
                .append(channel.config().isAutoRead() ? "" : ", reads nothing")
                .append(inputEnded ? ", input ended" : "")
                .append(channel.isOutputShutdown() ? ", output ended" : "")
                .append(ending ? ", closing" : "")
                .append(channel.isOpen() ? "" : ", closed").toString();
    }
}
