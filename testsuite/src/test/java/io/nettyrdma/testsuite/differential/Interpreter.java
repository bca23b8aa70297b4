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
package io.nettyrdma.testsuite.differential;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.ReferenceCounted;
import io.nettyrdma.testsuite.differential.Trigger.When;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Runs one side's part of a program on either transport, and records the outcome. */
final class Interpreter extends ChannelInboundHandlerAdapter {

    static final String SHUTDOWN_OUTPUT = "shutdown of the output";

    private final Side side;
    private final Journal journal;
    private final Executor threads;
    private final Set<Script> ran = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Integer, ChannelPromise> promises = new HashMap<>();
    private final List<ByteBuf> kept = new ArrayList<>();
    private int toKeep;
    private volatile SocketChannel channel;
    private volatile ChannelHandlerContext context;

    Interpreter(Side side, Side peer, Executor threads) {
        this.side = side;
        this.threads = threads;
        journal = new Journal(side, peer);
    }

    Journal journal() {
        return journal;
    }

    /** {@code null} before it exists. */
    SocketChannel channel() {
        return channel;
    }

    /** Called before the channel is registered. */
    void install(SocketChannel on, ByteBufAllocator allocator) {
        on.config().setAllocator(allocator);
        on.config().setAutoRead(side.autoRead());
        on.config().setAllowHalfClosure(side.halfClosure());
        if (side.highWater() != 0) {
            on.config().setWriteBufferWaterMark(new WriteBufferWaterMark(side.highWater() / 2, side.highWater()));
        }
        if (side.receiveBytes() != 0) {
            on.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(side.receiveBytes()));
        }
        on.pipeline().addLast(new Gate(), this);
        channel = on;
    }

    /** Sees operations in the order in which they reach the transport. */
    private final class Gate extends ChannelDuplexHandler {

        @Override
        public void write(ChannelHandlerContext gate, Object message, ChannelPromise promise) {
            journal.passedWrite(message);
            gate.write(message, promise);
        }

        @Override
        public void flush(ChannelHandlerContext gate) {
            journal.passedFlush();
            gate.flush();
        }

        @Override
        public void read(ChannelHandlerContext gate) {
            journal.passedRead();
            gate.read();
        }

        @Override
        public void close(ChannelHandlerContext gate, ChannelPromise promise) {
            journal.passedClose();
            gate.close(promise);
            journal.returnedEnd();
        }
    }

    /** A user event. */
    private record Signal(int number) { }

    // ---- triggers ----

    private void run(When when, int argument) {
        for (Script script : side.scripts()) {
            Trigger trigger = script.trigger();
            boolean bytes = when == When.BYTES || when == When.READ_COMPLETE;
            if (trigger.when() == when && (bytes ? trigger.argument() <= argument : trigger.argument() == argument)
                    && runsNow(script)) {
                for (Operation operation : script.operations()) {
                    operation.run(this);
                }
            }
        }
    }

    private boolean runsNow(Script script) {
        synchronized (ran) {
            return ran.add(script);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelRegistered(ChannelHandlerContext ignored) {
        journal.event("registered");
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext ignored) {
        journal.event("unregistered");
    }

    @Override
    public void channelActive(ChannelHandlerContext ignored) {
        journal.event("active");
        journal.seen("addresses", Route.addresses(channel));
        run(When.ACTIVE, 0);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ignored) {
        journal.event("inactive");
        run(When.INACTIVE, 0);
    }

    @Override
    public void channelRead(ChannelHandlerContext ignored, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        journal.received(buffer);
        if (toKeep > 0) {
            toKeep--;
            kept.add(buffer);
        } else {
            buffer.release();
        }
        run(When.BYTES, (int) journal.receivedBytes());
        journal.end();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ignored) {
        run(When.READ_COMPLETE, (int) journal.receivedBytes());
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ignored) {
        journal.writabilityChanges();
        run(When.WRITABILITY, 0);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ignored, Object event) {
        if (event instanceof Signal) {
            run(When.EVENT, ((Signal) event).number());
        } else if (event == ChannelInputShutdownEvent.INSTANCE) {
            journal.event("input shutdown");
            run(When.INPUT_SHUTDOWN, 0);
        } else if (event == ChannelInputShutdownReadComplete.INSTANCE) {
            journal.event("input shutdown, read complete");
        } else if (event instanceof ChannelOutputShutdownEvent) {
            journal.event("output shutdown");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ignored, Throwable cause) {
        journal.exception(cause);
    }

    // ---- operations ----

    void write(Operation.Write write) {
        Outgoing outgoing = write.kind().message(write.id(), write.size(), channel.alloc());
        ReferenceCounted message = outgoing.object();
        journal.made(write, message);
        ChannelPromise promise = write.voidPromise() ? channel.voidPromise() : channel.newPromise();
        if (!write.voidPromise()) {
            synchronized (promises) {
                promises.put(write.id(), promise);
            }
            promise.addListener(written -> {
                outgoing.ended(written.isSuccess());
                journal.ended(write.id(), written.cause());
                run(When.WRITTEN, write.id());
                journal.end();
            });
        }
        pass(write, message, promise);
        if (channel.eventLoop().inEventLoop()) {
            journal.written(write.id(), promise);
            outgoing.written();
        }
    }

    private void pass(Operation.Write write, Object message, ChannelPromise promise) {
        if (write.whole()) {
            if (write.flushed()) {
                channel.writeAndFlush(message, promise);
            } else {
                channel.write(message, promise);
            }
        } else if (write.flushed()) {
            context.writeAndFlush(message, promise);
        } else {
            context.write(message, promise);
        }
    }

    void flush() {
        context.flush();
    }

    void cancel(int id) {
        ChannelPromise promise;
        synchronized (promises) {
            promise = promises.get(id);
        }
        if (promise != null) {
            promise.cancel(false);
        }
    }

    void read() {
        context.read();
    }

    void autoRead(boolean on) {
        if (!channel.isActive()) {
            // NIO's channels assert that they are.
            return;
        }
        journal.autoRead(on);
        channel.config().setAutoRead(on);
    }

    /** Enables reading on a side that does not read and has no operation left that would. */
    void readFromNowOn() {
        if (!channel.config().isAutoRead()) {
            channel.eventLoop().execute(() -> autoRead(true));
        }
    }

    void fire(int signal) {
        channel.pipeline().fireUserEventTriggered(new Signal(signal));
    }

    void execute(int signal) {
        journal.begin();
        channel.eventLoop().execute(() -> run(signal, When.TASK));
    }

    void spawn(int signal) {
        journal.begin();
        threads.execute(() -> run(signal, When.THREAD));
    }

    private void run(int signal, When when) {
        try {
            run(when, signal);
        } catch (Throwable t) {
            journal.problem("thrown: " + t);
        } finally {
            journal.end();
        }
    }

    void stall(int micros) {
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(micros));
    }

    void keep(int buffers) {
        toKeep += buffers;
    }

    /** Called when the channel is gone. */
    void releaseKept() {
        kept.forEach(ByteBuf::release);
        kept.clear();
    }

    void shutdownOutput(boolean cancelled) {
        journal.passedShutdownOutput();
        ask(SHUTDOWN_OUTPUT, channel.newPromise(), channel::shutdownOutput, cancelled);
        journal.returnedEnd();
    }

    void shutdownInput() {
        journal.passedShutdownInput();
        ask("shutdown of the input", channel.newPromise(), channel::shutdownInput, false);
    }

    void close(boolean cancelled) {
        ask("close", channel.newPromise(), channel::close, cancelled);
        journal.closed(channel);
    }

    /** An operation that has a promise. */
    private interface Asked {
        ChannelFuture ask(ChannelPromise promise);
    }

    private void ask(String what, ChannelPromise promise, Asked asked, boolean cancelled) {
        String name = journal.asked(what);
        promise.addListener(future -> journal.outcome(name, future.cause()));
        asked.ask(promise);
        if (cancelled) {
            promise.cancel(false);
        }
    }

    /** Whether it is writable, or its output is shut, is the same on all transports only after a close. */
    void look() {
        journal.seen("look", (channel.isOpen() ? "open" : "closed") + (channel.isActive() ? ", active" : ", inactive")
                + (channel.isInputShutdown() ? ", input shut" : "")
                + (!channel.isOpen() && channel.isOutputShutdown() ? ", output shut" : "")
                + (!channel.isOpen() && channel.isWritable() ? ", writable" : ""));
    }

    void abort() {
        lingerNot();
        close(false);
    }

    private void lingerNot() {
        journal.aborts();
        try {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        } catch (RuntimeException e) {
            // A closed socket has no options.
        }
    }

    /** Called when the program is over. */
    void end(boolean aborts) {
        journal.begin();
        channel.eventLoop().execute(() -> {
            if (aborts) {
                lingerNot();
            }
            channel.close().addListener(closed -> journal.end());
            journal.closed(channel);
        });
    }

    void reregister() {
        journal.begin();
        String name = journal.asked("deregister");
        EventLoop loop = channel.eventLoop();
        channel.deregister().addListener(gone -> {
            journal.outcome(name, gone.cause());
            if (!gone.isSuccess()) {
                journal.end();
                return;
            }
            loop.register(channel).addListener(back -> journal.end());
        });
    }
}
