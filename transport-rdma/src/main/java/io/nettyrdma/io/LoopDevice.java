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

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.memory.PostBatches;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.verbs.CompletionChannel;
import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.VerbsObject;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One loop's objects on one device: a context of its own, so that no loop takes events of another or waits for its
 * locks; a protection domain; completion queues ({@link DeviceQueues}); pools of registered memory. A device that has
 * failed ({@link DeviceFaults}) is closed and forgotten when no queue pair is left.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class LoopDevice {

    /** Maximum of work requests that are posted together: more hardly make a native call cheaper. */
    private static final int BATCH = 16;

    private final RdmaLoop loop;
    private final CompletionPoller poller;
    private final Closer closer = new Closer();
    private final RdmaDevice device;
    private final DeviceMembers members = new DeviceMembers();
    private final DeviceQueues queues;
    private final DeviceFaults faults;
    private final List<LoopDomain> domains = new ArrayList<>();
    /** One of {@link #domains}; {@code null} before it is needed: EFA has as few domains as queue pairs. */
    private LoopDomain shared;
    private final PostBatches batches;
    private final int longestMessage;

    LoopDevice(RdmaLoop loop, String name, EventDispatcher dispatcher, CompletionPoller poller) throws IOException {
        this.loop = loop;
        this.poller = poller;
        try {
            device = closer.add(RdmaDevice.open(name));
            // Without one, completions do not wake the loop.
            CompletionChannel channel = device.capabilities().completionEvents()
                    ? closer.add(device.createCompletionChannel()) : null;
            queues = new DeviceQueues(this, device, channel, loop.config(), loop.completionVector(), poller, closer);
            faults = new DeviceFaults(device, members, queues, dispatcher, poller, loop.counters(),
                    this::forgetIfLeft);
            batches = new PostBatches(BATCH, device.capabilities().maxSendSge());
            longestMessage = longestMessage(device);
            Consumer<CompletionQueue> onEvent = queues::eventTaken;
            if (channel != null) {
                watch(channel.fd(), channel, () -> channel.poll(onEvent));
            }
            watch(device.asyncEvents().fd(), device, () -> device.asyncEvents().poll(faults::onEvent));
            DeviceNotice.give(device.info());
        } catch (IOException | RuntimeException e) {
            closeAll();
            throw e;
        }
    }

    /** The ports of a device may differ; this is what all of them take. */
    private static int longestMessage(RdmaDevice device) throws VerbsException {
        long minBytes = Integer.MAX_VALUE;
        for (int port = 1; port <= device.limits().ports(); port++) {
            minBytes = Math.min(minBytes, device.port(port).maxMessageBytes());
        }
        return (int) Math.max(1, minBytes);
    }

    private void watch(int fd, VerbsObject source, FdWatch.Reader reader) throws IOException {
        FdWatch watch = FdWatch.start(loop, fd, source.toString(), reader);
        closer.add(watch::stop);
    }

    /** {@return the open device} */
    public RdmaDevice device() {
        return device;
    }

    /**
     * {@return the protection domain, and its memory, of all who need none of their own}
     *
     * @throws VerbsException if the call fails, with the reason.
     */
    public LoopDomain domain() throws VerbsException {
        if (shared == null) {
            shared = openDomain();
        }
        return shared;
    }

    /**
     * {@return the protection domain of {@link #domain}}
     *
     * @throws VerbsException if the call fails, with the reason.
     */
    public ProtectionDomain protectionDomain() throws VerbsException {
        return domain().protectionDomain();
    }

    /**
     * Opens a protection domain in addition to the shared one. The owner closes it, or else the end of the loop.
     *
     * @return the new domain.
     * @throws VerbsException if it is refused, with the reason.
     */
    public LoopDomain openDomain() throws VerbsException {
        LoopDomain opened = new LoopDomain(loop, device.createProtectionDomain());
        domains.add(opened);
        return opened;
    }

    /**
     * Closes a domain of {@link #openDomain}, after all that belongs to it. Leaves the shared one alone.
     *
     * @param removed a domain that {@link #openDomain} has returned.
     */
    public void closeDomain(LoopDomain removed) {
        if (removed != shared && domains.remove(removed)) {
            removed.close();
        }
        forgetIfLeft();
    }

    /** {@return the bytes of the longest message, and RDMA write or read, that all ports of the device take} */
    public int longestMessage() {
        return longestMessage;
    }

    /** {@return whether the device completes nothing any more} Its objects can only be closed. */
    public boolean hasFailed() {
        return faults.hasFailed();
    }

    /**
     * Creates a queue pair whose work completes on this loop, and reserves room for all completions that can be
     * outstanding. So the completion queue cannot overflow, as long as no more is posted than was granted.
     *
     * @param owner gets the events of the queue pair, and completions whose work request ids name it: by
     *        {@link RdmaIoRegistration#workRequestIds}, or by {@link WorkRequestId#BY_QUEUE_PAIR}.
     * @param config what is wanted.
     * @return the owner's to close, by {@link #closeQueuePair}.
     * @throws VerbsException if it is refused, with the reason.
     */
    public QueuePair createQueuePair(RdmaIoRegistration owner, QueuePairConfig config) throws VerbsException {
        return createQueuePair(owner, config, domain());
    }

    /**
     * As the other, in a domain of this device.
     *
     * @param owner gets the completions.
     * @param config what is wanted.
     * @param in the domain.
     * @return the owner's to close, by {@link #closeQueuePair}.
     * @throws VerbsException if it is refused, with the reason.
     */
    public QueuePair createQueuePair(RdmaIoRegistration owner, QueuePairConfig config, LoopDomain in)
            throws VerbsException {
        int completions = completions(config);
        while (true) {
            LoopQueue queue = queues.withRoom(completions);
            QueuePair queuePair = in.protectionDomain().createQueuePair(config, queue.queue(), queue.queue());
            completions = completions(queuePair.granted());
            if (queue.hasRoom(completions)) {
                members.add(queuePair, owner, queue, completions);
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
     * @param queuePair of {@link #createQueuePair}.
     * @throws VerbsException if the device refuses. The queue pair is still open then.
     */
    public void closeQueuePair(QueuePair queuePair) throws VerbsException {
        queuePair.close();
        LoopQueue queue = members.remove(queuePair);
        if (queue != null) {
            queues.closeIfLeft(queue);
        }
        forgetIfLeft();
    }

    /** The device has failed and nothing works on it: at most the shared domain is left. */
    private void forgetIfLeft() {
        if (faults.hasFailed() && members.size() == 0 && domains.stream().allMatch(each -> each == shared)) {
            loop.forget(this);
        }
    }

    /**
     * Closes a queue pair on another thread, because its driver may wait for the peer: see {@link RdmaLoop#blocking}.
     * From now on no other call may use it.
     *
     * @param queuePair of {@link #createQueuePair}.
     * @param onReturn has to call {@link #closeQueuePair}, which releases the room, and tries again if the device has
     *        refused.
     */
    public void closeElsewhere(QueuePair queuePair, Runnable onReturn) {
        members.setClosing(queuePair);
        loop.blocking(queuePair::close, failure -> onReturn.run());
    }

    /** The owner of the queue pair with this number; {@code null} if it is closed. A device may reuse the number. */
    RdmaIoRegistration owner(int queuePairNumber) {
        return members.owner(queuePairNumber);
    }

    /** {@return the number of queue pairs that are not closed yet} */
    public int queuePairs() {
        return members.size();
    }

    /** {@return the number of completion queues} Each adds time to every poll of the loop. */
    public int completionQueues() {
        return queues.all().size();
    }

    /**
     * {@return the index of the shared domain: {@link LoopDomain#index}}
     *
     * @param allocator whose memory is registered.
     * @throws VerbsException if the call fails, with the reason.
     */
    public RegistrationIndex index(RdmaByteBufAllocator allocator) throws VerbsException {
        return domain().index(allocator);
    }

    /** {@return batches for posting work requests, which the connections use one after another} */
    public PostBatches batches() {
        return batches;
    }

    /**
     * {@return the pool of the shared domain: {@link LoopDomain#pool}}
     *
     * @param allocator whose memory the slots have.
     * @param headerRoom bytes of a slot in front of the payload.
     * @param slotSizes bytes, from the smallest to the largest.
     * @throws VerbsException if the call fails, with the reason.
     */
    public SlotPool pool(RdmaByteBufAllocator allocator, int headerRoom, int... slotSizes) throws VerbsException {
        return domain().pool(allocator, headerRoom, slotSizes);
    }

    /** {@return the bytes that are pinned for this loop, in all its domains} */
    public long registeredBytes() {
        long bytes = 0;
        for (LoopDomain each : domains) {
            bytes += each.registeredBytes();
        }
        return bytes;
    }

    /** {@return the bytes of all slots, used or free} */
    public long slotBytes() {
        long bytes = 0;
        for (LoopDomain each : domains) {
            bytes += each.slotBytes();
        }
        return bytes;
    }

    /** The device does not answer any more: see {@link DeviceFaults#fail}. */
    void fail(VerbsException cause) {
        faults.fail(cause);
    }

    /** Moves all queue pairs to the error state, which flushes all posted work requests. */
    void flush() {
        members.flush();
    }

    /** Closes everything, including queue pairs that their handles have left open. */
    void close() {
        members.close();
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

    @Override
    public String toString() {
        return members.size() + " queue pairs and " + queues.all().size() + " completion queues on " + device;
    }
}
