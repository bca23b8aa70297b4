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

/**
 * The requested configuration of a queue pair, or the one that the device granted. Immutable.
 *
 * @param maxSends work requests that the send queue holds.
 * @param maxReceives work requests that the receive queue holds; 0 with a shared receive queue.
 * @param sendSge maximum number of SGEs of a send work request.
 * @param receiveSge maximum number of SGEs of a receive work request.
 * @param maxInline maximum number of inline bytes of a send work request.
 * @param signalAll whether every send is signaled, regardless of its own flag.
 * @param extended whether to try {@code ibv_wr_*} first.
 * @param serviceLevel of {@link QueuePairType#SRD}; 0 is the default. A device that does not know the level grants 0.
 * @since 0.1.0
 */
@UnstableApi
public record QueuePairConfig(QueuePairType type, int maxSends, int maxReceives, int sendSge, int receiveSge,
                              int maxInline, boolean signalAll, boolean extended, int serviceLevel) {

    private static final int MOST_LEVEL = 0xff;

    /**
     * Checks the ranges.
     *
     * @param type as the component.
     * @param maxSends as the component.
     * @param maxReceives as the component.
     * @param sendSge as the component.
     * @param receiveSge as the component.
     * @param maxInline as the component.
     * @param signalAll as the component.
     * @param extended as the component.
     * @param serviceLevel as the component.
     * @throws IllegalArgumentException if a number is out of its range.
     */
    public QueuePairConfig {
        notNegative("maxSends", maxSends);
        notNegative("maxReceives", maxReceives);
        notNegative("sendSge", sendSge);
        notNegative("receiveSge", receiveSge);
        notNegative("maxInline", maxInline);
        if (serviceLevel < 0 || serviceLevel > MOST_LEVEL) {
            throw new IllegalArgumentException("serviceLevel is " + serviceLevel + ", not within 0 to " + MOST_LEVEL);
        }
    }

    /**
     * A configuration with {@code depth} work requests of one SGE in each queue, no inline data, and completions only
     * for sends that request one.
     *
     * @param type of the queue pair.
     * @param depth work requests of each queue.
     */
    public QueuePairConfig(QueuePairType type, int depth) {
        this(type, depth, depth, 1, 1, 0, false, Fallbacks.EXTENDED_QUEUE_PAIR.isAllowed(), 0);
    }

    /**
     * Changes the sizes of the queues.
     *
     * @param sends work requests of the send queue.
     * @param receives work requests of the receive queue.
     * @return a copy with the change.
     */
    public QueuePairConfig withDepth(int sends, int receives) {
        return new QueuePairConfig(type, sends, receives, sendSge, receiveSge, maxInline, signalAll,
                extended, serviceLevel);
    }

    /**
     * Changes the SGEs of each work request.
     *
     * @param sends of a send.
     * @param receives of a receive.
     * @return a copy with the change.
     */
    public QueuePairConfig withSge(int sends, int receives) {
        return new QueuePairConfig(type, maxSends, maxReceives, sends, receives, maxInline, signalAll,
                extended, serviceLevel);
    }

    /**
     * Changes how much data a work request can carry itself.
     *
     * @param bytes 0 or more.
     * @return a copy with the change.
     */
    public QueuePairConfig withInline(int bytes) {
        return new QueuePairConfig(type, maxSends, maxReceives, sendSge, receiveSge, bytes, signalAll,
                extended, serviceLevel);
    }

    /**
     * Changes whether every send completes.
     *
     * @param all whether they do, or only signaled ones.
     * @return a copy with the change.
     */
    public QueuePairConfig withSignalAll(boolean all) {
        return new QueuePairConfig(type, maxSends, maxReceives, sendSge, receiveSge, maxInline, all,
                extended, serviceLevel);
    }

    /**
     * Changes whether {@code ibv_create_qp_ex} is tried.
     *
     * @param tried whether it is.
     * @return a copy with the change.
     */
    public QueuePairConfig withExtended(boolean tried) {
        return new QueuePairConfig(type, maxSends, maxReceives, sendSge, receiveSge, maxInline, signalAll,
                tried, serviceLevel);
    }

    /**
     * Only {@link QueuePairType#SRD} has levels: the others are granted 0.
     *
     * @param level 0 to 15.
     * @return a copy with the change.
     */
    public QueuePairConfig withServiceLevel(int level) {
        return new QueuePairConfig(type, maxSends, maxReceives, sendSge, receiveSge, maxInline, signalAll, extended,
                level);
    }

    /** Written out: that of a record takes the JVM 30 ms at its first use, and a probe that fails has this text. */
    @Override
    public String toString() {
        return type + " queue pair of " + maxSends + " sends with " + sendSge + " SGEs and " + maxInline
                + " inline bytes, " + maxReceives + " receives with " + receiveSge + " SGEs"
                + (signalAll ? ", all signaled" : "") + (extended ? ", extended" : "")
                + (serviceLevel == 0 ? "" : ", service level " + serviceLevel);
    }

    private static void notNegative(String name, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " cannot be " + value);
        }
    }
}
