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
 * Native methods of librdmacm. It never creates queue pairs: this library creates them with verbs, and passes only
 * their numbers and attributes (see {@code docs/decisions/0001-create-queue-pairs-ourselves.md}).
 *
 * <p>Unless documented otherwise, a method returns 0 on success and {@code -errno} on failure. A method that returns a
 * handle returns a positive number on success.
 */
public final class CmNative {

    private CmNative() {
    }

    /** Returns a handle. The file descriptor is set to non-blocking. */
    public static native long createEventChannel();

    public static native int eventChannelFd(long channel);

    public static native void destroyEventChannel(long channel);

    /**
     * Copies the next event into {@link AbiLayout.CmEvent} and acknowledges it.
     *
     * @return 1 if there was an event, 0 if none is pending, or {@code -errno}.
     */
    public static native int nextEvent(long channel, long event);

    /** {@code portSpace} is a value of {@code enum rdma_port_space}. Returns a handle. */
    public static native long createId(long channel, long context, int portSpace);

    public static native int destroyId(long id);

    /** Sets the context of a connection request's id, which initially has the context of its listening id. */
    public static native void setContext(long id, long context);

    /** In: {@link AbiLayout.SocketAddress}. */
    public static native int bind(long id, long address);

    /** In: {@link AbiLayout.SocketAddress}; {@code source} may be 0 for none. */
    public static native int resolveAddress(long id, long source, long destination, int timeoutMillis);

    public static native int resolveRoute(long id, int timeoutMillis);

    public static native int listen(long id, int backlog);

    /** In: {@link AbiLayout.ConnectionParameters}. */
    public static native int connect(long id, long parameters);

    /** Confirms a connection after CONNECT_RESPONSE, when the queue pair is in RTS. */
    public static native int establish(long id);

    /** In: {@link AbiLayout.ConnectionParameters}. */
    public static native int accept(long id, long parameters);

    /** {@code privateData} is an address; {@code length} is at most 148 for a connection (limit of the fabric). */
    public static native int reject(long id, long privateData, int length);

    public static native int disconnect(long id);

    /** Reports an asynchronous event of the queue pair, {@code IBV_EVENT_COMM_EST}, to the CM. */
    public static native int notifyEvent(long id, int eventType);

    public static native int migrate(long id, long channel);

    /** Options of level {@code RDMA_OPTION_ID}: 0 TOS, 1 reuse address, 2 address family only, 3 ack timeout. */
    public static native int setOption(long id, int option, int value);

    /** Out: {@link AbiLayout.SocketAddress}. */
    public static native void localAddress(long id, long address);

    /** Out: {@link AbiLayout.SocketAddress}. */
    public static native void peerAddress(long id, long address);

    /** Name of the device that the id is bound to; {@code null} if it is not bound to one. */
    public static native String deviceName(long id);

    /** Port of the device that the id is bound to, from 1; 0 if it is not bound to a device. */
    public static native int devicePort(long id);

    /**
     * Fills {@link AbiLayout.QueuePairAttributes} and its mask with the attributes for the queue pair's transition to
     * {@code state}.
     */
    public static native int initQueuePairAttributes(long id, int state, long attributes);
}
