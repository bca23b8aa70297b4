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
 * A completion queue of a loop, and how much of it is spoken for. Each queue pair has as many places as it can have
 * work requests outstanding, so it cannot overflow.
 *
 * <pre>
 *   | queue pair a | queue pair b |  left  |    room    |
 *   |&lt;-------- reserved --------&gt;|
 *
 *   reserved ---release---&gt; left ---all that was there is handed out---&gt; room
 *
 *   WORKING ---the device says that it is in error---&gt; BROKEN ---no queue pair is left---&gt; closed
 * </pre>
 *
 * The places of a queue pair that is gone stay taken for a while: some devices, siw among them, leave its completions
 * in the queue, those of what it had not done included. One that is broken is neither polled nor given to a new queue
 * pair.
 */
final class LoopQueue {

    private enum State { WORKING, BROKEN }

    private final LoopDevice device;
    private final CompletionQueue queue;
    private final int batch;
    private State state = State.WORKING;
    private int reserved;
    /** Released before this round, and in it: what came before the release may be handed out after this round. */
    private int left;
    private int leftThisRound;

    /** An event will come, or has come and was not taken yet. */
    private boolean armed;

    private long rounds;
    /** Completions that were handed out in this round. */
    private int handedOut;

    /** @param batch completions that a poll takes at most. */
    LoopQueue(LoopDevice device, CompletionQueue queue, int batch) {
        this.device = device;
        this.queue = queue;
        this.batch = batch;
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

    /** Whether completions can come. */
    boolean isUsed() {
        return reserved + left + leftThisRound > 0 && !hasFailed();
    }

    /** It completes nothing any more, or the whole device does not. */
    boolean hasFailed() {
        return state == State.BROKEN || device.hasFailed();
    }

    /** Returns false if it was broken before. */
    boolean breakDown() {
        boolean worked = state == State.WORKING;
        state = State.BROKEN;
        return worked;
    }

    /** Whether it is broken and nobody has a place in it any more. */
    boolean isLeft() {
        return state == State.BROKEN && reserved == 0;
    }

    /** Completions of one poll were handed out: a round ends when all that was there at its beginning has been. */
    void handedOut(int count) {
        handedOut += count;
        if (count < batch || handedOut >= queue.capacity()) {
            handedOut = 0;
            rounds++;
            left = count < batch ? 0 : leftThisRound;
            leftThisRound = 0;
        }
    }

    /** How often all that had completed was handed out. */
    long rounds() {
        return rounds;
    }

    void arm() throws VerbsException {
        if (!armed) {
            queue.arm(false);
            armed = true;
        }
    }

    void eventTaken() {
        armed = false;
    }
}
