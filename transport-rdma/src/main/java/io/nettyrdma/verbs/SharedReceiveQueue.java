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
import io.nettyrdma.jni.AbiLayout.SharedReceiveQueueInit;
import io.nettyrdma.jni.DataPathNative;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.jni.VerbsNative;

import java.lang.ref.Reference;

/**
 * A receive queue for several queue pairs ({@code struct ibv_srq}). Only one thread at a time may post to it.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class SharedReceiveQueue extends VerbsObject {

    private final ProtectionDomain protectionDomain;
    private final int maxReceives;
    private final int maxSge;

    SharedReceiveQueue(ProtectionDomain protectionDomain, int requests, int sge) throws VerbsException {
        super(protectionDomain);
        this.protectionDomain = protectionDomain;
        if (requests <= 0 || sge <= 0) {
            abandoned();
            throw new IllegalArgumentException("a shared receive queue needs at least one request and one SGE, not "
                    + requests + " and " + sge);
        }
        NativeMemory init = new NativeMemory(SharedReceiveQueueInit.SIZE)
                .putU64(SharedReceiveQueueInit.PD, protectionDomain.handle())
                .putU64(SharedReceiveQueueInit.CONTEXT, context())
                .putU32(SharedReceiveQueueInit.MAX_WR, requests)
                .putU32(SharedReceiveQueueInit.MAX_SGE, sge);
        created(VerbsNative.createSharedReceiveQueue(init.address()), "ibv_create_srq",
                requests + " receives of " + sge + " SGEs in " + protectionDomain);
        maxReceives = init.u32(SharedReceiveQueueInit.MAX_WR);
        maxSge = init.u32(SharedReceiveQueueInit.MAX_SGE);
        protectionDomain.device().asyncEvents().register(this);
    }

    ProtectionDomain protectionDomain() {
        return protectionDomain;
    }

    /** {@return the number of receives that the queue can hold, as granted by the device} */
    public int maxReceives() {
        return maxReceives;
    }

    /**
     * Requests one {@link AsyncEventType#SHARED_RECEIVE_QUEUE_LIMIT_REACHED} event when fewer than {@code limit}
     * receives are left; 0 disarms. The limit must be armed again after each event.
     *
     * @param limit of posted receives.
     * @throws VerbsException if it is refused, with the reason.
     */
    public void armLimit(int limit) throws VerbsException {
        if (limit < 0 || limit > maxReceives) {
            throw new IllegalArgumentException("limit " + limit + " is not within 0 to " + maxReceives + " of " + this);
        }
        VerbsException.check(VerbsNative.armSharedReceiveQueueLimit(handle(), limit), "ibv_modify_srq", this);
    }

    /**
     * {@return the armed limit; 0 if none is armed or its event has been raised}
     *
     * @throws VerbsException if the call fails, with the reason.
     */
    public int limit() throws VerbsException {
        int limit = VerbsNative.sharedReceiveQueueLimit(handle());
        VerbsException.check(limit, "ibv_query_srq", this);
        return limit;
    }

    /**
     * Posts all receives of the batch; see {@link QueuePair#post(ReceiveBatch)}.
     *
     * @param batch unchanged by the call; {@link ReceiveBatch#clear} it to fill it again.
     * @throws VerbsException if it is refused, with the reason.
     */
    public void post(ReceiveBatch batch) throws VerbsException {
        long handle = handle();
        batch.seal();
        batch.checkFor(this, protectionDomain, maxReceives, maxSge);
        long result = DataPathNative.postSharedReceive(handle, batch.address(), batch.size());
        if (result != batch.size()) {
            throw PostException.of(result, batch.size(), "ibv_post_srq_recv", this);
        }
        Reference.reachabilityFence(batch);
    }

    @Override
    protected int destroy(long handle) {
        int result = VerbsNative.destroySharedReceiveQueue(handle);
        if (result >= 0) {
            protectionDomain.device().asyncEvents().unregister(this);
        }
        return result;
    }

    @Override
    protected String destroyCall() {
        return "ibv_destroy_srq";
    }

    @Override
    public String toString() {
        return "shared receive queue #" + context() + " of " + protectionDomain;
    }
}
