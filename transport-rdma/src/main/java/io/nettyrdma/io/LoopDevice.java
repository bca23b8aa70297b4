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
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One loop's objects on one device: a context of its own, so that no loop takes events of another or waits for its
 * locks; a protection domain; completion queues, whose number grows with the queue pairs; pools of registered memory.
 *
 * <pre>
 *   OPEN ---DEVICE_FATAL, or a queue cannot be polled---&gt; FAILED ---no queue pair is left---&gt; closed, forgotten
 * </pre>
 *
 * A completion queue may fail alone, see {@link LoopQueue}. That ends the connections whose work completes there, and
 * no others.
 */
public final class LoopDevice {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(LoopDevice.class);

    /** A queue pair's owner, its entries in a completion queue, and whether another thread closes it. */
    private record Member(RdmaIoRegistration owner, LoopQueue queue, int completions, boolean isLent) {

        Member(RdmaIoRegistration owner, LoopQueue queue, int completions) {
            this(owner, queue, completions, false);
        }

        Member lent() {
            return new Member(owner, queue, completions, true);
        }
    }

    /** Maximum of work requests that are posted together: more hardly make a native call cheaper. */
    private static final int BATCH = 16;

    private final RdmaLoop loop;
    private final EventDispatcher dispatcher;
    private final CompletionPoller poller;
    private final Closer closer = new Closer();
    private final RdmaDevice device;
    /** {@code null} if the device has none: then its completions do not wake the loop. */
    private final CompletionChannel channel;
    private final List<LoopQueue> queues = new ArrayList<>();
    private final Map<QueuePair, Member> members = new IdentityHashMap<>();
    /** Owners of queue pairs by queue pair number. */
    private final IntObjectMap<RdmaIoRegistration> byNumber = new IntObjectHashMap<>();
    private final List<LoopDomain> domains = new ArrayList<>();
    /** One of {@link #domains}; {@code null} before somebody needs it: EFA has as few domains as queue pairs. */
    private LoopDomain shared;
    private final PostBatches batches;
    private final int longestMessage;
    private boolean failed;

    LoopDevice(RdmaLoop loop, String name, EventDispatcher dispatcher, CompletionPoller poller) throws IOException {
        this.loop = loop;
        this.dispatcher = dispatcher;
        this.poller = poller;
        try {
            device = closer.add(RdmaDevice.open(name));
            channel = device.capabilities().completionEvents() ? closer.add(device.createCompletionChannel()) : null;
            batches = new PostBatches(BATCH, device.capabilities().maxSendSge());
            longestMessage = longestMessage(device);
            Consumer<CompletionQueue> onEvent = this::eventTaken;
            if (channel != null) {
                watch(channel.fd(), channel, () -> channel.poll(onEvent));
            }
            watch(device.asyncEvents().fd(), device, () -> device.asyncEvents().poll(this::onAsyncEvent));
            DeviceNotice.give(device.info());
        } catch (IOException | RuntimeException e) {
            closeAll();
            throw e;
        }
    }

    /** The ports of a device may differ; this is what all of them take. */
    private static int longestMessage(RdmaDevice device) throws VerbsException {
        long least = Integer.MAX_VALUE;
        for (int port = 1; port <= device.limits().ports(); port++) {
            least = Math.min(least, device.port(port).maxMessageBytes());
        }
        return (int) Math.max(1, least);
    }

    private void watch(int fd, VerbsObject source, FdWatch.Reader reader) throws IOException {
        FdWatch watch = FdWatch.start(loop, fd, source.toString(), reader);
        closer.add(watch::stop);
    }

    public RdmaDevice device() {
        return device;
    }

    /** The protection domain, and its memory, of all who need none of their own. */
    public LoopDomain domain() throws VerbsException {
        if (shared == null) {
            shared = openDomain();
        }
        return shared;
    }

    /** Of {@link #domain}. */
    public ProtectionDomain protectionDomain() throws VerbsException {
        return domain().protectionDomain();
    }

    /** Opens a protection domain besides the one that all share. The owner closes it, or else the end of the loop. */
    public LoopDomain openDomain() throws VerbsException {
        LoopDomain opened = new LoopDomain(loop, device.createProtectionDomain());
        domains.add(opened);
        return opened;
    }

    /** Closes a domain of {@link #openDomain}, after all that belongs to it. Leaves the shared one alone. */
    public void closeDomain(LoopDomain left) {
        if (left != shared && domains.remove(left)) {
            left.close();
        }
        forgetIfLeft();
    }

    /** Bytes of the longest message, and RDMA write or read, that all ports of the device take. */
    public int longestMessage() {
        return longestMessage;
    }

    /** Whether the device completes nothing any more. Its objects can only be closed. */
    public boolean hasFailed() {
        return failed;
    }

    /**
     * Creates a queue pair whose work completes on this loop, and reserves room for all completions that can be
     * outstanding. So the completion queue cannot overflow, as long as no more is posted than was granted.
     *
     * @param owner gets the events of the queue pair, and completions whose work request ids name it: by
     *        {@link RdmaIoRegistration#workRequestIds}, or by {@link WorkRequestId#BY_QUEUE_PAIR}.
     */
    public QueuePair createQueuePair(RdmaIoRegistration owner, QueuePairConfig config) throws VerbsException {
        return createQueuePair(owner, config, domain());
    }

    /** As the other, in a domain of this device. */
    public QueuePair createQueuePair(RdmaIoRegistration owner, QueuePairConfig config, LoopDomain in)
            throws VerbsException {
        int completions = completions(config);
        while (true) {
            LoopQueue queue = queueWithRoom(completions);
            QueuePair queuePair = in.protectionDomain().createQueuePair(config, queue.queue(), queue.queue());
            completions = completions(queuePair.granted());
            if (queue.hasRoom(completions)) {
                queue.reserve(completions);
                members.put(queuePair, new Member(owner, queue, completions));
                byNumber.put(queuePair.number(), owner);
                owner.completesIn(queue);
                return queuePair;
            }
            // The device grants more than was requested. Find a queue that has room for that.
            queuePair.close();
        }
    }

    /**
     * Closes a queue pair of this device and releases its room. After this none of its work requests accesses memory
     * any more. Some devices complete them nevertheless; their handle gets these completions while it is registered.
     *
     * @throws VerbsException if the device refuses. The queue pair is still open then.
     */
    public void closeQueuePair(QueuePair queuePair) throws VerbsException {
        queuePair.close();
        Member member = members.remove(queuePair);
        if (member != null) {
            // closeElsewhere may have destroyed the queue pair earlier, and a new one may have its number.
            if (byNumber.get(queuePair.number()) == member.owner()) {
                byNumber.remove(queuePair.number());
            }
            member.queue().release(member.completions());
            closeIfLeft(member.queue());
        }
        forgetIfLeft();
    }

    /** The device has failed and nothing works on it: at most the shared domain is left. */
    private void forgetIfLeft() {
        if (failed && members.isEmpty() && domains.stream().allMatch(each -> each == shared)) {
            loop.forget(this);
        }
    }

    /**
     * Closes a queue pair on another thread, because its driver may wait for the peer: see {@link RdmaLoop#blocking}.
     * From now on nobody else may use it.
     *
     * @param onReturn has to call {@link #closeQueuePair}, which releases the room, and tries again if the device has
     *        refused.
     */
    public void closeElsewhere(QueuePair queuePair, Runnable onReturn) {
        members.computeIfPresent(queuePair, (key, member) -> member.lent());
        loop.blocking(queuePair::close, failure -> onReturn.run());
    }

    /** The owner of the queue pair with this number; {@code null} if it is closed. A device may reuse the number. */
    RdmaIoRegistration owner(int queuePairNumber) {
        return byNumber.get(queuePairNumber);
    }

    /** The number of queue pairs that are not closed yet. */
    public int queuePairs() {
        return members.size();
    }

    /** The number of completion queues. Each adds time to every poll of the loop. */
    public int completionQueues() {
        return queues.size();
    }

    /** Of the shared domain: {@link LoopDomain#index}. */
    public RegistrationIndex index(RdmaByteBufAllocator allocator) throws VerbsException {
        return domain().index(allocator);
    }

    /** Batches for posting work requests, which the connections use one after another. */
    public PostBatches batches() {
        return batches;
    }

    /** Of the shared domain: {@link LoopDomain#pool}. */
    public SlotPool pool(RdmaByteBufAllocator allocator, int slotSize, int headerRoom) throws VerbsException {
        return domain().pool(allocator, slotSize, headerRoom);
    }

    /** Bytes that are pinned for this loop, in all its domains. */
    public long registeredBytes() {
        long bytes = 0;
        for (LoopDomain each : domains) {
            bytes += each.registeredBytes();
        }
        return bytes;
    }

    /** Bytes of all slots, used or free. */
    public long slotBytes() {
        long bytes = 0;
        for (LoopDomain each : domains) {
            bytes += each.slotBytes();
        }
        return bytes;
    }

    /** The device does not answer any more. Notifies every handle that works on it, once. */
    void fail(VerbsException cause) {
        if (!failed) {
            LOGGER.error("{} has failed", device, cause);
            failed(new AsyncEvent(AsyncEventType.DEVICE_FATAL, device, 0));
        }
    }

    /** Moves all queue pairs to the error state, which flushes all posted work requests. */
    void flush() {
        members.forEach((queuePair, member) -> {
            // Its handle may be gone at any time.
            if (!member.isLent()) {
                flush(queuePair);
            }
        });
    }

    private static void flush(QueuePair queuePair) {
        try {
            queuePair.toError();
        } catch (VerbsException | IllegalStateException e) {
            LOGGER.debug("{} could not be flushed", queuePair, e);
        }
    }

    /** Closes everything, including queue pairs that their handles have left open. */
    void close() {
        Closer left = new Closer();
        for (QueuePair queuePair : members.keySet()) {
            LOGGER.warn("{} was not closed by {}", queuePair, members.get(queuePair).owner());
            left.add(queuePair);
        }
        left.close();
        members.clear();
        byNumber.clear();
        poller.removeAll(this);
        closeAll();
    }

    private void closeAll() {
        domains.forEach(LoopDomain::close);
        domains.clear();
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
                .withSenderGids(device.capabilities().senderGids())
                .withBatch(loop.config().completionBatch()).withVector(loop.completionVector());
        CompletionQueue created = channel == null ? device.createCompletionQueue(config)
                : device.createCompletionQueue(config, channel);
        LoopQueue queue = new LoopQueue(this, closer.add(created), config.batch(), channel != null);
        queues.add(queue);
        poller.add(queue);
        return queue;
    }

    /** Each queue is twice as large as the last: all of them are polled, so there should be few. */
    private int nextEntries() {
        int last = queues.isEmpty() ? 0 : queues.get(queues.size() - 1).capacity();
        return last == 0 ? loop.config().completionQueueEntries() : (int) Math.min(2L * last, Integer.MAX_VALUE);
    }

    /** A loop that sleeps often calls this often, so it allocates no iterator. */
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

    /** Handles completions that preceded the failure of a queue pair: often the reason is among them. */
    private void pollBefore(VerbsObject source) {
        Member member = source instanceof QueuePair ? members.get(source) : null;
        if (member != null) {
            poller.pollAll(member.queue());
        }
    }

    /** After this nothing is polled, so registrations do not wait for completions any more. */
    private void failed(AsyncEvent event) {
        if (!failed) {
            failed = true;
            Set<RdmaIoRegistration> owners = owners(device);
            dispatch(event, owners);
            owners.forEach(dispatcher::markAffected);
            forgetIfLeft();
        }
    }

    /** As {@link #failed}, for the registrations of one queue. New queue pairs get another queue. */
    private void queueFailed(AsyncEvent event) {
        for (LoopQueue queue : List.copyOf(queues)) {
            if (queue.queue() == event.source() && queue.breakDown()) {
                Set<RdmaIoRegistration> owners = owners(queue.queue());
                LOGGER.error("{} has failed, and with it {} channels", queue.queue(), owners.size());
                dispatch(event, owners);
                owners.forEach(dispatcher::markAffected);
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
     * The registrations affected by an event of a queue pair, a completion queue or the device. The search through all
     * members is rare, because such an event ends all that it finds. The set is a copy, because handling the event may
     * remove members.
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
