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
package io.nettyrdma.stream;

import io.nettyrdma.metrics.RdmaChannelSnapshot;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.metrics.RdmaGauge;
import io.nettyrdma.protocol.FrameHeader;

/**
 * What a stream counts, for the snapshot of its channel and for its loop, frame by frame. Belongs to the event loop.
 */
final class StreamMetrics {

    private final RdmaCounters loop;
    private long stagedBytes;
    private long gatheredBytes;
    private long inlineBytes;
    private long staged;
    private long gathered;
    private long inline;
    private long receivedBytes;
    private long received;
    private final Stall creditStall =
            new Stall(RdmaCounter.CREDIT_STALLS, RdmaCounter.CREDIT_STALL_NANOS, RdmaGauge.CREDIT_STALLED);
    private final Stall queueStall =
            new Stall(RdmaCounter.QUEUE_STALLS, RdmaCounter.QUEUE_STALL_NANOS, RdmaGauge.QUEUE_STALLED);

    private FramePath.Room waitsFor = FramePath.Room.READY;
    private int sendsInFlight;
    private int window;
    private int receiveBytes;
    private boolean ended;

    /** @param loop the loop's counters. */
    StreamMetrics(RdmaCounters loop) {
        this.loop = loop;
    }

    RdmaCounters loop() {
        return loop;
    }

    /** A frame with data goes inline. */
    void sentInline(int bytes) {
        inline++;
        inlineBytes += bytes;
        loop.increment(RdmaCounter.MESSAGES_INLINE);
        loop.add(RdmaCounter.BYTES_INLINE, bytes);
    }

    /** A frame with data goes from memory that the device reads. */
    void sent(int copied, int gatheredHere) {
        if (copied > 0) {
            stagedBytes += copied;
            loop.add(RdmaCounter.BYTES_STAGED, copied);
        }
        if (gatheredHere > 0) {
            gathered++;
            gatheredBytes += gatheredHere;
            loop.increment(RdmaCounter.MESSAGES_GATHERED);
            loop.add(RdmaCounter.BYTES_GATHERED, gatheredHere);
        } else {
            staged++;
            loop.increment(RdmaCounter.MESSAGES_STAGED);
        }
    }

    /** A frame with data, or an immediate, has arrived. */
    void received(int bytes) {
        received++;
        receivedBytes += bytes;
        loop.increment(RdmaCounter.MESSAGES_RECEIVED);
        loop.add(RdmaCounter.BYTES_RECEIVED, bytes);
    }

    /** Posts, or completions, may have changed the number of requests in flight. */
    void sendsInFlight(int count) {
        if (count != sendsInFlight && !ended) {
            loop.add(RdmaGauge.SENDS_IN_FLIGHT, count - sendsInFlight);
            sendsInFlight = count;
        }
    }

    /** @param room what kept the flush of all that there is to send from sending more. */
    void waits(FramePath.Room room) {
        if (room != waitsFor) {
            waitsFor = room;
            creditStall.set(room == FramePath.Room.NEEDS_PEER);
            queueStall.set(room == FramePath.Room.NEEDS_COMPLETION);
        }
    }

    /** @param bytes of each receive, with the header. */
    void window(int receives, int bytes) {
        if (ended) {
            return;
        }
        if (window > 0) {
            loop.add(RdmaGauge.ofReceives(receiveBytes), -window);
        }
        window = receives;
        receiveBytes = bytes - FrameHeader.SIZE;
        loop.add(RdmaGauge.ofReceives(receiveBytes), window);
    }

    /** Nothing is sent any more. */
    void endStalls() {
        waits(FramePath.Room.READY);
    }

    /** The stream is released: it is no part of the loop's gauges any more. */
    void end() {
        endStalls();
        sendsInFlight(0);
        if (window > 0) {
            window(0, receiveBytes + FrameHeader.SIZE);
        }
        ended = true;
    }

    /** @param credits frames that the peer has room for. */
    RdmaChannelSnapshot snapshot(int credits) {
        long now = System.nanoTime();
        return new RdmaChannelSnapshot(stagedBytes, gatheredBytes, inlineBytes, staged, gathered, inline, receivedBytes,
                received, window, receiveBytes, sendsInFlight, credits, creditStall.count, creditStall.nanos(now),
                queueStall.count, queueStall.nanos(now));
    }

    /** Waiting with something to send. Only its beginning and its end read the clock. */
    private final class Stall {

        private final RdmaCounter times;
        private final RdmaCounter time;
        private final RdmaGauge gauge;
        private boolean active;
        private long since;
        private long count;
        private long pastNanos;

        Stall(RdmaCounter times, RdmaCounter time, RdmaGauge gauge) {
            this.times = times;
            this.time = time;
            this.gauge = gauge;
        }

        void set(boolean stalled) {
            if (stalled != active) {
                change(stalled);
            }
        }

        private void change(boolean stalled) {
            active = stalled;
            long now = System.nanoTime();
            if (stalled) {
                since = now;
                count++;
                loop.increment(times);
                loop.add(gauge, 1);
            } else {
                pastNanos += now - since;
                loop.add(time, now - since);
                loop.add(gauge, -1);
            }
        }

        long nanos(long now) {
            return active ? pastNanos + now - since : pastNanos;
        }
    }
}
