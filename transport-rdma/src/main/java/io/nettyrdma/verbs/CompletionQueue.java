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

import io.nettyrdma.jni.AbiLayout.CompletionQueueInit;
import io.nettyrdma.jni.AbiLayout.WorkCompletionRecord;
import io.nettyrdma.jni.DataPathNative;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.jni.VerbsNative;

/**
 * Where work requests end. Extended and classic queues look the same from here. Polling, reading completions and
 * arming belong to one thread.
 */
public final class CompletionQueue extends VerbsObject {

    /** Acknowledging takes a mutex that destroying the queue also takes: once for many events is enough. */
    private static final int ACKNOWLEDGE_BATCH = 64;

    private final RdmaDevice device;
    private final CompletionChannel channel;
    private final int capacity;
    private final int batch;
    private final boolean extended;
    private final boolean singleThreaded;
    private final NativeMemory completions;
    private final WorkCompletion view;
    private int unacknowledged;

    CompletionQueue(RdmaDevice device, CompletionChannel channel, CompletionQueueConfig config) throws VerbsException {
        super(channel == null ? new VerbsObject[] { device } : new VerbsObject[] { device, channel });
        this.device = device;
        this.channel = channel;
        batch = config.batch();
        completions = new NativeMemory(batch * WorkCompletionRecord.SIZE);
        view = new WorkCompletion(completions);
        NativeMemory init = new NativeMemory(CompletionQueueInit.SIZE)
                .putU64(CompletionQueueInit.DEVICE, device.handle())
                .putU64(CompletionQueueInit.CHANNEL, channel == null ? 0 : channel.handle())
                .putU64(CompletionQueueInit.CONTEXT, context())
                .putU32(CompletionQueueInit.CQE, config.entries())
                .putU32(CompletionQueueInit.COMP_VECTOR,
                        config.vector() % Math.max(1, device.limits().completionVectors()))
                .putU8(CompletionQueueInit.EXTENDED, config.extended() ? 1 : 0)
                .putU8(CompletionQueueInit.SINGLE_THREADED, config.singleThreaded() ? 1 : 0);
        created(VerbsNative.createCompletionQueue(init.address()), "ibv_create_cq",
                config.entries() + " entries on " + device);
        capacity = init.u32(CompletionQueueInit.CQE);
        extended = init.u8(CompletionQueueInit.EXTENDED) != 0;
        singleThreaded = init.u8(CompletionQueueInit.SINGLE_THREADED) != 0;
        if (channel != null) {
            channel.add(this);
        }
        device.asyncEvents().register(this);
    }

    public RdmaDevice device() {
        return device;
    }

    /** Completions that it holds, as granted by the device. */
    public int capacity() {
        return capacity;
    }

    /** Whether it is polled by {@code ibv_start_poll} and its like. */
    public boolean isExtended() {
        return extended;
    }

    /** Whether the device leaves out its locks, see {@link CompletionQueueConfig#singleThreaded}. */
    public boolean isSingleThreaded() {
        return singleThreaded;
    }

    /**
     * Takes completions off the queue, up to the configured batch. They are read by {@link #completion} until the next
     * call.
     *
     * @return how many; 0 if the queue is empty.
     */
    public int poll() throws VerbsException {
        int count = DataPathNative.poll(handle(), completions.address(), batch);
        if (count < 0) {
            throw new VerbsException("ibv_poll_cq", this, count);
        }
        return count;
    }

    /** The {@code index}th completion of the last {@link #poll}; one view for all of them. */
    public WorkCompletion completion(int index) {
        assert index >= 0 && index < batch;
        return view.wrap(index);
    }

    /**
     * Asks for an event at the next completion, or only at the next solicited or failed one. What is in the queue
     * already raises none: poll once more after arming and before waiting.
     */
    public void arm(boolean solicitedOnly) throws VerbsException {
        if (channel == null) {
            throw new IllegalStateException(this + " has no completion channel, it can only be polled");
        }
        int result = DataPathNative.requestNotify(handle(), solicitedOnly);
        if (result < 0) {
            throw new VerbsException("ibv_req_notify_cq", this, result);
        }
    }

    /** Counts an event that the channel took off for this queue. */
    void eventTaken() {
        if (++unacknowledged == ACKNOWLEDGE_BATCH) {
            acknowledge(handle());
        }
    }

    private void acknowledge(long handle) {
        if (unacknowledged > 0) {
            DataPathNative.acknowledgeEvents(handle, unacknowledged);
            unacknowledged = 0;
        }
    }

    @Override
    protected int destroy(long handle) {
        // First of all: ibv_destroy_cq waits until every event was acknowledged.
        acknowledge(handle);
        int result = VerbsNative.destroyCompletionQueue(handle);
        if (result >= 0) {
            device.asyncEvents().unregister(this);
            if (channel != null) {
                channel.remove(this);
            }
        }
        return result;
    }

    @Override
    protected String destroyCall() {
        return "ibv_destroy_cq";
    }

    @Override
    public String toString() {
        return "completion queue #" + context() + " of " + device;
    }
}
