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
package io.nettyrdma.cm;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.jni.AbiLayout;
import io.nettyrdma.jni.CmNative;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.VerbsObject;

import java.util.List;
import java.util.Objects;

/**
 * Delivers the events of ids ({@code struct rdma_event_channel}): a file descriptor to wait on, and a queue of events.
 * Any thread may call any method. If several threads poll at the same time, the order of events between them is
 * undefined.
 *
 * <p>The lock order is channel, id, tree (see {@link VerbsObject}); {@code toString} takes none of these locks. An id's
 * lock is held during its native calls, a channel's lock while it takes one event. No lock is held while a listener
 * runs.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class CmEventChannel extends VerbsObject {

    /** Maximum number of events that one call of {@link #poll(CmEventListener)} delivers. */
    public static final int MAX_EVENTS_PER_POLL = 64;

    /** Ids can move between channels, so all channels are roots of one tree. */
    private static final Tree TREE = new Tree();

    private final NativeMemory record = new NativeMemory(AbiLayout.CmEvent.SIZE);
    private long droppedEvents;

    private CmEventChannel() throws VerbsException {
        super(TREE);
        created(CmNative.createEventChannel(), "rdma_create_event_channel", "this machine");
    }

    /**
     * Opens a channel, with a descriptor of its own.
     *
     * @return the caller's to close.
     * @throws VerbsException if the kernel has no connection manager.
     * @throws UnsatisfiedLinkError if librdmacm is not installed.
     */
    public static CmEventChannel open() throws VerbsException {
        NativeLibrary.ensureCm();
        return new CmEventChannel();
    }

    /** {@return a non-blocking file descriptor that is readable while events are pending} This object owns it. */
    public int fd() {
        return CmNative.eventChannelFd(handle());
    }

    /**
     * Like {@link #poll(CmEventListener, int)} with a maximum of {@link #MAX_EVENTS_PER_POLL} events.
     *
     * @param listener called for each event.
     * @return the number of events.
     * @throws VerbsException if the call fails, with the reason.
     */
    public int poll(CmEventListener listener) throws VerbsException {
        return poll(listener, MAX_EVENTS_PER_POLL);
    }

    /**
     * Takes pending events, updates the state of each event's id and passes the event to {@code listener}. Never
     * blocks.
     *
     * @param listener called for each event.
     * @param maxEvents maximum number of events, so that CM events cannot starve the other work of an event loop.
     * @return the number of events delivered; if it equals {@code maxEvents}, more may be pending.
     * @throws VerbsException if the call fails, with the reason.
     */
    public int poll(CmEventListener listener, int maxEvents) throws VerbsException {
        Objects.requireNonNull(listener, "listener");
        int count = 0;
        while (count < maxEvents) {
            CmEvent event = take();
            if (event == null) {
                break;
            }
            count++;
            listener.onEvent(event);
        }
        return count;
    }

    /**
     * {@return the ids whose events arrive at this channel now} Other threads may be migrating them to another channel.
     */
    public List<CmId> ids() {
        return children().stream().map(CmId.class::cast).toList();
    }

    /**
     * Waits until other threads have closed their ids of this channel. The kernel may delay such a close, and the
     * channel must stay open until then.
     *
     * @param nanos the longest time to wait.
     * @return whether the channel can be closed; false if the time ran out.
     * @throws InterruptedException if the thread is interrupted meanwhile.
     */
    public boolean awaitNoIds(long nanos) throws InterruptedException {
        return awaitNoChildren(nanos);
    }

    /** {@return the number of events that were dropped because their id had been closed} */
    public synchronized long droppedEvents() {
        return droppedEvents;
    }

    /**
     * The next event of an open id; {@code null} if none is pending.
     *
     * <pre>
     *   this thread                        another thread
     *   -----------                        --------------
     *   nextEvent: copied, acknowledged
     *                                      CmId.close: rdma_destroy_id
     *   find(context) == null
     * </pre>
     *
     * {@code rdma_destroy_id} waits until every event of its id is acknowledged. One native call copies and
     * acknowledges the event, so that wait always ends. The cost is the race above: an event can arrive for an id that
     * is gone. The event names its id by a number that is never reused, so the lookup finds nothing and the event is
     * dropped. If the event was a connection request, this method rejects the request, because nothing else knows the
     * new id.
     */
    private synchronized CmEvent take() throws VerbsException {
        while (true) {
            int result = CmNative.nextEvent(handle(), record.address());
            VerbsException.check(result, "rdma_get_cm_event", this);
            if (result == 0) {
                return null;
            }
            CmId id = OpenIds.find(record.u64(AbiLayout.CmEvent.CONTEXT));
            long request = record.u64(AbiLayout.CmEvent.ID);
            CmEvent event = id == null ? null : id.onEvent(record, request, this);
            if (event != null) {
                return event;
            }
            droppedEvents++;
            if (request != 0) {
                OpenIds.refuse(request);
            }
        }
    }

    /** Synchronized so that it cannot run during the native call of {@link #take}. */
    @Override
    protected synchronized int destroy(long handle) {
        CmNative.destroyEventChannel(handle);
        return 0;
    }

    @Override
    protected String destroyCall() {
        return "rdma_destroy_event_channel";
    }

    @Override
    public String toString() {
        return "rdma_cm event channel #" + context();
    }
}
