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
 * Native methods of the data path: one JNI crossing per batch, primitive arguments only, no access to the Java heap.
 * Handles come from {@link VerbsNative}. The caller has checked all arguments.
 */
public final class DataPathNative {

    private DataPathNative() {
    }

    /**
     * Takes up to {@code max} completions off the queue and writes them as {@link AbiLayout.WorkCompletionRecord}s.
     * A queue that reports senders' GIDs needs room for {@code max} of them, 16 bytes each, behind the {@code max}
     * records. The one at the index of a completion is written if 128 is among the completion's flags.
     *
     * @return the number of completions, or {@code -errno}. If an error follows some completions, this call returns
     *         their number and the next call returns the error.
     */
    public static native int poll(long completionQueue, long completions, int max);

    /** Requests one event for the next completion, or the next solicited one. Returns 0 or {@code -errno}. */
    public static native int requestNotify(long completionQueue, boolean solicitedOnly);

    /**
     * Takes pending events off a completion channel and writes the contexts of their queues, 8 bytes each. Each event
     * must be acknowledged later with {@link #acknowledgeEvents}.
     *
     * @return the number of events, 0 if none is pending, or {@code -errno}.
     */
    public static native int nextCompletionEvents(long channel, long contexts, int max);

    /** Acknowledges events of one queue. This takes a mutex, so acknowledge in batches. */
    public static native void acknowledgeEvents(long completionQueue, int count);

    /**
     * Posts a batch of consecutive {@link AbiLayout.SendRecord}s.
     *
     * @return the number posted in the low 32 bits; in the high 32 bits the (positive) errno of the first failure, or
     *        0.
     */
    public static native long postSend(long queuePair, long records, int count);

    /** Posts a batch of {@link AbiLayout.ReceiveRecord}s; returns as {@link #postSend} does. */
    public static native long postReceive(long queuePair, long records, int count);

    /** Posts a batch of {@link AbiLayout.ReceiveRecord}s; returns as {@link #postSend} does. */
    public static native long postSharedReceive(long sharedReceiveQueue, long records, int count);
}
