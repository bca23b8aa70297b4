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
package io.nettyrdma.cm;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.jni.AbiLayout;
import io.nettyrdma.jni.CmNative;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.verbs.QueuePairAttributes;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.VerbsObject;

import java.lang.ref.Reference;
import java.net.InetSocketAddress;
import java.util.function.LongToIntFunction;
import java.util.function.Supplier;

/**
 * The counterpart of a TCP socket ({@code struct rdma_cm_id}): it has addresses, listens, connects and accepts. It
 * carries no data and owns no queue pair; {@link CmQueuePair} combines the two.
 *
 * <p>Methods do not wait for the network, except {@link #connect} on iWARP: an operation that takes time ends with an
 * event at the id's channel. Any thread may call any method. A call that the {@linkplain CmState state} does not allow
 * throws {@link IllegalStateException}; a call that rdma-core refuses throws {@link VerbsException}. Both leave the
 * state unchanged.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class CmId extends VerbsObject {

    private static final int COMMUNICATION_ESTABLISHED = 4;

    private final CmPortSpace portSpace;
    private CmEventChannel channel;
    private boolean ackTimeoutSet;

    /** Valid while {@link OpenIds} has this object and its lock is held; {@link #handle} is cleared earlier. */
    private final long nativeId;

    /** Written under this object's lock. {@link #toString} reads it without, because callers hold other locks. */
    private volatile CmState state;
    private final CmAddresses addresses = new CmAddresses();

    /** Whether a call of {@code rdma_connect} is in progress. */
    private boolean connecting;

    private CmId(CmEventChannel channel, CmPortSpace portSpace) throws VerbsException {
        super(channel);
        this.channel = channel;
        this.portSpace = portSpace;
        state = CmState.IDLE;
        created(CmNative.createId(channel.handle(), context(), portSpace.number()), "rdma_create_id", channel);
        nativeId = handle();
        OpenIds.add(this);
    }

    /** Wraps the new id of a connection request. */
    private CmId(CmEventChannel channel, CmPortSpace portSpace, long request) throws VerbsException {
        super(channel);
        this.channel = channel;
        this.portSpace = portSpace;
        state = CmState.REQUESTED;
        CmNative.setContext(request, context());
        created(request, "rdma_get_cm_event", channel);
        nativeId = request;
        addresses.read(nativeId);
        OpenIds.add(this);
    }

    /**
     * Creates an id whose events arrive at {@code channel}.
     *
     * @param channel gets the events of the id.
     * @param portSpace what the id connects.
     * @return the caller's to close, before the channel.
     * @throws VerbsException if it is refused, with the reason.
     */
    public static CmId create(CmEventChannel channel, CmPortSpace portSpace) throws VerbsException {
        return new CmId(channel, portSpace);
    }

    /** {@return the port space of {@link #create}, or of the listener} */
    public CmPortSpace portSpace() {
        return portSpace;
    }

    /** {@return where the id is} The last event that was taken, or call, has decided it. */
    public CmState state() {
        return state;
    }

    /** {@return the channel at which events arrive} */
    public synchronized CmEventChannel channel() {
        return channel;
    }

    /** {@return the last known local address, even after close; {@code null} before there is one} */
    public InetSocketAddress localAddress() {
        return addresses.local();
    }

    /** {@return the last known address of the peer, even after close; {@code null} before there is one} */
    public InetSocketAddress peerAddress() {
        return addresses.peer();
    }

    /**
     * {@return name of the device; {@code null} until an address selects it, and for a listener on the wildcard
     * address}
     */
    public synchronized String deviceName() {
        return CmNative.deviceName(handle());
    }

    /** {@return port of the device, from 1; 0 if the id has no device} */
    public synchronized int devicePort() {
        return CmNative.devicePort(handle());
    }

    /**
     * Binds to a local address. Port 0 selects a free port, which {@link #localAddress} then returns. The wildcard
     * address means all devices.
     *
     * @param address of a device, or a wildcard.
     * @throws VerbsException if it is refused, with the reason.
     */
    public synchronized void bind(InetSocketAddress address) throws VerbsException {
        NativeMemory record = AddressRecord.write("local", address);
        call(CmCall.BIND, () -> "to " + address, id -> CmNative.bind(id, record.address()));
        Reference.reachabilityFence(record);
        addresses.read(nativeId);
    }

    /**
     * Starts to listen.
     *
     * @param backlog number of requests that may wait for {@link CmEventChannel#poll}. The kernel drops further
     *         requests without an answer; the peer's kernel resends them (after 4 s, up to 15 times). The kernel limits
     *         the backlog to net.rdma_ucm.max_backlog (1024); 0 selects that limit.
     * @throws VerbsException if it is refused, with the reason.
     */
    public synchronized void listen(int backlog) throws VerbsException {
        if (backlog < 0) {
            throw new IllegalArgumentException("a backlog cannot be " + backlog);
        }
        call(CmCall.LISTEN, null, id -> CmNative.listen(id, backlog));
        addresses.read(nativeId);
    }

    /**
     * Finds the device that leads to {@code destination}, and the link address of the next hop. Ends with ADDR_RESOLVED
     * or ADDR_ERROR.
     *
     * @param source local address; {@code null} if an earlier {@link #bind} or the routing table selects it.
     * @param destination the peer's address.
     * @param timeoutMillis after which ADDR_ERROR comes.
     * @throws VerbsException if it is refused, with the reason.
     */
    public synchronized void resolveAddress(InetSocketAddress source, InetSocketAddress destination, int timeoutMillis)
            throws VerbsException {
        NativeMemory to = AddressRecord.write("destination", destination);
        NativeMemory from = source == null ? null : AddressRecord.write("source", source);
        checkTimeout(timeoutMillis);
        AddressRecord.checkPort(destination);
        if (source != null && state == CmState.BOUND) {
            throw new IllegalArgumentException(this + " is already bound and cannot use the source " + source);
        }
        call(CmCall.RESOLVE_ADDRESS, () -> "to " + destination, id ->
                CmNative.resolveAddress(id, from == null ? 0 : from.address(), to.address(), timeoutMillis));
        Reference.reachabilityFence(from);
        Reference.reachabilityFence(to);
        addresses.setPeer(destination);
    }

    /**
     * Finds the path to the resolved address. Ends with ROUTE_RESOLVED or ROUTE_ERROR.
     *
     * @param timeoutMillis after which ROUTE_ERROR comes.
     * @throws VerbsException if it is refused, with the reason.
     */
    public synchronized void resolveRoute(int timeoutMillis) throws VerbsException {
        checkTimeout(timeoutMillis);
        call(CmCall.RESOLVE_ROUTE, null, id -> CmNative.resolveRoute(id, timeoutMillis));
    }

    /**
     * Sends a connection request to the peer. Ends with CONNECT_RESPONSE (ESTABLISHED on iWARP and for datagrams),
     * REJECTED, UNREACHABLE or CONNECT_ERROR. The call may block for long on iWARP, see
     * {@link io.nettyrdma.verbs.DeviceCapabilities#nonBlockingConnect}. During the call, events of this id are still
     * delivered, but {@link #close} waits, and so do driver calls for its queue pair.
     *
     * @param parameters with the number of the queue pair.
     * @throws VerbsException if it is refused, with the reason.
     */
    public void connect(CmConnectionParameters parameters) throws VerbsException {
        NativeMemory record = parameters.write(portSpace.maxRequestData());
        long handle = beginConnect();
        int result = CmNative.connect(handle, record.address());
        Reference.reachabilityFence(record);
        endConnect(result);
        VerbsException.check(result, CmCall.CONNECT.function(), this);
    }

    private synchronized long beginConnect() {
        long handle = handle();
        CmCall.CONNECT.check(this, state);
        state = CmCall.CONNECT.after(state);
        connecting = true;
        return handle;
    }

    /** Events may have changed the state during the call. */
    private synchronized void endConnect(int result) {
        connecting = false;
        if (result < 0 && state == CmState.CONNECTING) {
            state = CmState.ROUTE_RESOLVED;
        }
        notifyAll();
    }

    /**
     * Confirms the peer's response. Call when the queue pair is in RTS. The connection is then up; no event follows.
     *
     * @throws VerbsException if the call fails, with the reason.
     */
    public synchronized void establish() throws VerbsException {
        call(CmCall.ESTABLISH, null, CmNative::establish);
    }

    /**
     * Accepts a connection request. Call when the queue pair is ready to receive. Ends with ESTABLISHED or a failure
     * event; for datagrams no event follows.
     *
     * <p>The kernel drops the events of a request until it is accepted, so only this call reports that the peer gave
     * up.
     *
     * @param parameters with the number of the queue pair.
     * @throws VerbsException if it is refused, with the reason.
     */
    public synchronized void accept(CmConnectionParameters parameters) throws VerbsException {
        NativeMemory record = parameters.write(portSpace.maxResponseData());
        call(CmCall.ACCEPT, null, id -> CmNative.accept(id, record.address()));
        Reference.reachabilityFence(record);
        if (portSpace == CmPortSpace.UDP) {
            state = CmState.CONNECTED;
        }
    }

    /**
     * {@return whether a request can still be accepted} The kernel raises no event if the peer gives up, but no longer
     * returns queue pair attributes for the request. On iWARP the kernel notices only in {@link #accept}, so this
     * returns {@code true}.
     */
    public synchronized boolean mayAccept() {
        try {
            return state == CmState.REQUESTED && queuePairAttributes(QueuePairState.INIT) != null;
        } catch (VerbsException e) {
            return false;
        }
    }

    /**
     * Rejects a request, or the peer's response. The peer gets REJECTED, or UNREACHABLE for datagrams.
     *
     * @param privateData what the peer gets with the event.
     * @throws VerbsException if it is refused, with the reason.
     */
    public synchronized void reject(byte[] privateData) throws VerbsException {
        CmConnectionParameters.checkPrivateData(privateData, portSpace.maxRejectData());
        NativeMemory record = new NativeMemory(Math.max(1, privateData.length)).putBytes(0, privateData);
        call(CmCall.REJECT, null, id -> CmNative.reject(id, record.address(), privateData.length));
        Reference.reachabilityFence(record);
    }

    /**
     * Disconnects, or answers the peer's disconnect. Ends with DISCONNECTED unless that event has already arrived. The
     * state of the queue pair does not change; {@link CmQueuePair#disconnect} handles both.
     *
     * @throws VerbsException if it is refused, with the reason.
     */
    public synchronized void disconnect() throws VerbsException {
        if (portSpace == CmPortSpace.UDP) {
            throw new IllegalStateException(this + " is for datagrams and has no connection to disconnect");
        }
        call(CmCall.DISCONNECT, null, CmNative::disconnect);
    }

    /**
     * Reports the asynchronous event COMM_EST of the queue pair to the connection manager: the peer's data arrived
     * before its confirmation of the connection. ESTABLISHED follows. Do not disconnect or close the id before: Linux
     * would keep the thread that closes it for a minute.
     *
     * @throws VerbsException if the call fails, with the reason.
     */
    public synchronized void notifyEstablished() throws VerbsException {
        if (state == CmState.CONNECTED) {
            // The confirmation has arrived since.
            return;
        }
        call(CmCall.NOTIFY, null, id -> CmNative.notifyEvent(id, COMMUNICATION_ESTABLISHED));
    }

    /**
     * Moves the id to another channel, together with its pending events. An event that another thread is taking from
     * the old channel at that moment is still delivered there. A request that is not yet accepted has no events.
     *
     * <p>Poll the target once afterwards: Linux moves pending events without waking threads that wait on its
     * descriptor.
     *
     * @param target gets the events from now on.
     * @throws VerbsException if it is refused, with the reason.
     */
    public synchronized void migrate(CmEventChannel target) throws VerbsException {
        if (target == channel) {
            return;
        }
        // Attached to both channels during the native call, so that neither can be closed.
        attach(target);
        CmEventChannel leaving = target;
        try {
            call(CmCall.MIGRATE, () -> "to " + target, id -> CmNative.migrate(id, target.handle()));
            leaving = channel;
            channel = target;
        } finally {
            detach(leaving);
        }
    }

    /**
     * Closes the id if it is still on channel {@code expected}.
     *
     * @param expected the channel on which the id is to be closed.
     * @throws VerbsException if the call fails, with the reason.
     */
    public synchronized void closeAt(CmEventChannel expected) throws VerbsException {
        if (channel == expected) {
            close();
        }
    }

    /**
     * Sets the IPv4 TOS or IPv6 traffic class, 0 to 255. Call before the route is resolved.
     *
     * @param value 0 to 255.
     * @throws VerbsException if the call fails, with the reason.
     */
    public synchronized void typeOfService(int value) throws VerbsException {
        set(CmOption.TYPE_OF_SERVICE, value);
    }

    /**
     * Allows several ids to bind the same address if all of them set this option. Call before {@link #bind}. An id can
     * listen only if no other id has its address.
     *
     * @param reuse whether others may bind it, too.
     * @throws VerbsException if the call fails, with the reason.
     */
    public synchronized void reuseAddress(boolean reuse) throws VerbsException {
        set(CmOption.REUSE_ADDRESS, reuse ? 1 : 0);
    }

    /**
     * Restricts the IPv6 wildcard address to IPv6, excluding IPv4. Call before {@link #bind}.
     *
     * @param only whether it excludes IPv4.
     * @throws VerbsException if the call fails, with the reason.
     */
    public synchronized void addressFamilyOnly(boolean only) throws VerbsException {
        set(CmOption.ADDRESS_FAMILY_ONLY, only ? 1 : 0);
    }

    /**
     * Sets the acknowledgement timeout of the queue pair: 4.096 us times 2 to the power of {@code exponent}, 0 to 31; 0
     * waits without limit. Call before connecting. Requires rdma-core 23.
     *
     * @param exponent 0 to 31.
     * @throws VerbsException if the call fails, with the reason.
     */
    public synchronized void ackTimeout(int exponent) throws VerbsException {
        set(CmOption.ACK_TIMEOUT, exponent);
        ackTimeoutSet = true;
    }

    /** Whether {@link #ackTimeout} was called; otherwise the connection manager of the active side chooses it. */
    synchronized boolean isAckTimeoutSet() {
        return ackTimeoutSet;
    }

    /** The attributes that the connection requires for the queue pair's transition to {@code target}. */
    synchronized QueuePairAttributes queuePairAttributes(QueuePairState target) throws VerbsException {
        QueuePairAttributes attributes = new QueuePairAttributes();
        call(CmCall.QUEUE_PAIR_ATTRIBUTES, () -> "for " + target, id ->
                CmNative.initQueuePairAttributes(id, target.ordinal(), attributes.address()));
        return attributes;
    }

    /**
     * Updates the state for an event.
     *
     * @param record the event, already acknowledged.
     * @param request handle of the new id of a connection request; otherwise 0.
     * @return the event to deliver; {@code null} if this id has been closed.
     */
    synchronized CmEvent onEvent(NativeMemory record, long request, CmEventChannel arrived) throws VerbsException {
        if (!OpenIds.has(this)) {
            return null;
        }
        if (request != 0) {
            return new CmEvent(record, this, requested(request, arrived));
        }
        CmEventType type = CmEventType.of(record.u32(AbiLayout.CmEvent.TYPE));
        state = state.after(type);
        if (type == CmEventType.ADDR_RESOLVED) {
            addresses.read(nativeId);
        }
        return new CmEvent(record, this, null);
    }

    private CmId requested(long request, CmEventChannel arrived) throws VerbsException {
        try {
            return new CmId(arrived, portSpace, request);
        } catch (RuntimeException e) {
            // The channel is being closed.
            OpenIds.refuse(request);
            throw e;
        }
    }

    /** @param detail of the call for the message of an exception, the only one that makes it; may be {@code null}. */
    private void call(CmCall call, Supplier<String> detail, LongToIntFunction nativeCall) throws VerbsException {
        long handle = handle();
        call.check(this, state);
        call.checkResult(nativeCall.applyAsInt(handle), this, detail);
        state = call.after(state);
    }

    private void set(CmOption option, int value) throws VerbsException {
        option.check(value);
        call(option.call(), () -> option + "=" + value, id -> CmNative.setOption(id, option.ordinal(), value));
    }

    private static void checkTimeout(int millis) {
        if (millis <= 0) {
            throw new IllegalArgumentException("a timeout cannot be " + millis + " ms");
        }
    }

    /** Synchronized so that it cannot run while another thread is in a native call of this id. */
    @Override
    protected synchronized int destroy(long handle) {
        awaitConnect();
        OpenIds.remove(this);
        int result = CmNative.destroyId(handle);
        if (result < 0) {
            OpenIds.add(this);
        }
        return result;
    }

    private void awaitConnect() {
        boolean interrupted = false;
        while (connecting) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    protected String destroyCall() {
        return "rdma_destroy_id";
    }

    /** Takes no lock, because exceptions are created while other locks are held. */
    @Override
    public String toString() {
        return "rdma_cm id #" + context() + addresses;
    }
}
