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
package io.nettyrdma.testsuite.support;

import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.CompletionChannel;
import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.CompletionQueueConfig;
import io.nettyrdma.verbs.Fallbacks;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairAttributes;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.SendBatch;
import io.nettyrdma.verbs.SharedReceiveQueue;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * One side of a connection: a queue pair with all that it needs, created on the device under test and closed in order.
 * Sends and receives complete on separate queues, so that tests can await one or the other.
 */
public final class Endpoint implements Peer {

    private static final int PSN = 0x123456;

    private final Closer closer = new Closer();
    /** Resources that work requests refer to. Closed after the queues and before the protection domain. */
    private final Closer owned = new Closer();
    private final ApiVariant variant;
    private final ProtectionDomain domain;
    private final CompletionChannel channel;
    private final Completions sends;
    private final Completions receives;
    private final QueuePair queuePair;
    private final SendBatch sendBatch;
    private final ReceiveBatch receiveBatch;
    private CmLink link;

    /** Creates a queue pair in RESET that shares nothing. */
    public Endpoint(ApiVariant variant, QueuePairConfig config) throws VerbsException {
        this(variant, config, null, null, 0);
    }

    /** Creates a queue pair in RESET that shares nothing, with {@code completions} entries in each completion queue. */
    public Endpoint(ApiVariant variant, QueuePairConfig config, int completions) throws VerbsException {
        this(variant, config, null, null, completions);
    }

    /**
     * Creates a queue pair in RESET in a protection domain of the caller.
     *
     * @param sharedDomain {@code null} to create one.
     * @param shared the shared receive queue; {@code null} for a receive queue of its own.
     */
    public Endpoint(ApiVariant variant, QueuePairConfig config, ProtectionDomain sharedDomain,
                    SharedReceiveQueue shared) throws VerbsException {
        this(variant, config, sharedDomain, shared, 0);
    }

    /** @param completions entries of each completion queue; 0 for as many as can be outstanding. */
    private Endpoint(ApiVariant variant, QueuePairConfig config, ProtectionDomain sharedDomain,
                     SharedReceiveQueue shared, int completions) throws VerbsException {
        RdmaDevice device = TestDevice.get().device();
        variant.assumeAvailable(device.capabilities());
        assumeTrue(config.type() != QueuePairType.RC || device.capabilities().reliableConnection(),
                "no reliable connections (RC)");
        this.variant = variant;
        try {
            domain = sharedDomain != null ? sharedDomain : closer.add(device.createProtectionDomain());
            closer.add(owned);
            channel = device.capabilities().completionEvents() ? closer.add(device.createCompletionChannel()) : null;
            sends = queue(config.maxSends(), completions);
            receives = queue(shared != null ? shared.maxReceives() : config.maxReceives(), completions);
            queuePair = closer.add(shared == null
                    ? domain.createQueuePair(config, sends.queue(), receives.queue())
                    : domain.createQueuePair(config, sends.queue(), receives.queue(), shared));
            assertThat(queuePair.granted().extended()).as("ibv_wr_*").isEqualTo(variant.extendedPair());
        } catch (Throwable e) {
            closer.closeAfter(e);
            throw e;
        }
        sendBatch = new SendBatch(config.maxSends(), Math.max(1, config.sendSge()));
        receiveBatch = new ReceiveBatch(Math.max(1, config.maxReceives()), Math.max(1, config.receiveSge()));
    }

    public ProtectionDomain domain() {
        return domain;
    }

    /** The completion channel of both queues. */
    public CompletionChannel channel() {
        assumeTrue(channel != null, "no completion events");
        return channel;
    }

    @Override
    public Completions sends() {
        return sends;
    }

    @Override
    public Completions receives() {
        return receives;
    }

    public QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public TestMemory memory(int size) throws VerbsException {
        return memory(size, TestMemory.ALL_ACCESS);
    }

    @Override
    public TestMemory memory(int size, MemoryAccess... access) throws VerbsException {
        return own(TestMemory.register(domain, size, access));
    }

    @Override
    public TestMemory foreignMemory(int size) throws VerbsException {
        return own(TestMemory.register(own(domain.device().createProtectionDomain()), size, TestMemory.ALL_ACCESS));
    }

    /** Takes ownership of a resource that work requests refer to. It is closed after the queues. */
    public <T extends AutoCloseable> T own(T opened) {
        return owned.add(opened);
    }

    /** Posts the batch that {@code requests} fills. */
    public void send(Consumer<SendBatch> requests) throws VerbsException {
        sendBatch.clear();
        requests.accept(sendBatch);
        queuePair.post(sendBatch);
    }

    /** Posts the batch that {@code requests} fills. */
    public void receive(Consumer<ReceiveBatch> requests) throws VerbsException {
        receiveBatch.clear();
        requests.accept(receiveBatch);
        queuePair.post(receiveBatch);
    }

    @Override
    public void send(Send request) throws VerbsException {
        send(batch -> {
            if (request.immediate() == null) {
                batch.send(request.id());
            } else {
                batch.sendWithImmediate(request.id(), request.immediate());
            }
            request.sges().forEach(sge -> batch.sge(sge.address(), sge.length(), sge.localKey()));
            batch.signaled();
            if (request.solicited()) {
                batch.solicited();
            }
        });
    }

    @Override
    public void receive(List<Receive> receives) throws VerbsException {
        receive(batch -> {
            for (Receive each : receives) {
                batch.receive(each.id());
                each.sges().forEach(sge -> batch.sge(sge.address(), sge.length(), sge.localKey()));
            }
        });
    }

    @Override
    public int queuePairNumber() {
        return queuePair.number();
    }

    @Override
    public QueuePairState state() throws VerbsException {
        return queuePair.query().state();
    }

    @Override
    public void toError() throws VerbsException {
        queuePair.toError();
    }

    @Override
    public void reset() throws VerbsException {
        queuePair.modify(new QueuePairAttributes().state(QueuePairState.RESET));
    }

    @Override
    public void activateDatagrams(int queueKey) throws VerbsException {
        Transitions.activateDatagrams(queuePair, queueKey);
    }

    @Override
    public void sendTo(Gid gid, int lid, int number, int queueKey, int immediate) throws VerbsException {
        AddressHandle way = own(domain.createAddressHandle(TestDevice.get().wayTo(gid, lid)));
        send(batch -> batch.sendWithImmediate(1, immediate).to(way, number, queueKey).signaled());
    }

    @Override
    public QueuePairAddress address() {
        TestDevice device = TestDevice.get();
        return new QueuePairAddress(queuePair.number(), PSN, device.gid(), device.attributes().lid());
    }

    @Override
    public void connect(QueuePairAddress peer, RcSettings settings) throws VerbsException {
        queuePair.modify(Transitions.toInit(settings));
        queuePair.modify(Transitions.toReadyToReceive(peer));
        queuePair.modify(Transitions.toReadyToSend(settings, PSN));
    }

    @Override
    public InetSocketAddress listen() throws Exception {
        return link().listen();
    }

    @Override
    public void dial(InetSocketAddress listening, RcSettings settings) throws Exception {
        link().dial(listening, settings);
    }

    @Override
    public void accept(RcSettings settings) throws Exception {
        link().accept(settings);
    }

    @Override
    public void establish() throws Exception {
        link().establish();
    }

    @Override
    public void awaitEstablished() throws Exception {
        link().awaitEstablished();
    }

    private CmLink link() throws Exception {
        if (link == null) {
            link = closer.add(new CmLink(queuePair));
        }
        return link;
    }

    @Override
    public void close() throws IOException {
        closer.close();
    }

    /** By default has entries for all completions that can be outstanding, flushes included. */
    private Completions queue(int depth, int entries) throws VerbsException {
        RdmaDevice device = domain.device();
        CompletionQueueConfig config =
                variant.of(new CompletionQueueConfig(entries > 0 ? entries : 4 * Math.max(1, depth)))
                        .withSenderGids(device.capabilities().senderGids() && Fallbacks.SENDER_GIDS.isAllowed());
        CompletionQueue queue = closer.add(channel == null ? device.createCompletionQueue(config)
                : device.createCompletionQueue(config, channel));
        assertThat(queue.isExtended()).as("ibv_create_cq_ex").isEqualTo(variant.extendedQueue());
        return new Completions(queue);
    }
}
