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
package io.nettyrdma.jni;

/**
 * Native methods of the control path of libibverbs: devices, memory, queues. Arguments and results are primitives, and
 * records are passed by address (see {@link AbiLayout}). The caller has checked the arguments; a handle that is not
 * open crashes the JVM.
 *
 * <p>Unless documented otherwise, a method returns 0 on success and {@code -errno} on failure. A method that returns a
 * handle returns a positive number on success: user-space addresses are positive on every supported architecture.
 */
public final class VerbsNative {

    private VerbsNative() {
    }

    /**
     * Fills up to {@code max} {@link AbiLayout.DeviceInfo} records.
     *
     * @return the number of devices, even if it is greater than {@code max}.
     */
    public static native int listDevices(long infos, int max);

    /** Opens the device of that name and sets its async event descriptor to non-blocking. Returns a handle. */
    public static native long openDevice(String name);

    public static native int closeDevice(long device);

    /** Fills {@link AbiLayout.DeviceAttributes}. */
    public static native int queryDevice(long device, long attributes);

    /** Fills {@link AbiLayout.PortAttributes}; ports are numbered from 1. */
    public static native int queryPort(long device, int port, long attributes);

    /** Fills {@link AbiLayout.Gid}; the type is unknown if libibverbs is too old to report it. */
    public static native int queryGid(long device, int port, int index, long gid);

    /** The file descriptor that is readable while asynchronous events of the device are pending. */
    public static native int asyncEventFd(long device);

    /**
     * Copies up to {@code max} pending events to {@link AbiLayout.AsyncEvent} records and acknowledges them.
     *
     * @return the number of events, 0 if none is pending, or {@code -errno}.
     */
    public static native int nextAsyncEvents(long device, long events, int max);

    /** Returns a handle. */
    public static native long allocateProtectionDomain(long device);

    public static native int deallocateProtectionDomain(long protectionDomain);

    /** Returns a handle. {@code access} has the bits of {@code enum ibv_access_flags}. */
    public static native long registerMemory(long protectionDomain, long address, long length, int access);

    public static native int deregisterMemory(long memoryRegion);

    public static native int localKey(long memoryRegion);

    public static native int remoteKey(long memoryRegion);

    /** Returns a handle. The file descriptor is set to non-blocking. */
    public static native long createCompletionChannel(long device);

    public static native int completionChannelFd(long channel);

    public static native int destroyCompletionChannel(long channel);

    /** In and out: {@link AbiLayout.CompletionQueueInit}. Returns a handle. */
    public static native long createCompletionQueue(long init);

    /** Blocks until every event of the queue is acknowledged: acknowledge all of them first. */
    public static native int destroyCompletionQueue(long completionQueue);

    /** In and out: {@link AbiLayout.SharedReceiveQueueInit}. Returns a handle. */
    public static native long createSharedReceiveQueue(long init);

    /** Arms the one-shot limit event, which is raised when fewer than {@code limit} receives are left. */
    public static native int armSharedReceiveQueueLimit(long sharedReceiveQueue, int limit);

    /** The armed limit, 0 if none is armed, or {@code -errno}. */
    public static native int sharedReceiveQueueLimit(long sharedReceiveQueue);

    public static native int destroySharedReceiveQueue(long sharedReceiveQueue);

    /** In and out: {@link AbiLayout.QueuePairInit}. Returns a handle. */
    public static native long createQueuePair(long init);

    /** In: {@link AbiLayout.QueuePairAttributes}, whose mask names the valid fields. */
    public static native int modifyQueuePair(long queuePair, long attributes);

    /** Out: the fields of {@link AbiLayout.QueuePairAttributes} that {@code mask} names, and the capacities. */
    public static native int queryQueuePair(long queuePair, long attributes, int mask);

    public static native int destroyQueuePair(long queuePair);

    /** In: {@link AbiLayout.AddressHandleAttributes}. Returns a handle. May block (EFA: an admin command). */
    public static native long createAddressHandle(long protectionDomain, long attributes);

    public static native int destroyAddressHandle(long addressHandle);
}
