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
package io.nettyrdma.testsuite.io;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.cm.CmConnectionParameters;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.cm.CmQueuePair;
import io.nettyrdma.io.LoopDevice;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.io.RdmaLoop;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.SendBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/**
 * One end of a minimal connection that uses everything that a loop provides: it sends and receives numbers. Call its
 * methods on the loop's thread; its futures may be used on any thread.
 */
final class TestConnection implements RdmaIoHandle {

    /** The number of sends, and of receives, that can be outstanding. */
    static final int DEPTH = 8;

    private static final int RESOLVE_MILLIS = 5000;
    private static final int EADDRINUSE = 98;
    private static final int SLOT_SIZE = 64;

    final CompletableFuture<TestConnection> connected = new CompletableFuture<>();
    /** Completed on deregistration with the number of work requests that were outstanding then. */
    final CompletableFuture<Integer> ended = new CompletableFuture<>();
    final List<AsyncEvent> asyncEvents = new CopyOnWriteArrayList<>();
    /** Work requests that failed. */
    final AtomicInteger failures = new AtomicInteger();

    private final SendBatch sends = new SendBatch(1, 1);
    private final ReceiveBatch receives = new ReceiveBatch(DEPTH, 1);
    private final LongConsumer onNumber;
    private final Queue<Long> waiting = new ArrayDeque<>();
    private IoRegistration wrapper;
    private RdmaIoRegistration registration;
    private RdmaLoop loop;
    private CmId id;
    private LoopDevice device;
    private SlotPool pool;
    private QueuePair queuePair;
    private CmQueuePair link;
    /** Slots that the device is using. */
    private final Set<Integer> posted = new HashSet<>();
    private int sending;
    private int receiving;
    private boolean ignoresClose;
    private boolean byQueuePair;

    TestConnection(LongConsumer onNumber) {
        this.onNumber = onNumber;
    }

    static TestConnection connect(IoEventLoop loop, InetSocketAddress to, LongConsumer onNumber) {
        TestConnection connection = new TestConnection(onNumber);
        connection.register(loop, () -> connection.dial(to));
        return connection;
    }

    /** Its work requests name the queue pair number as their owner. */
    static TestConnection connectByQueuePair(IoEventLoop loop, InetSocketAddress to, LongConsumer onNumber) {
        TestConnection connection = new TestConnection(onNumber);
        connection.byQueuePair = true;
        connection.register(loop, () -> connection.dial(to));
        return connection;
    }

    static TestConnection accept(IoEventLoop loop, CmEvent request, LongConsumer onNumber) {
        TestConnection connection = new TestConnection(onNumber);
        connection.register(loop, () -> connection.answer(request));
        return connection;
    }

    /** A handle that does nothing. */
    static TestConnection idle() {
        return new TestConnection(number -> { });
    }

    interface Step {
        void run() throws IOException;
    }

    private void register(IoEventLoop eventLoop, Step then) {
        eventLoop.register(this).addListener(future -> {
            if (!future.isSuccess()) {
                connected.completeExceptionally(future.cause());
                return;
            }
            wrapper = (IoRegistration) future.getNow();
            registration = wrapper.attachment();
            loop = registration.loop();
            attempt(then);
        });
    }

    RdmaIoRegistration registration() {
        return registration;
    }

    /** The registration as the event loop returned it. */
    IoRegistration wrapper() {
        return wrapper;
    }

    /** Makes it stay open when the loop or the peer closes it. */
    void ignoreClose() {
        ignoresClose = true;
    }

    private long id(WorkRequestId.Kind kind, int slot) {
        long owner = byQueuePair ? WorkRequestId.ofOwner(WorkRequestId.BY_QUEUE_PAIR) : registration.workRequestIds();
        return WorkRequestId.of(owner, kind, slot);
    }

    private int takeSlot() throws IOException {
        int slot = pool.take(0);
        posted.add(slot);
        return slot;
    }

    private void giveSlot(int slot) {
        posted.remove(slot);
        pool.give(slot);
    }

    int slotsInUse() {
        return pool.inUse();
    }

    /** Makes all work complete, without changing the registration. */
    void flush() {
        attempt(queuePair::toError);
    }

    LoopDevice device() {
        return device;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Sends a number when the queue has room. A loop that always has tasks would not poll completions meanwhile. */
    void send(long number) {
        waiting.add(number);
        attempt(this::post);
    }

    /** Writes to memory of the peer without a valid key. The peer's device reports an asynchronous error. */
    void trespass() {
        attempt(() -> {
            int slot = takeSlot();
            sends.clear();
            sends.write(id(WorkRequestId.Kind.WRITE, slot), 0, 0)
                    .sge(pool.address(slot), Long.BYTES, pool.localKey(slot)).signaled();
            queuePair.post(sends);
            sending++;
        });
    }

    /**
     * Posts nothing before the connection is established, because the peer's first number can overtake its RTU. Posts
     * receives first: the answer may arrive at once, and on iWARP a message without a receive ends the connection.
     */
    private void post() throws IOException {
        if (connected.isDone()) {
            postReceives();
            postSends();
        }
    }

    private void postSends() throws IOException {
        for (; sending < DEPTH && !waiting.isEmpty() && wrapper.isValid(); sending++) {
            int slot = takeSlot();
            pool.buffer(slot).putLong(pool.offset(slot), waiting.remove());
            sends.clear();
            sends.send(id(WorkRequestId.Kind.SEND, slot))
                    .sge(pool.address(slot), Long.BYTES, pool.localKey(slot)).signaled();
            try {
                queuePair.post(sends);
            } catch (PostException e) {
                // On iWARP, if the connection ended before the event arrived.
                giveSlot(slot);
                throw e;
            }
        }
    }

    @Override
    public int outstandingWork() {
        return sending + receiving;
    }

    @Override
    public void handle(IoRegistration given, IoEvent given2) {
        RdmaIoEvent event = (RdmaIoEvent) given2;
        switch (event.kind()) {
        case COMPLETION -> completed(event.completion());
        case COMPLETIONS_DONE -> attempt(this::post);
        case CM_EVENT -> attempt(() -> onEvent(event.cmEvent()));
        case ASYNC_EVENT -> asyncEvents.add(event.asyncEvent());
        default -> throw new AssertionError(event);
        }
    }

    private void completed(WorkCompletion completion) {
        int slot = WorkRequestId.number(completion.workRequestId());
        boolean receive = WorkRequestId.kind(completion.workRequestId()) == WorkRequestId.Kind.RECEIVE;
        if (receive) {
            receiving--;
        } else {
            sending--;
        }
        boolean received = receive && completion.isSuccess();
        if (!completion.isSuccess()) {
            failures.incrementAndGet();
        }
        long number = received ? pool.buffer(slot).getLong(pool.offset(slot)) : 0;
        giveSlot(slot);
        if (received) {
            onNumber.accept(number);
        }
    }

    private void dial(InetSocketAddress to) throws IOException {
        id = CmId.create(loop.cmEventChannel(), CmPortSpace.TCP);
        loop.attach(id, registration);
        id.resolveAddress(null, to, Deadline.scaledMillis(RESOLVE_MILLIS));
    }

    private void answer(CmEvent request) throws IOException {
        id = request.newId();
        loop.migrate(id, registration);
        createQueuePair();
        link.accept(request, CmConnectionParameters.DEFAULT);
    }

    private void createQueuePair() throws IOException {
        device = loop.device(id.deviceName());
        pool = device.pool(RdmaByteBufAllocator.DEFAULT, 0, SLOT_SIZE);
        queuePair = device.createQueuePair(registration, new QueuePairConfig(QueuePairType.RC, DEPTH));
        link = new CmQueuePair(id, queuePair);
        link.prepare();
        postReceives();
    }

    /** Not after a failure: in the error state each receive would be flushed at once and posted again, endlessly. */
    private void postReceives() throws IOException {
        int count = DEPTH - receiving;
        if (count == 0 || failures.get() > 0 || !wrapper.isValid()) {
            return;
        }
        receives.clear();
        int[] slots = new int[count];
        for (int i = 0; i < count; i++) {
            int slot = takeSlot();
            slots[i] = slot;
            receives.receive(id(WorkRequestId.Kind.RECEIVE, slot))
                    .sge(pool.address(slot), SLOT_SIZE, pool.localKey(slot));
        }
        try {
            queuePair.post(receives);
        } catch (PostException e) {
            for (int slot : slots) {
                giveSlot(slot);
            }
            throw e;
        }
        receiving = DEPTH;
    }

    private void onEvent(CmEvent event) throws IOException {
        if (event.type().isFailure()) {
            throw new IOException(event.toString());
        }
        switch (event.type()) {
        case ADDR_RESOLVED -> {
            if (link == null) {
                createQueuePair();
            } else {
                link = link.withId(id);
            }
            id.resolveRoute(Deadline.scaledMillis(RESOLVE_MILLIS));
        }
        case ROUTE_RESOLVED -> ask();
        case CONNECT_RESPONSE -> {
            link.establish(event);
            mayWork();
        }
        case ESTABLISHED -> {
            link.established();
            mayWork();
        }
        case DISCONNECTED -> close();
        default -> {
        }
        }
    }

    /** On iWARP the port that the connection manager chose may be in use; a new id gets a new port. */
    private void ask() throws IOException {
        try {
            link.connect(CmConnectionParameters.DEFAULT);
        } catch (VerbsException e) {
            if (e.errno() != EADDRINUSE) {
                throw e;
            }
            loop.close(id);
            dial(id.peerAddress());
        }
    }

    private void mayWork() throws IOException {
        connected.complete(this);
        post();
    }

    private void attempt(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            connected.completeExceptionally(e);
            close();
        }
    }

    /** Disconnects, which notifies the peer. */
    @Override
    public void close() {
        if (ignoresClose || !wrapper.isValid()) {
            return;
        }
        wrapper.cancel();
        if (link != null) {
            try {
                link.disconnect();
            } catch (IOException | IllegalStateException e) {
                // It was never connected, or the device is gone.
            }
        }
    }

    @Override
    public void unregistered() {
        try {
            if (queuePair != null) {
                device.closeQueuePair(queuePair);
                // Requests that never completed, because a loop that ends does not wait without limit.
                List.copyOf(posted).forEach(this::giveSlot);
            }
            if (id != null) {
                loop.detach(id);
                id.close();
            }
        } catch (IOException e) {
            ended.completeExceptionally(e);
            throw new UncheckedIOException(e);
        } finally {
            ended.complete(outstandingWork());
        }
    }
}
