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
import io.nettyrdma.jni.DataPathNative;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.jni.VerbsNative;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Delivers the events of armed completion queues: one file descriptor for many queues. Only one thread may call
 * {@link #poll}, and that thread must also close the queues.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class CompletionChannel extends VerbsObject {

    private static final int BATCH = 16;
    private static final CompletionQueue[] NONE = {};

    private final RdmaDevice device;
    private final NativeMemory contexts = new NativeMemory(BATCH * Long.BYTES);

    /** Copy on write: searched at every event, changed only when a queue is created or closed. */
    private volatile CompletionQueue[] queues = NONE;

    CompletionChannel(RdmaDevice device) throws VerbsException {
        super(device);
        this.device = device;
        created(VerbsNative.createCompletionChannel(device.handle()), "ibv_create_comp_channel", device);
    }

    /** {@return a non-blocking file descriptor that is readable while events are pending} This object owns it. */
    public int fd() {
        return VerbsNative.completionChannelFd(handle());
    }

    /**
     * Takes all pending events and passes the completion queue of each to {@code listener}. An event only means that
     * the queue should be polled; the queue may already be empty. Events are acknowledged in batches, at the latest
     * when the queue is closed.
     *
     * @param listener called for each event.
     * @return the number of events.
     * @throws VerbsException if the call fails, with the reason.
     */
    public int poll(Consumer<CompletionQueue> listener) throws VerbsException {
        int total = 0;
        int count;
        do {
            count = DataPathNative.nextCompletionEvents(handle(), contexts.address(), BATCH);
            VerbsException.check(count, "ibv_get_cq_event", this);
            for (int i = 0; i < count; i++) {
                CompletionQueue queue = find(contexts.u64(i * Long.BYTES));
                queue.eventTaken();
                listener.accept(queue);
            }
            total += count;
        } while (count == BATCH);
        return total;
    }

    synchronized void add(CompletionQueue queue) {
        CompletionQueue[] larger = Arrays.copyOf(queues, queues.length + 1);
        larger[queues.length] = queue;
        queues = larger;
    }

    synchronized void remove(CompletionQueue queue) {
        queues = Arrays.stream(queues).filter(each -> each != queue).toArray(CompletionQueue[]::new);
    }

    private CompletionQueue find(long context) {
        for (CompletionQueue queue : queues) {
            if (queue.context() == context) {
                return queue;
            }
        }
        // Cannot happen: destroying a queue removes its events from the channel, and the polling thread closes queues.
        throw new IllegalStateException(this + " has an event of unknown completion queue #" + context);
    }

    @Override
    protected int destroy(long handle) {
        return VerbsNative.destroyCompletionChannel(handle);
    }

    @Override
    protected String destroyCall() {
        return "ibv_destroy_comp_channel";
    }

    @Override
    public String toString() {
        return "completion channel #" + context() + " of " + device;
    }
}
