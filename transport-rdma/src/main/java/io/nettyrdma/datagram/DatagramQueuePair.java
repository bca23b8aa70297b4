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
package io.nettyrdma.datagram;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.io.LoopDevice;
import io.nettyrdma.io.LoopDomain;
import io.nettyrdma.io.RdmaIoOps;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.memory.Exposures;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairAttributes;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkCompletionStatus;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The engine of a datagram channel: its queue pair, with what it sends ({@link DatagramOutput}), receives ({@link
 * DatagramReceives}) and knows of peers ({@link DatagramPeers}). It knows no Netty channel, and reports to one by
 * {@link DatagramEvents}. The {@link DatagramHandle} opens it, and passes on what the loop dispatches. It outlives its
 * channel by what was flushed before the close:
 *
 * <pre>
 *   OPEN --leave()--&gt; LINGERING --flushed sends ended, or after a second--&gt; CLOSING --destroyed--&gt; CLOSED
 * </pre>
 *
 * While it is LINGERING it receives nothing, and lets peers access nothing.
 *
 * <p>Unless {@link DatagramService#failsAlone}, a send that fails moves the device's queue to SQE, which flushes all
 * others. The output pauses then, and resumes when all have ended.
 *
 * <p>Belongs to the event loop, unless a member says otherwise.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class DatagramQueuePair {

    private enum State { OPEN, LINGERING, CLOSING, CLOSED }

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(DatagramQueuePair.class);
    /** As for streams: decision 15. Where a device has less, that. */
    private static final int INLINE = 80;
    /** Without memory for receives, until the next attempt. */
    private static final int RETRY_MILLIS = 10;
    /** As long as the end of a loop waits for work in flight. */
    private static final int LINGER_MILLIS = 1_000;

    private final RdmaIoRegistration registration;
    private final LoopDevice device;
    /** The channel's own, or the one that the loop's channels share. */
    private final LoopDomain domain;
    private final QueuePair queuePair;
    private final DatagramService service;
    private final DatagramAddress address;
    private final RdmaCounters counters;
    private final DatagramOutput output;
    private final DatagramReceives receives;
    private final PeerHandles handles;
    private final DatagramPeers peers;
    private final Exposures exposures;
    private final OutgoingChecks checks;
    private final DatagramEvents events;
    private final EventExecutor loop;
    private DatagramConfig granted;
    private State state = State.OPEN;
    private boolean retryScheduled;
    /** {@code null} before it is LINGERING. */
    private Future<?> linger;

    private DatagramQueuePair(RdmaIoRegistration registration, LoopDevice device, LoopDomain domain,
                              QueuePairConfig requested, DatagramPort port, DatagramService service,
                              DatagramConfig config, EventExecutor loop, DatagramEvents events)
            throws VerbsException {
        this.registration = registration;
        this.device = device;
        this.domain = domain;
        this.service = service;
        this.events = events;
        this.loop = loop;
        RdmaByteBufAllocator allocator = config.slots();
        SlotPool pool = domain.pool(allocator, service.header(), service.header() + service.maxDatagram());
        // Nothing fails after it, so it need not be closed here.
        queuePair = device.createQueuePair(registration, requested, domain);
        address = new DatagramAddress(port.source().gid(), queuePair.number(), config.queueKey());
        counters = registration.loop().counters();
        long ids = registration.workRequestIds();
        DatagramSends sends = new DatagramSends(queuePair, requested.maxSends(), config.zeroCopyThreshold(),
                device.batches(), pool, allocator, domain.index(allocator), counters, ids, service.failures(),
                this::sendEnded);
        handles = new PeerHandles(HandleLoop.of(registration), domain.protectionDomain(), port,
                service.numberedHandles(), Math.min(config.peers(), device.device().limits().addressHandles()),
                new Handles());
        peers = new DatagramPeers(handles, loop);
        output = new DatagramOutput(sends, handles, counters, config.queueKey(), this::revisit);
        receives = new DatagramReceives(queuePair, requested.maxReceives(), device.batches(), pool,
                new DatagramSenders(handles, service.numberedHandles()), config.allocator(), counters, ids,
                config.immediates(), events);
        exposures = new Exposures(domain.protectionDomain(), loop);
        checks = new OutgoingChecks(service, address, domain.index(allocator));
    }

    /**
     * Creates the queue pair, posts its receives, and makes it ready to send.
     *
     * @param registration of the handle that passes on completions.
     * @param device of the loop that the registration belongs to.
     * @param services says what the datagrams are like on the device.
     * @param config what is wanted.
     * @param loop the event loop of that registration.
     * @param events gets reports.
     * @return the caller's to close.
     * @throws IOException if it is refused, with the reason.
     */
    static DatagramQueuePair open(RdmaIoRegistration registration, LoopDevice device, DatagramService.Source services,
                                  DatagramConfig config, EventExecutor loop, DatagramEvents events)
            throws IOException {
        DatagramPort port = DatagramPort.of(device.device());
        DatagramService service = services.on(device.device(), port.attributes());
        int maxRequests = device.device().limits().workRequests();
        QueuePairConfig requested = new QueuePairConfig(service.type(), 1)
                .withDepth(Math.min(maxRequests, config.sends()), Math.min(maxRequests, config.receives()))
                .withInline(Math.min(INLINE, device.device().capabilities().maxInline()))
                .withServiceLevel(config.serviceLevel());
        LoopDomain domain = service.numberedHandles() ? device.openDomain() : device.domain();
        DatagramQueuePair opened;
        try {
            opened = new DatagramQueuePair(registration, device, domain, requested, port, service, config, loop,
                    events);
        } catch (IOException | RuntimeException | Error e) {
            device.closeDomain(domain);
            throw e;
        }
        try {
            opened.begin(port, config, requested.maxSends());
            return opened;
        } catch (IOException | RuntimeException | Error e) {
            opened.close();
            throw e;
        }
    }

    private void begin(DatagramPort port, DatagramConfig config, int maxSends) throws IOException {
        queuePair.modify(new QueuePairAttributes().state(QueuePairState.INIT).partitionKeyIndex(0)
                .port(port.number()).queueKey(address.queueKey()));
        IOException exhausted = receives.fill();
        if (!receives.hasPosted()) {
            throw exhausted;
        }
        queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        QueuePairAttributes sending = new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(0);
        if (service.rnrRetryCount() != DatagramService.DEVICE_DECIDES) {
            sending.rnrRetry(service.rnrRetryCount());
        }
        queuePair.modify(sending);
        granted = config.granted(maxSends, receives.depth(), handles.maxPeers(), queuePair.granted().serviceLevel());
    }

    // ---- what it is; any thread ----

    /** {@return what it has, which may be less than was wanted} */
    public DatagramConfig granted() {
        return granted;
    }

    /** {@return what the datagrams are like} */
    public DatagramService service() {
        return service;
    }

    /** {@return the address of this queue pair, with its key} */
    public DatagramAddress address() {
        return address;
    }

    /** {@return the device of the queue pair} */
    public RdmaDeviceInfo device() {
        return device.device().info();
    }

    /** {@return what this queue pair knows of peers} */
    public DatagramPeers peers() {
        return peers;
    }

    // ---- out ----

    /**
     * Makes a datagram, write or read of what a program writes.
     *
     * @param content for which {@link OutgoingDatagram#isContent} is true. The result takes over a reference; the
     *        caller keeps it if this throws.
     * @param recipient {@code null} for the peer of a connected channel.
     * @param promise the result completes it, once.
     * @return what was written; it has its own reference to the content.
     * @throws DatagramException if no peer would accept it; an unchecked exception says what else is wrong with it.
     */
    public OutgoingDatagram outgoing(Object content, DatagramAddress recipient, Promise<Void> promise)
            throws DatagramException {
        return checks.outgoing(content, recipient == null ? peers.peer() : recipient, promise);
    }

    /**
     * Sends what was {@link OutgoingDatagram#take taken}; {@link #flush} posts it.
     *
     * @param datagram taken, and not sent before.
     * @throws VerbsException if the call fails, with the reason.
     */
    public void send(OutgoingDatagram datagram) throws VerbsException {
        output.take(datagram);
    }

    /**
     * Posts what was sent, as far as there is room; the rest follows when there is.
     *
     * @throws VerbsException if the call fails, with the reason.
     */
    public void flush() throws VerbsException {
        output.sendWaiting();
        output.flushed();
        reportPending();
    }

    private void reportPending() {
        events.pending(output.pending(), output.pendingBytes());
    }

    private void sendEnded(OutgoingDatagram datagram, DatagramException failure) {
        output.sendEnded(datagram, failure);
    }

    // ---- completions ----

    /**
     * A work request of this queue pair has completed.
     *
     * @param completion valid until the call returns.
     */
    void completed(WorkCompletion completion) {
        if (isClosed()) {
            return;
        }
        int number = WorkRequestId.number(completion.workRequestId());
        if (WorkRequestId.kind(completion.workRequestId()) == WorkRequestId.Kind.RECEIVE) {
            received(number, completion);
        } else {
            sent(number, completion);
        }
    }

    private void received(int slot, WorkCompletion completion) {
        if (state == State.LINGERING) {
            receives.unused(slot);
            return;
        }
        if (!completion.isSuccess()) {
            receives.unused(slot);
            if (completion.status() != WorkCompletionStatus.FLUSHED) {
                fail(new IOException("a receive of " + queuePair + " failed: " + completion));
            }
            return;
        }
        if (!receives.received(slot, completion, peers.wanted())) {
            counters.increment(RdmaCounter.DATAGRAMS_DROPPED);
        }
        if (!receives.hasPosted()) {
            counters.increment(RdmaCounter.RECEIVES_EXHAUSTED);
        }
    }

    private void sent(int entry, WorkCompletion completion) {
        if (!completion.isSuccess() && !service.failsAlone()) {
            output.pause();
        }
        output.completed(entry, completion);
        reportPending();
        if (output.isPaused() && output.inFlight() == 0) {
            try {
                queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTS));
                output.resume();
            } catch (VerbsException e) {
                fail(e);
            }
        }
    }

    /** All that had completed is handed out, of this turn of the loop. Also for what was flushed before the end. */
    void completionsDone() {
        if (state == State.OPEN) {
            replenish();
            events.batchReceived();
        }
        if (isClosed()) {
            return;
        }
        try {
            handles.advance();
            output.endRefused();
            output.sendWaiting();
        } catch (VerbsException e) {
            fail(e);
            return;
        }
        if (state == State.LINGERING && output.pending() == 0) {
            close();
        }
        reportPending();
    }

    /**
     * It cannot be used any more. Datagrams flushed before the channel was closed fail then.
     *
     * @param cause the reason for the promises.
     */
    void fail(IOException cause) {
        if (state == State.OPEN) {
            events.failed(cause);
        } else {
            close();
        }
    }

    // ---- in ----

    /** One datagram or immediate that was received is unread no longer. */
    public void read() {
        receives.read();
    }

    /** Posts all receives that there is room for. If memory is missing, it tries again by itself. */
    public void replenish() {
        if (state != State.OPEN) {
            return;
        }
        try {
            IOException exhausted = receives.fill();
            if (exhausted != null) {
                counters.increment(RdmaCounter.RECEIVES_HELD_BACK);
                LOGGER.debug("{} has fewer receives than it should", queuePair, exhausted);
                retrySoon();
            }
        } catch (VerbsException e) {
            fail(e);
        }
    }

    private void retrySoon() {
        if (!retryScheduled) {
            retryScheduled = true;
            loop.schedule(() -> {
                retryScheduled = false;
                replenish();
            }, RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * See {@link Exposures#expose}.
     *
     * @param buffer see there.
     * @param access see there.
     * @return the memory.
     * @throws IOException if it is refused, with the reason.
     */
    public ExposedMemory expose(ByteBuf buffer, MemoryAccess... access) throws IOException {
        return exposures.expose(buffer, access);
    }

    @Override
    public String toString() {
        return queuePair.toString();
    }

    private void revisit() {
        registration.submit(RdmaIoOps.REVISIT);
    }

    /**
     * {@return the number of calls that use the protection domain, and of what was flushed before the channel was
     * closed}
     */
    int outstandingWork() {
        return handles.calls() + (state == State.LINGERING ? output.pending() : 0);
    }

    // ---- end ----

    /** Whether the device has nothing to do with it any more, or never lets go of it. */
    boolean isClosed() {
        return state == State.CLOSING || state == State.CLOSED;
    }

    /** The channel is closed. Datagrams flushed before are still sent. */
    public void leave() {
        exposures.closeAll();
        if (output.pending() == 0) {
            close();
            return;
        }
        state = State.LINGERING;
        try {
            linger = loop.schedule(this::lingered, LINGER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // The loop ends, and waits as long for outstanding work.
            LOGGER.trace("{} has no time limit of its own", queuePair, e);
        }
    }

    private void lingered() {
        counters.increment(RdmaCounter.DEPARTURES_TIMED_OUT);
        close();
    }

    /** Destroys the queue pair, if that was not done. Datagrams that have not ended fail. */
    void close() {
        if (isClosed()) {
            return;
        }
        state = State.CLOSING;
        if (linger != null) {
            linger.cancel(false);
        }
        try {
            device.closeQueuePair(queuePair);
        } catch (VerbsException e) {
            // The device may still access the memory, which stays referenced, and so do the address handles.
            LOGGER.warn("{} is left open", queuePair, e);
            output.close(false);
            return;
        }
        state = State.CLOSED;
        output.close(true);
        receives.release();
        exposures.closeAll();
        handles.close();
        closeDomainIfLeft();
        revisit();
    }

    /** Address handles are destroyed on another thread. */
    private void closeDomainIfLeft() {
        if (state == State.CLOSED && handles.calls() == 0) {
            device.closeDomain(domain);
        }
    }

    private final class Handles implements PeerHandles.Listener {

        @Override
        public void ready(PeerHandle peer) {
            output.ready(peer);
        }

        @Override
        public void failed(PeerHandle peer, Throwable cause) {
            output.failed(peer, cause);
        }

        /** The loop continues with what has become ready, or the registration ends. */
        @Override
        public void returned() {
            closeDomainIfLeft();
            revisit();
        }
    }
}
