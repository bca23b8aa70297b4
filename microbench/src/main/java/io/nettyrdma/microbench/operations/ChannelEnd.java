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
package io.nettyrdma.microbench.operations;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaAtomic;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.verbs.MemoryAccess;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

/** One end of a connection of channels, with the same memory as an {@link Area}. */
final class ChannelEnd {

    private final RdmaChannel channel;
    private final Arrivals arrivals;
    private final ByteBuf source;
    private final ByteBuf target;
    private final ByteBuf inbox;
    private final RemoteMemory exposedSource;
    private final RemoteMemory exposedTarget;
    private Operation operation;
    private int size;
    private RemoteMemory remote;
    private long posted;

    /** @param bytes of the longest operation. */
    ChannelEnd(RdmaChannel channel, Arrivals arrivals, LocalPort port, int bytes) throws Exception {
        this.channel = channel;
        this.arrivals = arrivals;
        int length = Math.max(bytes, Operation.NOTICE);
        source = channel.alloc().directBuffer(length, length);
        target = channel.alloc().directBuffer(length, length);
        inbox = channel.alloc().directBuffer(length, length);
        byte[] random = new byte[length];
        new Random(System.identityHashCode(this)).nextBytes(random);
        source.writeBytes(random);
        exposedSource = expose(source, MemoryAccess.REMOTE_READ).remote();
        exposedTarget = expose(target, Arrays.stream(port.access())
                .filter(each -> each == MemoryAccess.REMOTE_WRITE || each == MemoryAccess.REMOTE_ATOMIC)
                .toArray(MemoryAccess[]::new)).remote();
    }

    /** The channel withdraws the memory when it ends. */
    private ExposedMemory expose(ByteBuf buffer, MemoryAccess... access) throws Exception {
        return channel.expose(buffer, access).sync().getNow();
    }

    RdmaChannel channel() {
        return channel;
    }

    /** @param onArrival called on the loop when an operation of the peer has come. */
    void begin(Operation next, int bytes, ChannelEnd peer, Runnable onArrival) throws Exception {
        target.setZero(0, target.capacity());
        inbox.setZero(0, inbox.capacity());
        operation = next;
        size = bytes;
        remote = (next == Operation.READ ? peer.exposedSource : peer.exposedTarget).slice(0, bytes);
        posted = 0;
        channel.eventLoop().submit(() -> arrivals.begin(next, bytes, onArrival)).sync();
    }

    /** Writes an operation. */
    void post(ChannelPromise promise) {
        if (operation == Operation.WRITE_AND_SEND) {
            channel.write(write(), channel.voidPromise());
        }
        channel.writeAndFlush(message(), promise);
        posted++;
    }

    private Object message() {
        return switch (operation) {
        case SEND -> source.retainedSlice(0, size);
        case WRITE -> write();
        case WRITE_AND_SEND -> source.retainedSlice(0, Operation.NOTICE);
        case WRITE_WITH_IMMEDIATE -> write().withImmediate(size);
        case READ -> new RdmaRead(remote, inbox.clear().retain());
        case FETCH_AND_ADD -> RdmaAtomic.fetchAndAdd(remote, 1, inbox.clear().retain());
        case COMPARE_AND_SWAP -> RdmaAtomic.compareAndSwap(remote, posted, posted + 1, inbox.clear().retain());
        };
    }

    private RdmaWrite write() {
        return new RdmaWrite(source.retainedSlice(0, size), remote);
    }

    /** Throws unless this end has what the peer's operations must leave, and what its own must bring. */
    void check(long operations, ChannelEnd peer) throws Exception {
        long came = channel.eventLoop().submit(arrivals::count).sync().getNow();
        long expected = operation.isAnswered() ? operations : 0;
        if (came != expected) {
            throw new IllegalStateException(came + " of " + expected + " have come, " + operation);
        }
        if (operation == Operation.WRITE_AND_SEND || operation == Operation.WRITE_WITH_IMMEDIATE) {
            checkHolds(target, peer);
        }
    }

    /** Throws unless the operations of this end, which are not answered, have left what they must. */
    void checkOneSided(long operations, ChannelEnd peer) {
        if (operation == Operation.READ) {
            checkHolds(inbox, peer);
        } else if (operation == Operation.WRITE) {
            peer.checkHolds(peer.target, this);
        } else if (operation.isAtomic() && (number(peer.target) != operations || number(inbox) != operations - 1)) {
            throw new IllegalStateException(operations + " atomics left " + number(peer.target));
        }
    }

    private static long number(ByteBuf buffer) {
        return buffer.internalNioBuffer(0, Long.BYTES).order(ByteOrder.nativeOrder()).getLong();
    }

    private void checkHolds(ByteBuf ours, ChannelEnd peer) {
        SameBytes.check(ours.nioBuffer(0, size), peer.source.nioBuffer(0, size), operation);
    }

    /** Call it when the channel has ended. */
    void release() {
        source.release();
        target.release();
        inbox.release();
    }
}
