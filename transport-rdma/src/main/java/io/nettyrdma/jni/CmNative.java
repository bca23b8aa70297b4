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
 * librdmacm. Queue pairs are never created through it: they are ours, and only their numbers and attributes pass
 * here (see {@code docs/decisions/0001-queue-pairs-are-ours.md}).
 *
 * <p>Unless said otherwise a method returns 0 on success and {@code -errno} on failure; one that returns a handle
 * returns a positive number on success.
 */
public final class CmNative {

    private CmNative() {
    }

    /** Returns a handle. The descriptor is made non-blocking. */
    public static native long createEventChannel();

    public static native int eventChannelFd(long channel);

    public static native void destroyEventChannel(long channel);

    /**
     * Copies the next event into {@link AbiLayout.CmEvent} and acknowledges it.
     *
     * @return 1 if there was one, 0 if none is pending, or {@code -errno}.
     */
    public static native int nextEvent(long channel, long event);

    /** {@code portSpace} is of {@code enum rdma_port_space}. Returns a handle. */
    public static native long createId(long channel, long context, int portSpace);

    public static native int destroyId(long id);

    /** Gives the id of a connection request, which inherits its listener's context, one of its own. */
    public static native void setContext(long id, long context);

    /** In: {@link AbiLayout.SocketAddress}. */
    public static native int bind(long id, long address);

    /** {@code source} may be 0. */
    public static native int resolveAddress(long id, long source, long destination, int timeoutMillis);

    public static native int resolveRoute(long id, int timeoutMillis);

    public static native int listen(long id, int backlog);

    /** In: {@link AbiLayout.ConnectionParameters}. */
    public static native int connect(long id, long parameters);

    /** Confirms a connection whose CONNECT_RESPONSE was seen and whose queue pair is ready to send. */
    public static native int establish(long id);

    /** In: {@link AbiLayout.ConnectionParameters}. */
    public static native int accept(long id, long parameters);

    /** {@code privateData} is an address; {@code length} at most 148 on a connection (the fabric's limit). */
    public static native int reject(long id, long privateData, int length);

    public static native int disconnect(long id);

    /** Tells the CM of an asynchronous event of the queue pair, {@code IBV_EVENT_COMM_EST}. */
    public static native int notifyEvent(long id, int eventType);

    public static native int migrate(long id, long channel);

    /** Options of level {@code RDMA_OPTION_ID}: 0 TOS, 1 reuse address, 2 address family only, 3 ack timeout. */
    public static native int setOption(long id, int option, int value);

    /** Out: {@link AbiLayout.SocketAddress}. */
    public static native void localAddress(long id, long address);

    /** Out: {@link AbiLayout.SocketAddress}. */
    public static native void peerAddress(long id, long address);

    /** Name of the device that the id was bound to, {@code null} if to none yet. */
    public static native String deviceName(long id);

    /** Port of the device that the id was bound to, counted from 1; 0 if to none yet. */
    public static native int devicePort(long id);

    /**
     * Fills {@link AbiLayout.QueuePairAttributes} and its mask with what the connection needs for a transition into
     * {@code state}.
     */
    public static native int initQueuePairAttributes(long id, int state, long attributes);
}
