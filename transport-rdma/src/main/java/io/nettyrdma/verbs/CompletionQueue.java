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
import io.nettyrdma.jni.AbiLayout.CompletionQueueInit;
import io.nettyrdma.jni.AbiLayout.WorkCompletionRecord;
import io.nettyrdma.jni.DataPathNative;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.jni.VerbsNative;

/**
 * A completion queue ({@code struct ibv_cq}). Extended and classic queues have the same interface. Only one thread at a
 * time may poll it, read completions and arm it.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class CompletionQueue extends VerbsObject {

    /** Events per call of {@code ibv_ack_cq_events}, which takes a mutex: one call acknowledges many events. */
    private static final int ACKNOWLEDGE_BATCH = 64;

    private final RdmaDevice device;
    private final CompletionChannel channel;
    private final int capacity;
    private final int batch;
    private final boolean extended;
    private final boolean singleThreaded;
    private final boolean senderGids;
    private final NativeMemory completions;
    private final WorkCompletion view;
    private int unacknowledged;

    CompletionQueue(RdmaDevice device, CompletionChannel channel, CompletionQueueConfig config) throws VerbsException {
        super(channel == null ? new VerbsObject[] { device } : new VerbsObject[] { device, channel });
        this.device = device;
        this.channel = channel;
        batch = config.batch();
        completions = new NativeMemory(batch * (WorkCompletionRecord.SIZE + (config.senderGids() ? Gid.LENGTH : 0)));
        view = new WorkCompletion(completions, batch);
        NativeMemory init = new NativeMemory(CompletionQueueInit.SIZE)
                .putU64(CompletionQueueInit.DEVICE, device.handle())
                .putU64(CompletionQueueInit.CHANNEL, channel == null ? 0 : channel.handle())
                .putU64(CompletionQueueInit.CONTEXT, context())
                .putU32(CompletionQueueInit.CQE, config.entries())
                .putU32(CompletionQueueInit.COMP_VECTOR,
                        config.vector() % Math.max(1, device.limits().completionVectors()))
                .putU8(CompletionQueueInit.EXTENDED, config.extended() ? 1 : 0)
                .putU8(CompletionQueueInit.SINGLE_THREADED, config.singleThreaded() ? 1 : 0)
                .putU8(CompletionQueueInit.SENDER_GIDS, config.senderGids() ? 1 : 0);
        created(VerbsNative.createCompletionQueue(init.address()), "ibv_create_cq",
                config.entries() + " entries on " + device);
        capacity = init.u32(CompletionQueueInit.CQE);
        extended = init.u8(CompletionQueueInit.EXTENDED) != 0;
        singleThreaded = init.u8(CompletionQueueInit.SINGLE_THREADED) != 0;
        senderGids = init.u8(CompletionQueueInit.SENDER_GIDS) != 0;
        if (channel != null) {
            channel.add(this);
        }
        device.asyncEvents().register(this);
    }

    /** {@return the device of the queue} */
    public RdmaDevice device() {
        return device;
    }

    /** {@return the number of completions that the queue can hold, as granted by the device} */
    public int capacity() {
        return capacity;
    }

    /** {@return whether the queue is polled through {@code ibv_start_poll} and {@code ibv_next_poll}} */
    public boolean isExtended() {
        return extended;
    }

    /**
     * {@return whether the device omits its locks for this queue, see {@link CompletionQueueConfig#singleThreaded}}
     */
    public boolean isSingleThreaded() {
        return singleThreaded;
    }

    /**
     * {@return whether completions have the GID of an unknown sender, {@link WorkCompletion#sourceGid}} See {@link
     * CompletionQueueConfig#senderGids}.
     */
    public boolean hasSenderGids() {
        return senderGids;
    }

    /**
     * Takes completions off the queue, up to the configured batch size. {@link #completion} reads them; they are valid
     * until the next call.
     *
     * @return the number of completions; 0 if the queue is empty.
     * @throws VerbsException if the call fails, with the reason.
     */
    public int poll() throws VerbsException {
        int count = DataPathNative.poll(handle(), completions.address(), batch);
        if (count < 0) {
            throw new VerbsException("ibv_poll_cq", this, count);
        }
        return count;
    }

    /**
     * {@return the completion at {@code index} of the last {@link #poll}} All calls return the same view object.
     *
     * @param index from 0 to what {@link #poll} has returned, without it.
     */
    public WorkCompletion completion(int index) {
        assert index >= 0 && index < batch;
        return view.wrap(index);
    }

    /**
     * Requests an event for the next completion, or only for the next solicited or failed one. Completions that are
     * already in the queue raise no event: poll once more after arming, before waiting.
     *
     * @param solicitedOnly whether only such completions raise the event.
     * @throws VerbsException if it is refused, with the reason.
     */
    public void arm(boolean solicitedOnly) throws VerbsException {
        if (channel == null) {
            throw new IllegalStateException(this + " has no completion channel: it can be polled but not armed");
        }
        int result = DataPathNative.requestNotify(handle(), solicitedOnly);
        if (result < 0) {
            throw new VerbsException("ibv_req_notify_cq", this, result);
        }
    }

    /** Counts an event of this queue that the completion channel has taken. */
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
        // Must come first: ibv_destroy_cq waits until every event is acknowledged.
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
