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
package io.nettyrdma.verbs;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.jni.AbiLayout.WorkCompletionRecord;

/**
 * Configuration of a completion queue. Immutable.
 *
 * @param entries completions that the queue must hold: at least the number of work requests that can be outstanding on
 *        all its send and receive queues together. An overflow is fatal to its queue pairs. The device may grant more.
 * @param batch maximum number of completions that one {@link CompletionQueue#poll} takes, up to {@link #MAX_BATCH}.
 * @param vector completion vector (interrupt) for events; taken modulo the number that the device has.
 * @param extended whether to try {@code ibv_create_cq_ex} first.
 * @param singleThreaded whether the device may omit its locks. The caller then guarantees that only one thread at a
 *        time polls or arms the queue and changes or destroys its queue pairs. Has an effect only on extended queues
 *        of devices that support it.
 * @param senderGids whether to try {@code efadv_create_cq} first, for {@link WorkCompletion#sourceGid}. Has an effect
 *        only on extended queues of EFA devices that support it.
 * @since 0.1.0
 */
@UnstableApi
public record CompletionQueueConfig(int entries, int batch, int vector, boolean extended, boolean singleThreaded,
                                    boolean senderGids) {

    /** Completions of one {@link CompletionQueue#poll}. */
    public static final int DEFAULT_BATCH = 64;

    /** The most completions whose total size in bytes, with a GID each, fits an {@code int}. */
    public static final int MAX_BATCH = Integer.MAX_VALUE / (WorkCompletionRecord.SIZE + Gid.LENGTH);

    /**
     * Checks the ranges.
     *
     * @param entries as the component.
     * @param batch as the component.
     * @param vector as the component.
     * @param extended as the component.
     * @param singleThreaded as the component.
     * @param senderGids as the component.
     * @throws IllegalArgumentException if a number is out of its range.
     */
    public CompletionQueueConfig {
        positive("entries", entries);
        positive("batch", batch);
        if (batch > MAX_BATCH) {
            throw new IllegalArgumentException("batch can be at most " + MAX_BATCH + ", not " + batch);
        }
        if (vector < 0) {
            throw new IllegalArgumentException("vector " + vector + " is negative");
        }
    }

    /**
     * With the defaults.
     *
     * @param entries room for completions, at least 1.
     */
    public CompletionQueueConfig(int entries) {
        this(entries, DEFAULT_BATCH, 0, Fallbacks.EXTENDED_COMPLETION_QUEUE.isAllowed(), false, false);
    }

    /**
     * Changes whether {@code ibv_create_cq_ex} is tried.
     *
     * @param tried whether it is.
     * @return a copy with the change.
     */
    public CompletionQueueConfig withExtended(boolean tried) {
        return new CompletionQueueConfig(entries, batch, vector, tried, singleThreaded, senderGids);
    }

    /**
     * Changes whether the queue may do without the device's locks.
     *
     * @param single whether one thread alone uses it.
     * @return a copy with the change.
     */
    public CompletionQueueConfig withSingleThreaded(boolean single) {
        return new CompletionQueueConfig(entries, batch, vector, extended, single, senderGids);
    }

    /**
     * Changes whether completions shall have the sender's GID, on EFA.
     *
     * @param tried whether it is tried.
     * @return a copy with the change.
     */
    public CompletionQueueConfig withSenderGids(boolean tried) {
        return new CompletionQueueConfig(entries, batch, vector, extended, singleThreaded, tried);
    }

    /**
     * Changes the interrupt vector.
     *
     * @param newVector from 0 to what the device has.
     * @return a copy with the change.
     */
    public CompletionQueueConfig withVector(int newVector) {
        return new CompletionQueueConfig(entries, batch, newVector, extended, singleThreaded, senderGids);
    }

    /**
     * Changes how many completions one poll takes.
     *
     * @param newBatch 1 to {@link #MAX_BATCH}.
     * @return a copy with the change.
     */
    public CompletionQueueConfig withBatch(int newBatch) {
        return new CompletionQueueConfig(entries, newBatch, vector, extended, singleThreaded, senderGids);
    }

    private static void positive(String name, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive, not " + value);
        }
    }
}
