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
import io.netty.buffer.Unpooled;
import io.nettyrdma.remote.RemoteMemory;

import java.io.IOException;
import java.util.SplittableRandom;

/** Checks what arrives at one end of a connection byte by byte. Confined to the loop's thread. */
final class Incoming {

    /** One buffer in this many is kept for a while. */
    private static final int KEPT = 16;

    private final SeededBytes expected;
    private final int maxSize;
    private final SplittableRandom random;
    private final Totals totals;
    private final Keeper keeper;
    /** {@code null} if there is none. */
    private final RemoteTraffic remote;
    private final Field length = new Field();
    private final ByteBuf content = Unpooled.buffer(RemoteMemory.SIZE);
    /** The record that is arriving, or {@code null}. */
    private RemoteTraffic.Record record;
    /** Of the message that is arriving. */
    private int left;
    private int messages;
    private boolean complete;

    Incoming(SeededBytes expected, int maxSize, SplittableRandom random, Totals totals, Keeper keeper,
             RemoteTraffic remote) {
        this.expected = expected;
        this.maxSize = maxSize;
        this.random = random;
        this.totals = totals;
        this.keeper = keeper;
        this.remote = remote;
    }

    /** @throws IOException if it is not what was sent. */
    void take(ByteBuf buffer) throws IOException {
        while (buffer.isReadable()) {
            if (complete) {
                throw new IOException(buffer.readableBytes() + " bytes came behind the end");
            }
            if (record != null) {
                takeRecord(buffer);
            } else if (left > 0) {
                takeContent(buffer);
            } else if (length.isComplete(buffer, Plan.LENGTH_BYTES)) {
                takeLength((int) length.value());
            }
        }
    }

    private void takeLength(int value) throws IOException {
        if (value < 0 && remote != null) {
            record = RemoteTraffic.Record.of(value);
            return;
        }
        if (value < 0 || value > maxSize) {
            throw new IOException("message " + messages + " came with the length " + value);
        }
        left = value;
        complete = value == Plan.END;
    }

    private void takeRecord(ByteBuf buffer) throws IOException {
        content.writeBytes(buffer, Math.min(buffer.readableBytes(), record.bytes - content.readableBytes()));
        if (content.readableBytes() == record.bytes) {
            remote.take(record, content);
            content.clear();
            record = null;
        }
    }

    private void takeContent(ByteBuf buffer) throws IOException {
        int count = Math.min(left, buffer.readableBytes());
        if (random.nextInt(KEPT) == 0) {
            keeper.keep(buffer.retainedSlice(buffer.readerIndex(), count), expected.seed(), expected.position());
        }
        long difference = expected.firstDifference(buffer, count);
        if (difference >= 0) {
            throw new IOException("byte " + difference + " of the sequence, in message " + messages
                    + " of which " + left + " bytes were left, came as another");
        }
        totals.bytes.add(count);
        left -= count;
        if (left == 0) {
            messages++;
            totals.messages.increment();
        }
    }

    boolean hasBegun() {
        return messages > 0 || complete;
    }

    /** Whether the end marker has arrived. */
    boolean isComplete() {
        return complete;
    }

    @Override
    public String toString() {
        return messages + " messages came, " + (complete ? "all" : left + " bytes are left of the next");
    }
}
