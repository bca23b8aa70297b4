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
package io.nettyrdma.io;

import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.VerbsException;

/**
 * A completion queue of a loop, and how many of its entries are reserved. Each queue pair reserves as many as it can
 * have work requests in flight, so the queue cannot overflow.
 *
 * <pre>
 *   | queue pair a | queue pair b |  left  |    room    |
 *   |&lt;-------- reserved --------&gt;|
 *
 *   reserved ---release---&gt; left ---all completions of that time are handed out---&gt; room
 *
 *   WORKING ---an error of the queue, or of the device---&gt; BROKEN ---no queue pair is left---&gt; closed
 * </pre>
 *
 * The entries of a destroyed queue pair stay taken for a while: some devices, siw among them, leave its completions in
 * the queue, including those of work that was not done. A broken queue is neither polled nor given to a new queue pair.
 */
final class LoopQueue {

    private enum State { WORKING, BROKEN }

    private final LoopDevice device;
    private final CompletionQueue queue;
    private final int batch;
    private final boolean hasEvents;
    private State state = State.WORKING;
    private int reserved;
    /** Entries released before this round, and in it: for the latter, completions may still follow after the round. */
    private int left;
    private int leftThisRound;

    /** An event will arrive, or has arrived and was not taken yet. */
    private boolean armed;

    private long rounds;
    /** Completions that were handed out in this round. */
    private int dispatched;

    /**
     * @param batch maximum of completions that a poll takes.
     * @param hasEvents whether a completion can wake the loop.
     */
    LoopQueue(LoopDevice device, CompletionQueue queue, int batch, boolean hasEvents) {
        this.device = device;
        this.queue = queue;
        this.batch = batch;
        this.hasEvents = hasEvents;
    }

    CompletionQueue queue() {
        return queue;
    }

    LoopDevice device() {
        return device;
    }

    int capacity() {
        return queue.capacity();
    }

    int batch() {
        return batch;
    }

    boolean hasRoom(int completions) {
        return state == State.WORKING && completions <= queue.capacity() - reserved - left - leftThisRound;
    }

    void reserve(int completions) {
        assert hasRoom(completions);
        reserved += completions;
    }

    void release(int completions) {
        reserved -= completions;
        leftThisRound += completions;
        assert reserved >= 0;
    }

    /** Whether completions can arrive. */
    boolean isUsed() {
        return reserved + left + leftThisRound > 0 && !hasFailed();
    }

    /** Whether the queue completes nothing any more. */
    boolean hasFailed() {
        return state == State.BROKEN;
    }

    /** Marks the queue as broken. Returns false if it was broken before. */
    boolean breakDown() {
        boolean worked = state == State.WORKING;
        state = State.BROKEN;
        return worked;
    }

    /** Whether the queue is broken and no queue pair uses it any more. */
    boolean isLeft() {
        return state == State.BROKEN && reserved == 0;
    }

    /** The completions of a poll were handed out. A round ends when all that it began with have been. */
    void dispatched(int count) {
        dispatched += count;
        if (count < batch || dispatched >= queue.capacity()) {
            dispatched = 0;
            rounds++;
            left = count < batch ? 0 : leftThisRound;
            leftThisRound = 0;
        }
    }

    /** How often everything that had completed was handed out. */
    long rounds() {
        return rounds;
    }

    /** @return whether the next completion wakes the loop. */
    boolean arm() throws VerbsException {
        if (hasEvents && !armed) {
            queue.arm(false);
            armed = true;
        }
        return armed;
    }

    void eventTaken() {
        armed = false;
    }
}
