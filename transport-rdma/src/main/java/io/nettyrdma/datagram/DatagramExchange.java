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
package io.nettyrdma.datagram;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.remote.RemoteMemory;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Tells two datagram channels about each other, over any other channel: a handler for both ends of a TCP connection,
 * for instance, behind an SslHandler if the network is not trusted, because addresses contain keys. Each end says who
 * it is, makes an address handle for the other, and then says that it is ready:
 *
 * <pre>
 *   one end                      the other
 *   record  -----------------&gt;   &lt;---------------- record         when the channel is active
 *   makes a handle               makes a handle
 *   READY   -----------------&gt;   &lt;---------------- READY
 *   done: peer()                 done: peer()
 * </pre>
 *
 * Until both are ready a datagram could arrive where its receiver has no handle for its sender, which some devices
 * refuse. The handler then removes itself, and passes on what follows; the channel may be closed, or used for something
 * else. If the exchange fails, the handler closes the channel.
 */
public final class DatagramExchange extends ChannelInboundHandlerAdapter {

    /** Milliseconds for the whole exchange, by default. */
    public static final int DEFAULT_TIMEOUT_MILLIS = 30_000;

    private static final byte READY = 1;

    private enum State { NEW, AWAITS_RECORD, MAKES_HANDLE, AWAITS_READY, ENDED }

    private final RdmaDatagramChannel channel;
    private final List<RemoteMemory> memories;
    private final int timeoutMillis;
    private final Promise<DatagramPeer> result;
    private State state = State.NEW;
    private ChannelHandlerContext context;
    private ByteBuf received = Unpooled.EMPTY_BUFFER;
    private ExchangeRecord peer;
    private Future<?> timeout;

    /**
     * @param channel bound.
     * @param memories of this end, for the other; at most 256.
     */
    public DatagramExchange(RdmaDatagramChannel channel, List<RemoteMemory> memories) {
        this(channel, memories, DEFAULT_TIMEOUT_MILLIS);
    }

    /** @param timeoutMillis for the whole exchange. */
    public DatagramExchange(RdmaDatagramChannel channel, List<RemoteMemory> memories, int timeoutMillis) {
        if (!channel.isActive()) {
            throw new IllegalArgumentException(channel + " is not bound");
        }
        this.channel = channel;
        this.memories = new ExchangeRecord(channel.localAddress(), channel.maxDatagram(), memories).memories();
        this.timeoutMillis = timeoutMillis;
        result = channel.eventLoop().newPromise();
        result.setUncancellable();
    }

    /**
     * Exchanges addresses with whoever has this handler at {@code address}, over a connection that is then closed.
     * Tries again while nobody listens there: the peer may be started later.
     *
     * @param bootstrap how to connect: a group, and a class of channels. If it has a handler, that comes in front, for
     *        instance an initializer that adds an SslHandler; each attempt uses it.
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

    /** Succeeds when both ends are ready. */
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
        timeout = context.executor().schedule(() -> fail(new IOException("the exchange of addresses with "
                + context.channel().remoteAddress() + " was not over after " + timeoutMillis + " ms")), timeoutMillis,
                TimeUnit.MILLISECONDS);
        ExchangeRecord own = new ExchangeRecord(channel.localAddress(), channel.maxDatagram(), memories);
        ByteBuf record = context.alloc().buffer(own.length());
        own.encode(record);
        send(record);
        readMore();
    }

    /** Without autoRead nobody else reads before the exchange is over. */
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
        // A record is short, and comes once.
        ByteBuf all = read.alloc().buffer(received.readableBytes() + bytes.readableBytes());
        all.writeBytes(received).writeBytes(bytes);
        received.release();
        bytes.release();
        received = all;
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

    private void advance() {
        try {
            if (state == State.AWAITS_RECORD) {
                peer = ExchangeRecord.decode(received);
                if (peer != null) {
                    state = State.MAKES_HANDLE;
                    checkNoMore();
                    channel.prepare(peer.address()).addListener(prepared -> onLoop(() -> handleMade(prepared)));
                }
            }
            checkNoMore();
            if (state == State.AWAITS_READY && received.isReadable()) {
                byte word = received.readByte();
                if (word != READY) {
                    throw new IOException("the peer said " + word + " where it should say that it is ready");
                }
                succeed();
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    /** Before this end is ready, the peer has nothing to say but that it is. */
    private void checkNoMore() throws IOException {
        if (state == State.MAKES_HANDLE && received.readableBytes() > 1) {
            throw new IOException("the peer said more than that it is ready, before this side is");
        }
    }

    private void onLoop(Runnable step) {
        if (context.executor().inEventLoop()) {
            step.run();
        } else {
            context.executor().execute(step);
        }
    }

    private void handleMade(Future<?> made) {
        if (state != State.MAKES_HANDLE) {
            // The exchange has failed meanwhile.
            if (made.isSuccess()) {
                channel.release(peer.address());
            }
        } else if (made.isSuccess()) {
            state = State.AWAITS_READY;
            send(context.alloc().buffer(1).writeByte(READY));
            advance();
        } else {
            fail(made.cause());
        }
    }

    private void succeed() {
        end();
        ByteBuf rest = received;
        received = Unpooled.EMPTY_BUFFER;
        result.setSuccess(new DatagramPeer(channel, peer));
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
        if (state == State.AWAITS_READY) {
            channel.release(peer.address());
        }
        end();
        received.release();
        received = Unpooled.EMPTY_BUFFER;
        result.setFailure(cause);
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
        fail(new IOException("the peer has left in the middle of the exchange of addresses"));
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
