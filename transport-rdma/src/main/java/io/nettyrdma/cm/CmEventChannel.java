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

import io.nettyrdma.jni.AbiLayout;
import io.nettyrdma.jni.CmNative;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.VerbsObject;

import java.util.List;
import java.util.Objects;

/**
 * Where the events of ids arrive: a file descriptor to wait on, and a queue to empty. Any thread may call any method;
 * in what order two threads get events that they poll at the same time is up to chance.
 *
 * <p>Locks are taken in the order channel, id, tree (see {@link VerbsObject}), none of them by another's
 * {@code toString}. An id's lock is held during its native calls, a channel's while it takes one event, neither while a
 * listener runs.
 */
public final class CmEventChannel extends VerbsObject {

    /** A call of {@link #poll(CmEventListener)} hands out at most this many events. */
    public static final int MAX_EVENTS_PER_POLL = 64;

    /** Ids move from channel to channel, so all channels are roots of one tree. */
    private static final Tree TREE = new Tree();

    private final NativeMemory record = new NativeMemory(AbiLayout.CmEvent.SIZE);
    private long droppedEvents;

    private CmEventChannel() throws VerbsException {
        super(TREE);
        created(CmNative.createEventChannel(), "rdma_create_event_channel", "this machine");
    }

    /**
     * @throws VerbsException if the kernel has no connection manager.
     * @throws UnsatisfiedLinkError if librdmacm is not there.
     */
    public static CmEventChannel open() throws VerbsException {
        NativeLibrary.ensureCm();
        return new CmEventChannel();
    }

    /** Readable when events are pending; non-blocking; belongs to this object. */
    public int fd() {
        return CmNative.eventChannelFd(handle());
    }

    /** As {@link #poll(CmEventListener, int)}, at most {@link #MAX_EVENTS_PER_POLL}. */
    public int poll(CmEventListener listener) throws VerbsException {
        return poll(listener, MAX_EVENTS_PER_POLL);
    }

    /**
     * Takes what is pending, moves the state of the id of each event and hands the event out. Never waits.
     *
     * @param most events to hand out, so that ids cannot starve what else a loop does.
     * @return how many events were handed out; if {@code most}, more may be pending.
     */
    public int poll(CmEventListener listener, int most) throws VerbsException {
        Objects.requireNonNull(listener, "listener");
        int count = 0;
        while (count < most) {
            CmEvent event = take();
            if (event == null) {
                break;
            }
            count++;
            listener.onEvent(event);
        }
        return count;
    }

    /** Those whose events arrive here now; they may be on their way to another channel. */
    public List<CmId> ids() {
        return children().stream().map(CmId.class::cast).toList();
    }

    /**
     * Waits for ids that other threads are closing: the kernel may keep them waiting, and they need this channel.
     *
     * @return whether the channel may be closed.
     */
    public boolean awaitNoIds(long nanos) throws InterruptedException {
        return awaitNoChildren(nanos);
    }

    /** How many events were thrown away because their id was closed meanwhile. */
    public synchronized long droppedEvents() {
        return droppedEvents;
    }

    /**
     * The next event of an id that is open, {@code null} if none is pending.
     *
     * <pre>
     *   this thread                        another thread
     *   -----------                        --------------
     *   nextEvent: copied, acknowledged
     *                                      CmId.close: rdma_destroy_id
     *   find(context) == null
     * </pre>
     *
     * {@code rdma_destroy_id} waits for the acknowledgement of every event of its id. The event is copied and
     * acknowledged within one native call, so that wait ends, whoever calls what. The price is the race above: the
     * event of an id that is gone. It names the id by a number that no other id ever gets, finds nothing, and is
     * dropped; if it brought a connection request then nobody else can know the new id, and it is refused here.
     */
    private synchronized CmEvent take() throws VerbsException {
        while (true) {
            int result = CmNative.nextEvent(handle(), record.address());
            VerbsException.check(result, "rdma_get_cm_event", this);
            if (result == 0) {
                return null;
            }
            CmId id = CmId.find(record.u64(AbiLayout.CmEvent.CONTEXT));
            long request = record.u64(AbiLayout.CmEvent.ID);
            CmEvent event = id == null ? null : id.onEvent(record, request, this);
            if (event != null) {
                return event;
            }
            droppedEvents++;
            if (request != 0) {
                CmId.refuse(request);
            }
        }
    }

    /** Synchronized: not while {@link #take} is in the native call. */
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
