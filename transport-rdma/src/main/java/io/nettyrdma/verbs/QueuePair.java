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
import io.nettyrdma.jni.AbiLayout.QueuePairInit;
import io.nettyrdma.jni.DataPathNative;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.jni.VerbsNative;

import java.lang.ref.Reference;

/**
 * A queue pair ({@code struct ibv_qp}): a send queue and a receive queue, connected to one peer or, for datagrams, open
 * to many. Only one thread at a time may post and change its state. Posting copies the work requests but not the memory
 * that they refer to, except for inline data: that memory must stay valid until the completion.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class QueuePair extends VerbsObject {

    private final ProtectionDomain protectionDomain;
    private final SharedReceiveQueue shared;
    private final QueuePairConfig granted;
    /** Of {@link #granted}, for each post. */
    private final int maxInline;
    private final int maxSends;
    private final int sendSge;
    private final int opcodes;
    private final boolean sendsDatagrams;
    private final int number;
    private QueuePairState state = QueuePairState.RESET;
    /** Of {@link #state}, for each post. */
    private boolean acceptsSends;
    private boolean acceptsReceives;

    QueuePair(ProtectionDomain protectionDomain, QueuePairConfig config, CompletionQueue sends,
              CompletionQueue receives, SharedReceiveQueue shared) throws VerbsException {
        super(shared == null ? new VerbsObject[] { protectionDomain, sends, receives }
                : new VerbsObject[] { protectionDomain, sends, receives, shared });
        this.protectionDomain = protectionDomain;
        this.shared = shared;
        NativeMemory init = new NativeMemory(QueuePairInit.SIZE)
                .putU64(QueuePairInit.PD, protectionDomain.handle())
                .putU64(QueuePairInit.SEND_CQ, sends.handle())
                .putU64(QueuePairInit.RECV_CQ, receives.handle())
                .putU64(QueuePairInit.SRQ, shared == null ? 0 : shared.handle())
                .putU64(QueuePairInit.CONTEXT, context())
                .putU32(QueuePairInit.MAX_SEND_WR, config.maxSends())
                .putU32(QueuePairInit.MAX_RECV_WR, shared == null ? config.maxReceives() : 0)
                .putU32(QueuePairInit.MAX_SEND_SGE, config.sendSge())
                .putU32(QueuePairInit.MAX_RECV_SGE, shared == null ? config.receiveSge() : 0)
                .putU32(QueuePairInit.MAX_INLINE, config.maxInline())
                .putU8(QueuePairInit.TYPE, config.type().number())
                .putU8(QueuePairInit.SQ_SIG_ALL, config.signalAll() ? 1 : 0)
                .putU8(QueuePairInit.EXTENDED, config.extended() ? 1 : 0)
                .putU8(QueuePairInit.SERVICE_LEVEL, config.serviceLevel())
                .putU32(QueuePairInit.VENDOR_ID, device().limits().vendorId());
        device().queuePairCalled();
        created(VerbsNative.createQueuePair(init.address()), config.type().createCall(), config,
                protectionDomain);
        number = init.u32(QueuePairInit.QP_NUM);
        granted = new QueuePairConfig(config.type(), init.u32(QueuePairInit.MAX_SEND_WR),
                init.u32(QueuePairInit.MAX_RECV_WR), init.u32(QueuePairInit.MAX_SEND_SGE),
                init.u32(QueuePairInit.MAX_RECV_SGE), init.u32(QueuePairInit.MAX_INLINE), config.signalAll(),
                init.u8(QueuePairInit.EXTENDED) != 0, init.u8(QueuePairInit.SERVICE_LEVEL));
        maxInline = granted.maxInline();
        maxSends = granted.maxSends();
        sendSge = granted.sendSge();
        opcodes = granted.type().opcodes();
        sendsDatagrams = granted.type().isDatagram();
        device().asyncEvents().register(this);
    }

    /** {@return the device of the queue pair} */
    public RdmaDevice device() {
        return protectionDomain.device();
    }

    /** {@return the queue pair number, 24 bits} Peers address the queue pair by it. */
    public int number() {
        return number;
    }

    /** {@return the type} */
    public QueuePairType type() {
        return granted.type();
    }

    /**
     * {@return the configuration that the device granted; {@code extended} says whether posting uses {@code ibv_wr_*}}
     */
    public QueuePairConfig granted() {
        return granted;
    }

    /** {@return whether its receives are posted to a shared receive queue} */
    public boolean hasSharedReceiveQueue() {
        return shared != null;
    }

    /**
     * {@return the state after the last {@link #modify} or {@link #query}} The device may have moved on to an error
     * state.
     */
    public QueuePairState state() {
        return state;
    }

    /**
     * Makes a state transition, or changes attributes within the current state.
     *
     * @param attributes exactly those that the transition needs or allows.
     * @throws VerbsException if it is refused, with the reason.
     */
    public void modify(QueuePairAttributes attributes) throws VerbsException {
        long handle = handle();
        boolean transition = attributes.has(QueuePairAttributes.STATE);
        if (transition && !state.mayBecome(attributes.state())) {
            throw new IllegalStateException(this + " is in " + state + " and cannot go to " + attributes.state());
        }
        device().queuePairCalled();
        int result = VerbsNative.modifyQueuePair(handle, attributes.address());
        if (result < 0) {
            throw new VerbsException("ibv_modify_qp", transition ? this + " to " + attributes.state() : this, result);
        }
        Reference.reachabilityFence(attributes);
        if (transition) {
            became(attributes.state());
        }
    }

    private void became(QueuePairState next) {
        state = next;
        acceptsSends = next.acceptsSends();
        acceptsReceives = next.acceptsReceives();
    }

    /**
     * Moves the queue pair to the error state, which flushes all posted work requests.
     *
     * @throws VerbsException if the call fails, with the reason.
     */
    public void toError() throws VerbsException {
        modify(new QueuePairAttributes().state(QueuePairState.ERR));
    }

    /**
     * Queries the state and the connection attributes from the device.
     *
     * @return a new object.
     * @throws VerbsException if the device cannot be asked, with the reason.
     */
    public QueuePairAttributes query() throws VerbsException {
        QueuePairAttributes attributes = new QueuePairAttributes();
        int mask = QueuePairAttributes.STATE | QueuePairAttributes.CAPACITIES | QueuePairAttributes.MIN_RNR_TIMER
                | QueuePairAttributes.ADDRESS_VECTOR | QueuePairAttributes.DESTINATION | QueuePairAttributes.TIMEOUT
                | QueuePairAttributes.RETRY_COUNT;
        VerbsException.check(VerbsNative.queryQueuePair(handle(), attributes.address(), mask), "ibv_query_qp", this);
        became(attributes.state());
        return attributes;
    }

    /**
     * Posts all work requests of the batch, in order.
     *
     * @param batch unchanged by the call; {@link SendBatch#clear} it to fill it again.
     * @throws IllegalArgumentException if the queue pair can never take this batch; nothing was posted.
     * @throws IllegalStateException if the queue pair cannot send in its current state; nothing was posted.
     * @throws PostException if the queue is full or the device refuses; it says how many work requests were posted.
     */
    public void post(SendBatch batch) throws VerbsException {
        long handle = handle();
        batch.seal();
        batch.checkFor(this, protectionDomain, maxSends, sendSge);
        if (!acceptsSends || batch.mostInline() > maxInline || (batch.opcodes() & ~opcodes) != 0
                || batch.datagrams() != (sendsDatagrams ? batch.size() : 0)) {
            throw refusal(batch);
        }
        long result = DataPathNative.postSend(handle, batch.address(), batch.size());
        if (result != batch.size()) {
            throw PostException.of(result, batch.size(), "ibv_post_send", this);
        }
        Reference.reachabilityFence(batch);
    }

    /**
     * Posts all receives of the batch, in order; throws as {@link #post(SendBatch)} does.
     *
     * @param batch unchanged by the call; {@link ReceiveBatch#clear} it to fill it again.
     * @throws VerbsException if it is refused, with the reason.
     */
    public void post(ReceiveBatch batch) throws VerbsException {
        long handle = handle();
        batch.seal();
        if (shared != null || !acceptsReceives) {
            throw new IllegalStateException(shared != null
                    ? this + " takes its receives from " + shared + ": post them there"
                    : this + " is in RESET and takes no receives");
        }
        batch.checkFor(this, protectionDomain, granted.maxReceives(), granted.receiveSge());
        long result = DataPathNative.postReceive(handle, batch.address(), batch.size());
        if (result != batch.size()) {
            throw PostException.of(result, batch.size(), "ibv_post_recv", this);
        }
        Reference.reachabilityFence(batch);
    }

    private RuntimeException refusal(SendBatch batch) {
        if (!acceptsSends) {
            return new IllegalStateException(this + " is in " + state + " and cannot send before RTS");
        }
        if (batch.mostInline() > maxInline) {
            return new IllegalArgumentException("a work request has " + batch.mostInline() + " bytes inline, " + this
                    + " takes " + maxInline);
        }
        if ((batch.opcodes() & ~opcodes) != 0) {
            return new IllegalArgumentException(this + " is of type " + granted.type()
                    + ", which does not have all operations of the batch");
        }
        return new IllegalArgumentException(sendsDatagrams
                ? batch.datagrams() + " of " + batch.size() + " datagrams have a destination"
                : this + " is connected: a work request cannot name another destination");
    }

    @Override
    protected int destroy(long handle) {
        device().queuePairCalled();
        int result = VerbsNative.destroyQueuePair(handle);
        if (result >= 0) {
            device().asyncEvents().unregister(this);
        }
        return result;
    }

    @Override
    protected String destroyCall() {
        return "ibv_destroy_qp";
    }

    @Override
    public String toString() {
        return "queue pair 0x" + Integer.toHexString(number) + " of " + device();
    }
}
