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
import io.nettyrdma.jni.AbiLayout;
import io.nettyrdma.jni.EfaNative;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.jni.VerbsNative;

import java.lang.ref.Reference;

/**
 * A destination for datagrams ({@code struct ibv_ah}). It must outlive the work requests that use it. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class AddressHandle extends VerbsObject {

    private final ProtectionDomain protectionDomain;
    private final AddressVector vector;

    AddressHandle(ProtectionDomain protectionDomain, AddressVector vector) throws VerbsException {
        super(protectionDomain);
        this.protectionDomain = protectionDomain;
        this.vector = vector;
        NativeMemory record = new NativeMemory(AbiLayout.AddressHandleAttributes.SIZE);
        vector.write(record, 0);
        created(VerbsNative.createAddressHandle(protectionDomain.handle(), record.address()), "ibv_create_ah", vector);
        Reference.reachabilityFence(record);
    }

    ProtectionDomain protectionDomain() {
        return protectionDomain;
    }

    /** {@return where it leads to} */
    public AddressVector vector() {
        return vector;
    }

    /**
     * {@return the number by which completions of EFA name the address: {@link WorkCompletion#sourceLid}} The same for
     * all handles of a protection domain with this GID.
     *
     * @throws VerbsException on other devices.
     */
    public int number() throws VerbsException {
        int number = EfaNative.queryAddressHandle(handle());
        VerbsException.check(number, "efadv_query_ah", this);
        return number;
    }

    @Override
    protected int destroy(long handle) {
        return VerbsNative.destroyAddressHandle(handle);
    }

    @Override
    protected String destroyCall() {
        return "ibv_destroy_ah";
    }

    @Override
    public String toString() {
        return "address handle to " + vector;
    }
}
