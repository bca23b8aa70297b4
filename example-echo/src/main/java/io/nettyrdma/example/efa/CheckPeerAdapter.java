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
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramImmediate;
import io.nettyrdma.efa.EfaChannelOption;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.RdmaDevice;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An adapter of the other end: a channel that answers, memory that it lends, and channels that are asked for. */
final class CheckPeerAdapter {

    /** Datagrams of a channel: there may be 32 adapters. */
    private static final int DEPTH = 32;

    private final String name;
    private final EventLoopGroup group;
    private final DeviceCapabilities has;
    private final ByteBuf memory = RdmaByteBufAllocator.DEFAULT.directBuffer(CheckMessage.MEMORY, CheckMessage.MEMORY)
            .writeZero(CheckMessage.MEMORY);
    private final EfaDatagramChannel channel;
    private final List<RemoteMemory> memories;
    /** The last of each kind: the next peer does not need it. */
    private final Map<CheckMessage, Channel> opened = new EnumMap<>(CheckMessage.class);

    CheckPeerAdapter(EventLoopGroup group, String name) throws Exception {
        this.group = group;
        this.name = name;
        try (RdmaDevice device = RdmaDevice.open(name)) {
            has = device.capabilities();
        }
        channel = (EfaDatagramChannel) bootstrap().bind(DatagramAddress.any(name)).sync().channel();
        MemoryAccess[] access = access();
        memories = access.length == 0 ? List.of() : List.of(channel.expose(memory, access).sync().getNow().remote());
    }

    EfaDatagramChannel channel() {
        return channel;
    }

    List<RemoteMemory> memories() {
        return memories;
    }

    /** Call when all channels are closed. */
    void release() {
        memory.release();
    }

    private MemoryAccess[] access() {
        List<MemoryAccess> access = new ArrayList<>();
        if (has.efa().hasReads()) {
            access.add(MemoryAccess.REMOTE_READ);
        }
        if (has.efa().hasWrites()) {
            access.add(MemoryAccess.REMOTE_WRITE);
        }
        return access.toArray(MemoryAccess[]::new);
    }

    private Bootstrap bootstrap() {
        return new Bootstrap().group(group).channel(EfaDatagramChannel.class).handler(new Answerer())
                .option(RdmaDatagramChannelOption.IMMEDIATES, true)
                .option(RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH, DEPTH)
                .option(RdmaDatagramChannelOption.SEND_QUEUE_DEPTH, DEPTH);
    }

    /** Opens a channel, and answers with its address. */
    private void open(CheckMessage kind, DatagramAddress asking, DatagramAddress sender, ByteBuf answer) {
        Bootstrap bootstrap = bootstrap().option(RdmaDatagramChannelOption.QUEUE_KEY, asking.queueKey());
        if (kind == CheckMessage.OPEN_SILENT) {
            bootstrap.option(ChannelOption.AUTO_READ, false)
                    .option(RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH, CheckMessage.SILENT_DEPTH);
        } else if (kind == CheckMessage.OPEN_UNRELIABLE) {
            bootstrap.option(EfaChannelOption.TRANSPORT, QueuePairType.UD);
        }
        ChannelFuture bound = bootstrap.bind(DatagramAddress.any(name));
        bound.addListener(done -> {
            RdmaDatagramChannel added = (RdmaDatagramChannel) bound.channel();
            if (!done.isSuccess()) {
                fail(done, answer);
                return;
            }
            replace(kind, added);
            added.localAddress().encode(answer);
            answer.writeBoolean(has.senderGids());
            if (kind == CheckMessage.OPEN_UNRELIABLE) {
                added.prepare(asking).addListener(prepared -> reply(sender, answer));
            } else {
                reply(sender, answer);
            }
        });
    }

    private synchronized void replace(CheckMessage kind, Channel added) {
        Channel previous = opened.put(kind, added);
        if (previous != null) {
            previous.close();
        }
    }

    private static void fail(Future<?> failed, ByteBuf answer) {
        answer.release();
        System.err.println("self-check: no further channel: " + failed.cause());
    }

    private void reply(DatagramAddress to, ByteBuf answer) {
        channel.writeAndFlush(new DefaultAddressedEnvelope<>(answer, to));
    }

    /** Answers by the channel that was asked. */
    private final class Answerer extends ChannelInboundHandlerAdapter {

        @Override
        @SuppressWarnings("unchecked")
        public void channelRead(ChannelHandlerContext context, Object message) {
            var question = (AddressedEnvelope<ByteBuf, DatagramAddress>) message;
            try {
                answer(context, question);
            } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
                System.err.println("self-check: nonsense from " + question.sender() + ": " + e.getMessage());
            } finally {
                question.release();
            }
        }

        private void answer(ChannelHandlerContext context, AddressedEnvelope<ByteBuf, DatagramAddress> question) {
            ByteBuf body = question.content();
            int number = body.readInt();
            CheckMessage what = CheckMessage.read(body);
            if (what == null || what == CheckMessage.IMMEDIATE || question.sender().isUnknown()) {
                return;
            }
            ByteBuf answer = what.begin(context.alloc().directBuffer(), number);
            switch (what) {
            case ECHO, ECHO_LATER -> {
                answer.writeBytes(body);
                context.executor().schedule(() -> send(context, question.sender(), answer),
                        what == CheckMessage.ECHO ? 0 : CheckMessage.PAUSE_MILLIS, TimeUnit.MILLISECONDS);
            }
            case FILL -> {
                CheckMessage.fill(memory.clear(), CheckMessage.MEMORY, body.readLong());
                send(context, question.sender(), answer);
            }
            case COMPARE -> send(context, question.sender(),
                    answer.writeBoolean(CheckMessage.isFilled(memory, CheckMessage.MEMORY, body.readLong())));
            default -> open(what, DatagramAddress.decode(body), question.sender(), answer);
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof DatagramImmediate immediate) {
                send(context, immediate.sender(), CheckMessage.IMMEDIATE.begin(context.alloc().directBuffer(),
                        immediate.value()).writeInt(immediate.length()));
            } else {
                context.fireUserEventTriggered(event);
            }
        }

        private void send(ChannelHandlerContext context, DatagramAddress to, ByteBuf answer) {
            context.writeAndFlush(new DefaultAddressedEnvelope<>(answer, to));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            System.err.println("self-check: " + new IOException(context.channel().toString(), cause));
        }
    }
}
