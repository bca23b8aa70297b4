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

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.datagram.PeerHold;
import io.nettyrdma.recorder.Recorder;
import io.nettyrdma.remote.RemoteMemory;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Exchanges the addresses of two datagram channels over any other channel: a handler for both ends of a TCP connection,
 * for instance, behind an SslHandler if the network is not trusted, because addresses contain keys. The end that has
 * connected begins. The other sends its own record after it has checked the first and created an address handle:
 *
 * <pre>
 *   connecting end                 accepting end: its channel has a parent
 *   record  -----------------&gt;     checks it, makes a handle
 *           &lt;-----------------     record, READY
 *   checks it, makes a handle
 *   READY   -----------------&gt;
 *   done: peer()                   done: peer()
 * </pre>
 *
 * In place of a record or of READY either end may say why it fails. Until both are ready a datagram could arrive where
 * its receiver has no handle for its sender, which some devices refuse. The handler then removes itself, and passes on
 * what follows. The channel may be used for something else; its end closes the {@link DatagramPeer}, unless that is
 * kept. If the exchange fails, the handler closes the channel.
 *
 * <p>An end does not prove that an address is its own. A known key is not replaced while a peer holds it. Belongs to
 * the event loop of its pipeline; {@link #connect} and {@link #peer} on any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class DatagramExchange extends ChannelInboundHandlerAdapter {

    /** Milliseconds for the whole exchange, by default. */
    public static final int DEFAULT_TIMEOUT_MILLIS = 30_000;

    private static final byte READY = 1;
    private static final int FIRST_BYTES = 256;

    private enum State { NEW, AWAITS_RECORD, MAKES_HANDLE, AWAITS_READY, ENDED }

    private final RdmaDatagramChannel channel;
    private final ExchangeRecord own;
    private final int timeoutMillis;
    private final boolean ownsConnection;
    private final Promise<DatagramPeer> result;
    private State state = State.NEW;
    private ChannelHandlerContext context;
    /** The bytes received and not decoded yet; {@code null} if there are none. */
    private ByteBuf received;
    private ExchangeRecord peer;
    /** {@code null} before there is a handle. */
    private PeerHold hold;
    private Future<?> timeout;

    /**
     * @param channel bound.
     * @param memories of this end, for the other; at most 256.
     */
    public DatagramExchange(RdmaDatagramChannel channel, List<RemoteMemory> memories) {
        this(channel, memories, DEFAULT_TIMEOUT_MILLIS);
    }

    /**
     * @param channel bound; what both ends exchange is its address.
     * @param memories what the peer may access; may be empty.
     * @param timeoutMillis for the whole exchange.
     */
    public DatagramExchange(RdmaDatagramChannel channel, List<RemoteMemory> memories, int timeoutMillis) {
        this(channel, memories, timeoutMillis, false);
    }

    /** @param ownsConnection whether the end of the peer closes the connection. */
    DatagramExchange(RdmaDatagramChannel channel, List<RemoteMemory> memories, int timeoutMillis,
                     boolean ownsConnection) {
        if (!channel.isActive()) {
            throw new IllegalArgumentException(channel + " is not bound");
        }
        this.channel = channel;
        this.timeoutMillis = timeoutMillis;
        this.ownsConnection = ownsConnection;
        own = new ExchangeRecord(channel.localAddress(), channel.maxDatagram(), memories);
        result = channel.eventLoop().newPromise();
        result.setUncancellable();
    }

    /**
     * Exchanges addresses with the program that has this handler at {@code address}, over a connection that stays open
     * until the peer is closed: the other end forgets this one when it ends. Tries again while the port is closed: the
     * peer may be started later.
     *
     * @param bootstrap how to connect: a group, and a class of channels. If it has a handler, that comes in front, for
     *        instance an initializer that adds an SslHandler; each attempt uses it.
     * @param address of a listener whose children have this handler.
     * @param channel bound.
     * @param memories of this end, for the other.
     * @param patienceMillis for how long to try to connect; 0 is once. The exchange has its own timeout.
     * @return fails with the reason of the last attempt, or of the exchange.
     */
    public static Future<DatagramPeer> connect(Bootstrap bootstrap, SocketAddress address,
                                               RdmaDatagramChannel channel, List<RemoteMemory> memories,
                                               int patienceMillis) {
        return new ExchangeAttempts(bootstrap, address, channel, memories, patienceMillis).begin();
    }

    /** {@return a future that succeeds when both ends are ready} */
    public Future<DatagramPeer> peer() {
        return result;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        if (added.channel().isActive()) {
            begin();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        if (state == State.NEW) {
            begin();
        }
        active.fireChannelActive();
    }

    private void begin() {
        state = State.AWAITS_RECORD;
        timeout = context.executor().schedule(() -> fail(new ExchangeRefusal("the exchange of addresses was not over"
                + " after " + timeoutMillis + " ms")), timeoutMillis, TimeUnit.MILLISECONDS);
        if (connects()) {
            sendRecord();
        }
        readMore();
    }

    private boolean connects() {
        return context.channel().parent() == null;
    }

    /** The accepting end is ready when it says who it is. */
    private void sendRecord() {
        ByteBuf record = context.alloc().buffer(own.length() + 1);
        own.encode(record);
        if (!connects()) {
            record.writeByte(READY);
        }
        send(record);
    }

    /** Without autoRead no other handler reads before the exchange is over. */
    private void readMore() {
        if (!context.channel().config().isAutoRead()) {
            context.read();
        }
    }

    private void send(ByteBuf message) {
        context.writeAndFlush(message).addListener(written -> {
            if (!written.isSuccess()) {
                fail(written.cause());
            }
        });
    }

    @Override
    public void channelRead(ChannelHandlerContext read, Object message) {
        if (state == State.ENDED || !(message instanceof ByteBuf bytes)) {
            read.fireChannelRead(message);
            return;
        }
        try {
            if (received == null) {
                received = read.alloc().buffer(Math.max(FIRST_BYTES, bytes.readableBytes()));
            }
            received.writeBytes(bytes);
        } finally {
            bytes.release();
        }
        advance();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext complete) {
        if (state == State.ENDED) {
            complete.fireChannelReadComplete();
        } else {
            readMore();
        }
    }

    /** Something has come, or this end has a handle. */
    private void advance() {
        if (received == null) {
            return;
        }
        try {
            if (ExchangeRefusal.isNext(received)) {
                refused();
            } else if (state == State.AWAITS_RECORD) {
                readRecord();
            } else if (state == State.MAKES_HANDLE) {
                checkNoMore();
            } else if (state == State.AWAITS_READY && received.isReadable()) {
                readReady();
            }
        } catch (ExchangeRefusal e) {
            fail(e);
        }
    }

    /** The peer need not hear its own reason. */
    private void refused() {
        IOException reason = ExchangeRefusal.decode(received);
        if (reason != null) {
            fail(reason);
        }
    }

    private void readRecord() throws ExchangeRefusal {
        peer = ExchangeRecord.decode(received);
        if (peer == null) {
            return;
        }
        if (peer.address().queueKey() == 0 || !channel.mayExist(peer.address())) {
            throw new ExchangeRefusal("the record names what cannot be: queue pair " + peer.address().queuePairNumber()
                    + ", or its key");
        }
        state = State.MAKES_HANDLE;
        checkNoMore();
        channel.hold(peer.address()).addListener((Future<PeerHold> held) -> onLoop(() -> handleCreated(held)));
    }

    /** Before this end is ready, the peer has nothing to say but that it is, and that only if it has accepted. */
    private void checkNoMore() throws ExchangeRefusal {
        if (received.readableBytes() > (connects() ? 1 : 0)) {
            throw new ExchangeRefusal("more was said than that one is ready, before the other is");
        }
    }

    private void readReady() throws ExchangeRefusal {
        byte word = received.readByte();
        if (word != READY) {
            throw new ExchangeRefusal(word + " was said in place of being ready");
        }
        succeed();
    }

    private void onLoop(Runnable step) {
        if (context.executor().inEventLoop()) {
            step.run();
        } else {
            context.executor().execute(step);
        }
    }

    private void handleCreated(Future<PeerHold> result) {
        if (state != State.MAKES_HANDLE) {
            // The exchange has failed meanwhile.
            if (result.isSuccess()) {
                channel.endHold(result.getNow());
            }
        } else if (result.isSuccess()) {
            hold = result.getNow();
            state = State.AWAITS_READY;
            if (connects()) {
                send(context.alloc().buffer(1).writeByte(READY));
            } else {
                sendRecord();
            }
            advance();
        } else if (result.cause() instanceof IllegalStateException) {
            fail(new ExchangeRefusal("this queue pair is known with another key", result.cause()));
        } else {
            fail(new ExchangeRefusal("there is no address handle for it", result.cause()));
        }
    }

    private void succeed() {
        end();
        ByteBuf rest = received;
        received = null;
        result.setSuccess(new DatagramPeer(channel, hold, peer, context.channel(), ownsConnection));
        if (rest.isReadable()) {
            context.fireChannelRead(rest);
            context.fireChannelReadComplete();
        } else {
            rest.release();
        }
        context.pipeline().remove(this);
    }

    private void fail(Throwable cause) {
        if (state == State.ENDED) {
            return;
        }
        boolean speaks = state != State.NEW;
        end();
        if (hold != null) {
            channel.endHold(hold);
        }
        if (received != null) {
            received.release();
            received = null;
        }
        result.setFailure(cause);
        if (speaks && cause instanceof ExchangeRefusal refusal) {
            ByteBuf reason = context.alloc().buffer(FIRST_BYTES);
            refusal.encode(reason);
            context.writeAndFlush(reason);
            Recorder.refused(context.channel().localAddress(), context.channel().remoteAddress(), "EXCHANGE",
                    refusal.forPeer());
        }
        context.close();
    }

    private void end() {
        state = State.ENDED;
        if (timeout != null) {
            timeout.cancel(false);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        fail(new IOException(inactive.channel().remoteAddress()
                + " has left in the middle of the exchange of addresses"));
        inactive.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removed) {
        fail(new IOException("the handler was removed before the exchange of addresses was over"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        fail(cause);
        caught.fireExceptionCaught(cause);
    }
}
