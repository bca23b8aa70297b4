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

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.memory.PostBatches;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.AsyncEventType;
import io.nettyrdma.verbs.CompletionChannel;
import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.CompletionQueueConfig;
import io.nettyrdma.verbs.Fallbacks;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.VerbsObject;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What one loop has of one device: a context of its own, so that no loop takes events or waits for locks of another;
 * a protection domain; completion queues that grow in number with the queue pairs; pools of registered memory.
 *
 * <pre>
 *   OPEN ---DEVICE_FATAL, or a queue cannot be polled---&gt; FAILED ---no queue pair is left---&gt; closed, forgotten
 * </pre>
 *
 * One completion queue may fail alone: {@link LoopQueue}. Then those whose work completes there end, and no others.
 */
public final class LoopDevice {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(LoopDevice.class);

    /** A queue pair, and its places in a completion queue. */
    private record Member(RdmaIoRegistration owner, LoopQueue queue, int completions) {
    }

    /** Work requests that are posted together at most: more hardly make a native call cheaper. */
    private static final int BATCH = 16;

    private record PoolKey(RdmaByteBufAllocator allocator, int slotSize) {
    }

    private final RdmaLoop loop;
    private final EventDispatcher dispatcher;
    private final CompletionPoller poller;
    private final Closer closer = new Closer();
    private final RdmaDevice device;
    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final List<LoopQueue> queues = new ArrayList<>();
    private final Map<QueuePair, Member> members = new IdentityHashMap<>();
    /** Owners of queue pairs, by the numbers of these. */
    private final IntObjectMap<RdmaIoRegistration> byNumber = new IntObjectHashMap<>();
    private final Map<RdmaByteBufAllocator, RegistrationIndex> indexes = new IdentityHashMap<>();
    private final Map<PoolKey, SlotPool> pools = new HashMap<>();
    private final PostBatches batches;
    private boolean failed;

    LoopDevice(RdmaLoop loop, String name, EventDispatcher dispatcher, CompletionPoller poller) throws IOException {
        this.loop = loop;
        this.dispatcher = dispatcher;
        this.poller = poller;
        try {
            device = closer.add(RdmaDevice.open(name));
            domain = closer.add(device.createProtectionDomain());
            channel = closer.add(device.createCompletionChannel());
            batches = new PostBatches(BATCH, device.capabilities().maxSendSge());
            Consumer<CompletionQueue> onEvent = this::eventTaken;
            watch(channel.fd(), channel, () -> channel.poll(onEvent));
            watch(device.asyncEvents().fd(), device, () -> device.asyncEvents().poll(this::onAsyncEvent));
        } catch (IOException | RuntimeException e) {
            closer.close();
            throw e;
        }
    }

    private void watch(int fd, VerbsObject source, FdWatch.Reader reader) throws IOException {
        FdWatch watch = FdWatch.start(loop, fd, source.toString(), reader);
        closer.add(watch::stop);
    }

    public RdmaDevice device() {
        return device;
    }

    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** Whether it will complete nothing any more. What is made on it can only be closed. */
    public boolean hasFailed() {
        return failed;
    }

    /**
     * Makes a queue pair whose completions come to this loop, and reserves room for as many as can be outstanding; so
     * the completion queue cannot overflow, as long as no more is posted than was granted.
     *
     * @param owner gets the events of the queue pair, and completions whose work request ids name it: by
     *        {@link RdmaIoRegistration#workRequestIds}, or by {@link WorkRequestId#BY_QUEUE_PAIR}.
     */
    public QueuePair createQueuePair(RdmaIoRegistration owner, QueuePairConfig config) throws VerbsException {
        int completions = completions(config);
        while (true) {
            LoopQueue queue = queueWithRoom(completions);
            QueuePair queuePair = domain.createQueuePair(config, queue.queue(), queue.queue());
            completions = completions(queuePair.granted());
            if (queue.hasRoom(completions)) {
                queue.reserve(completions);
                members.put(queuePair, new Member(owner, queue, completions));
                byNumber.put(queuePair.number(), owner);
                owner.completesIn(queue);
                return queuePair;
            }
            // The device grants more than was asked for: look for room for that.
            queuePair.close();
        }
    }

    /**
     * Closes a queue pair that was made here and gives its room back. None of its work requests touches memory any
     * more after this. Some devices complete them all the same; while their handle is registered it gets these.
     *
     * @throws VerbsException if the device refuses; the queue pair is still open then.
     */
    public void closeQueuePair(QueuePair queuePair) throws VerbsException {
        queuePair.close();
        Member member = members.remove(queuePair);
        if (member != null) {
            // Another thread may have destroyed the queue pair a while ago: the next one may have its number.
            if (byNumber.get(queuePair.number()) == member.owner()) {
                byNumber.remove(queuePair.number());
            }
            member.queue().release(member.completions());
            closeIfLeft(member.queue());
        }
        if (failed && members.isEmpty()) {
            loop.forget(this);
        }
    }

    /** Whose queue pair has that number; {@code null} if it is closed. A device may give the number to the next one. */
    RdmaIoRegistration owner(int queuePairNumber) {
        return byNumber.get(queuePairNumber);
    }

    /** Made here and not closed yet. */
    public int queuePairs() {
        return members.size();
    }

    /** How many completion queues there are; each takes its time when the loop polls. */
    public int completionQueues() {
        return queues.size();
    }

    /** The allocator's memory as this loop's protection domain knows it; the loop closes it. */
    public RegistrationIndex index(RdmaByteBufAllocator allocator) {
        return indexes.computeIfAbsent(allocator, from -> closer.add(from.indexFor(domain)));
    }

    /** The pool of slots of that size, out of the allocator's memory; the loop closes it. */
    /** For posting work requests, one connection after the other. */
    public PostBatches batches() {
        return batches;
    }

    public SlotPool pool(RdmaByteBufAllocator allocator, int slotSize) {
        return pools.computeIfAbsent(new PoolKey(allocator, slotSize), key -> closer.add(new SlotPool(allocator,
                index(allocator), loop.executor(), slotSize, Math.max(1, loop.config().slabBytes() / slotSize))));
    }

    /** Bytes that are locked in memory for this loop: the chunks that its slots are in, and all it ever sent from. */
    public long registeredBytes() {
        long bytes = 0;
        for (RegistrationIndex index : indexes.values()) {
            bytes += index.registeredBytes();
        }
        return bytes;
    }

    /** Bytes of slots, in use and not. */
    public long slotBytes() {
        long bytes = 0;
        for (SlotPool pool : pools.values()) {
            bytes += pool.bytes();
        }
        return bytes;
    }

    /** The device does not answer any more. Every handle that works on it learns of it, once. */
    void fail(VerbsException cause) {
        if (!failed) {
            LOGGER.error("{} has failed", device, cause);
            failed(new AsyncEvent(AsyncEventType.DEVICE_FATAL, device, 0));
        }
    }

    /** Has everything that is posted come back. */
    void flush() {
        for (QueuePair queuePair : members.keySet()) {
            try {
                queuePair.toError();
            } catch (VerbsException | IllegalStateException e) {
                LOGGER.debug("{} could not be flushed", queuePair, e);
            }
        }
    }

    /** Closes everything, also queue pairs that their handles have left. */
    void close() {
        for (QueuePair queuePair : members.keySet()) {
            LOGGER.warn("{} was not closed by {}", queuePair, members.get(queuePair).owner());
            closer.add(queuePair);
        }
        members.clear();
        byNumber.clear();
        poller.removeAll(this);
        closer.close();
    }

    private static int completions(QueuePairConfig config) {
        return config.maxSends() + config.maxReceives();
    }

    private LoopQueue queueWithRoom(int completions) throws VerbsException {
        for (LoopQueue queue : queues) {
            if (queue.hasRoom(completions)) {
                return queue;
            }
        }
        int entries = Math.max(completions, Math.min(nextEntries(), device.limits().completionQueueEntries()));
        CompletionQueueConfig config = new CompletionQueueConfig(entries)
                .withSingleThreaded(Fallbacks.SINGLE_THREADED_QUEUE.isAllowed())
                .withBatch(loop.config().completionBatch()).withVector(loop.completionVector());
        LoopQueue queue = new LoopQueue(this, closer.add(device.createCompletionQueue(config, channel)),
                config.batch());
        queues.add(queue);
        poller.add(queue);
        return queue;
    }

    /** Each twice as large as the last: all of them are polled, so there should be few. */
    private int nextEntries() {
        int last = queues.isEmpty() ? 0 : queues.get(queues.size() - 1).capacity();
        return last == 0 ? loop.config().completionQueueEntries() : (int) Math.min(2L * last, Integer.MAX_VALUE);
    }

    /** A loop that sleeps often comes here often: without an iterator. */
    private void eventTaken(CompletionQueue source) {
        for (int i = 0; i < queues.size(); i++) {
            LoopQueue queue = queues.get(i);
            if (queue.queue() == source) {
                queue.eventTaken();
            }
        }
    }

    private void onAsyncEvent(AsyncEvent event) {
        switch (event.type()) {
        case DEVICE_FATAL -> {
            LOGGER.error("{} has failed", device);
            failed(event);
        }
        case COMPLETION_QUEUE_ERROR -> queueFailed(event);
        default -> {
            pollBefore(event.source());
            dispatch(event, owners(event.source()));
        }
        }
    }

    /** What a queue pair has received was there before it failed, and often the reason is among its completions. */
    private void pollBefore(VerbsObject source) {
        Member member = source instanceof QueuePair ? members.get(source) : null;
        if (member != null) {
            poller.pollAll(member.queue());
        }
    }

    /** After this nothing is polled, and so nobody waits for completions. */
    private void failed(AsyncEvent event) {
        if (!failed) {
            failed = true;
            Set<RdmaIoRegistration> owners = owners(device);
            dispatch(event, owners);
            owners.forEach(dispatcher::touch);
            if (members.isEmpty()) {
                loop.forget(this);
            }
        }
    }

    /** As {@link #failed}, for those of one queue. Who comes next gets another. */
    private void queueFailed(AsyncEvent event) {
        for (LoopQueue queue : List.copyOf(queues)) {
            if (queue.queue() == event.source() && queue.breakDown()) {
                Set<RdmaIoRegistration> owners = owners(queue.queue());
                LOGGER.error("{} has failed, and with it {} connections", queue.queue(), owners.size());
                dispatch(event, owners);
                owners.forEach(dispatcher::touch);
                closeIfLeft(queue);
            }
        }
    }

    private void closeIfLeft(LoopQueue queue) {
        if (queue.isLeft() && queues.remove(queue)) {
            poller.remove(queue);
            closer.closeNow(queue.queue());
        }
    }

    private void dispatch(AsyncEvent event, Set<RdmaIoRegistration> owners) {
        for (RdmaIoRegistration owner : owners) {
            dispatcher.asyncEvent(owner, event);
        }
    }

    /**
     * Whom an event concerns: who has the queue pair, or who works on the completion queue or the device, of which the
     * members are looked through; but that ends all of them. A copy, for what they do may remove them.
     */
    private Set<RdmaIoRegistration> owners(VerbsObject source) {
        if (source instanceof QueuePair queuePair) {
            Member member = members.get(queuePair);
            return member == null ? Set.of() : Set.of(member.owner());
        }
        Set<RdmaIoRegistration> owners = new LinkedHashSet<>();
        for (Member member : members.values()) {
            if (source == device || source == member.queue().queue()) {
                owners.add(member.owner());
            }
        }
        return owners;
    }

    @Override
    public String toString() {
        return members.size() + " queue pairs and " + queues.size() + " completion queues on " + device;
    }
}
