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
package io.nettyrdma.jni;

/**
 * The hot natives: one crossing per batch, only numbers, nothing that touches the Java heap. Handles are those of
 * {@link VerbsNative}; the caller has checked everything.
 */
public final class DataPathNative {

    private DataPathNative() {
    }

    /**
     * Takes up to {@code max} completions off the queue and writes them as {@link AbiLayout.WorkCompletionRecord}s.
     *
     * @return how many, or {@code -errno}; never both: an error after some completions is reported by the next call.
     */
    public static native int poll(long completionQueue, long completions, int max);

    /** Asks for one event at the next completion, or the next solicited one. Returns 0 or {@code -errno}. */
    public static native int requestNotify(long completionQueue, boolean solicitedOnly);

    /**
     * Takes pending events off a completion channel and writes the contexts of their queues, 8 bytes each. Every one
     * must be acknowledged later by {@link #acknowledgeEvents}.
     *
     * @return how many, 0 if none is pending, or {@code -errno}.
     */
    public static native int nextCompletionEvents(long channel, long contexts, int max);

    /** Acknowledges events of one queue; it takes a mutex, so many at once are cheaper. */
    public static native void acknowledgeEvents(long completionQueue, int count);

    /**
     * Posts a batch of {@link AbiLayout.SendRecord}s that follow each other in memory.
     *
     * @return in the low 32 bits how many were posted, in the high 32 bits the errno (positive) that stopped it, or 0.
     */
    public static native long postSend(long queuePair, long records, int count);

    /** Posts a batch of {@link AbiLayout.ReceiveRecord}s; returns as {@link #postSend} does. */
    public static native long postReceive(long queuePair, long records, int count);

    /** Posts a batch of {@link AbiLayout.ReceiveRecord}s; returns as {@link #postSend} does. */
    public static native long postSharedReceive(long sharedReceiveQueue, long records, int count);
}
