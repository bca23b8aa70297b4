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

import io.nettyrdma.jni.AbiLayout;
import io.nettyrdma.jni.CmNative;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.verbs.QueuePairAttributes;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.VerbsObject;

import java.lang.ref.Reference;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongToIntFunction;

/**
 * What a socket is to TCP ({@code struct rdma_cm_id}): it has addresses, listens, connects and accepts. It carries no
 * data and owns no queue pair; {@link CmQueuePair} brings the two together.
 *
 * <p>No method waits for the network: what takes time ends in an event at the id's channel. Any thread may call any
 * method. A call that the {@linkplain CmState state} does not allow throws {@link IllegalStateException}, one that
 * rdma-core refuses {@link VerbsException}; the state is then as it was before.
 */
public final class CmId extends VerbsObject {

    private static final int OPTION_TYPE_OF_SERVICE = 0;
    private static final int OPTION_REUSE_ADDRESS = 1;
    private static final int OPTION_ADDRESS_FAMILY_ONLY = 2;
    private static final int OPTION_ACK_TIMEOUT = 3;
    private static final int COMMUNICATION_ESTABLISHED = 4;
    private static final int MOST_PORT = 0xffff;

    /**
     * The open ids of this process by {@link #context}, and not by channel: an event that was read from one channel
     * just before its id moved to another still finds the id.
     */
    private static final Map<Long, CmId> OPEN = new ConcurrentHashMap<>();

    private final CmPortSpace portSpace;
    private CmEventChannel channel;
    private boolean ackTimeoutSet;

    /** Alive while {@link #OPEN} has this object and its lock is held; {@link #handle} is gone a moment earlier. */
    private final long nativeId;

    /** Written under this object's lock; read without it by {@link #toString}, which others call under theirs. */
    private volatile CmState state;
    private volatile InetSocketAddress localAddress;
    private volatile InetSocketAddress peerAddress;

    /** {@code rdma_connect} has not returned. */
    private boolean connecting;

    private CmId(CmEventChannel channel, CmPortSpace portSpace) throws VerbsException {
        super(channel);
        this.channel = channel;
        this.portSpace = portSpace;
        state = CmState.IDLE;
        created(CmNative.createId(channel.handle(), context(), portSpace.number()), "rdma_create_id", channel);
        nativeId = handle();
        OPEN.put(context(), this);
    }

    /** The id of a connection request. */
    private CmId(CmEventChannel channel, CmPortSpace portSpace, long request) throws VerbsException {
        super(channel);
        this.channel = channel;
        this.portSpace = portSpace;
        state = CmState.REQUESTED;
        CmNative.setContext(request, context());
        created(request, "rdma_get_cm_event", channel);
        nativeId = request;
        readAddresses();
        OPEN.put(context(), this);
    }

    /** An id whose events arrive at {@code channel}. */
    public static CmId create(CmEventChannel channel, CmPortSpace portSpace) throws VerbsException {
        return new CmId(channel, portSpace);
    }

    /** The open id of that number, or {@code null}. */
    static CmId find(long context) {
        return OPEN.get(context);
    }

    /** Ends a connection request whose listener is gone. There is no one to tell if this fails. */
    static void refuse(long request) {
        CmNative.reject(request, 0, 0);
        CmNative.destroyId(request);
    }

    public CmPortSpace portSpace() {
        return portSpace;
    }

    public CmState state() {
        return state;
    }

    /** The channel at which events arrive. */
    public synchronized CmEventChannel channel() {
        return channel;
    }

    /** The local address as it was last known, even of a closed id; {@code null} before there is one. */
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /** The peer's address as it was last known, even of a closed id; {@code null} before there is one. */
    public InetSocketAddress peerAddress() {
        return peerAddress;
    }

    /** Name of the device that the address led to; {@code null} before, and for a listener on all addresses. */
    public synchronized String deviceName() {
        return CmNative.deviceName(handle());
    }

    /** Port of that device, from 1; 0 if there is none. */
    public synchronized int devicePort() {
        return CmNative.devicePort(handle());
    }

    /** Port 0 takes a free one, which {@link #localAddress} tells; the wildcard address stands for all devices. */
    public synchronized void bind(InetSocketAddress address) throws VerbsException {
        NativeMemory record = AddressRecord.write("local", address);
        call(CmCall.BIND, "to " + address, id -> CmNative.bind(id, record.address()));
        Reference.reachabilityFence(record);
        readAddresses();
    }

    /**
     * Starts to listen.
     *
     * @param backlog requests that may wait for {@link CmEventChannel#poll}. More are dropped without an answer, and
     *         come again when the peer's kernel repeats them (4 s later, 15 times). The kernel allows no more than its
     *         setting net.rdma_ucm.max_backlog (1024), and takes 0 for that.
     */
    public synchronized void listen(int backlog) throws VerbsException {
        if (backlog < 0) {
            throw new IllegalArgumentException("a backlog cannot be " + backlog);
        }
        call(CmCall.LISTEN, null, id -> CmNative.listen(id, backlog));
        readAddresses();
    }

    /**
     * Finds the device that leads to {@code destination}, and its neighbour's link address. Ends in ADDR_RESOLVED or
     * ADDR_ERROR.
     *
     * @param source local address to start from; {@code null} leaves the choice to the routing table, or to an earlier
     *         {@link #bind}.
     */
    public synchronized void resolveAddress(InetSocketAddress source, InetSocketAddress destination, int timeoutMillis)
            throws VerbsException {
        NativeMemory to = AddressRecord.write("destination", destination);
        NativeMemory from = source == null ? null : AddressRecord.write("source", source);
        checkTimeout(timeoutMillis);
        if (destination.getPort() == 0) {
            throw new IllegalArgumentException("the destination " + destination + " has no port; one is 1 to "
                    + MOST_PORT);
        }
        if (source != null && state == CmState.BOUND) {
            throw new IllegalArgumentException(this + " is bound and cannot start from " + source);
        }
        call(CmCall.RESOLVE_ADDRESS, "to " + destination, id ->
                CmNative.resolveAddress(id, from == null ? 0 : from.address(), to.address(), timeoutMillis));
        Reference.reachabilityFence(from);
        Reference.reachabilityFence(to);
        peerAddress = destination;
    }

    /** Finds the path to the resolved address. Ends in ROUTE_RESOLVED or ROUTE_ERROR. */
    public synchronized void resolveRoute(int timeoutMillis) throws VerbsException {
        checkTimeout(timeoutMillis);
        call(CmCall.RESOLVE_ROUTE, null, id -> CmNative.resolveRoute(id, timeoutMillis));
    }

    /**
     * Asks the peer for a connection. Ends in CONNECT_RESPONSE (ESTABLISHED on iWARP and for datagrams), REJECTED,
     * UNREACHABLE or CONNECT_ERROR. The call may take long on iWARP, see
     * {@link io.nettyrdma.verbs.DeviceCapabilities#nonBlockingConnect}: meanwhile events of this id are handed out, but
     * {@link #close} waits, and so do the driver's calls for its queue pair.
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

    /** Its events may have come by now. */
    private synchronized void endConnect(int result) {
        connecting = false;
        if (result < 0 && state == CmState.CONNECTING) {
            state = CmState.ROUTE_RESOLVED;
        }
        notifyAll();
    }

    /** Confirms the peer's response, when the queue pair is ready to send. The connection is up; no event follows. */
    public synchronized void establish() throws VerbsException {
        call(CmCall.ESTABLISH, null, CmNative::establish);
    }

    /**
     * Accepts a request, when the queue pair is ready to receive. Ends in ESTABLISHED, or in an event of failure. Of
     * datagrams this is the end: no event follows.
     *
     * <p>The kernel drops events of a request until it is accepted: that the peer gave up meanwhile shows only here.
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
     * Whether a request can still be accepted. The kernel tells nobody of a peer that gave up, but has no attributes of
     * a queue pair for his request any more. On iWARP it does not know before {@link #accept}: {@code true} there.
     */
    public synchronized boolean mayAccept() {
        try {
            return state == CmState.REQUESTED && queuePairAttributes(QueuePairState.INIT) != null;
        } catch (VerbsException e) {
            return false;
        }
    }

    /** Turns a request down, or the peer's response. The peer sees REJECTED; of datagrams UNREACHABLE. */
    public synchronized void reject(byte[] privateData) throws VerbsException {
        CmConnectionParameters.checkPrivateData(privateData, portSpace.maxRejectData());
        NativeMemory record = new NativeMemory(Math.max(1, privateData.length)).putBytes(0, privateData);
        call(CmCall.REJECT, null, id -> CmNative.reject(id, record.address(), privateData.length));
        Reference.reachabilityFence(record);
    }

    /**
     * Ends the connection, or answers the peer who did. Ends in DISCONNECTED, unless that was there before. The queue
     * pair stays as it is: {@link CmQueuePair#disconnect} takes care of both.
     */
    public synchronized void disconnect() throws VerbsException {
        if (portSpace == CmPortSpace.UDP) {
            throw new IllegalStateException(this + " is for datagrams and has no connection to end");
        }
        call(CmCall.DISCONNECT, null, CmNative::disconnect);
    }

    /**
     * Tells that the queue pair had an asynchronous event COMM_EST: the peer's data was faster than its confirmation
     * of the connection. ESTABLISHED follows.
     */
    public synchronized void notifyEstablished() throws VerbsException {
        if (state == CmState.CONNECTED) {
            // The confirmation came after all.
            return;
        }
        call(CmCall.NOTIFY, null, id -> CmNative.notifyEvent(id, COMMUNICATION_ESTABLISHED));
    }

    /**
     * Has the events arrive at another channel from now on, those that were not taken yet included. An event that
     * another thread is just taking off the old channel is handed out there; a request that was not accepted has none.
     *
     * <p>Poll the target once afterwards: Linux moves the pending events without waking who waits on its descriptor.
     */
    public synchronized void migrate(CmEventChannel target) throws VerbsException {
        if (target == channel) {
            return;
        }
        // Holds on to both channels during the native call: neither can be closed under it.
        attach(target);
        CmEventChannel leaving = target;
        try {
            call(CmCall.MIGRATE, "to " + target, id -> CmNative.migrate(id, target.handle()));
            leaving = channel;
            channel = target;
        } finally {
            detach(leaving);
        }
    }

    /** Closes it, unless its events arrive at another channel by now. */
    public synchronized void closeAt(CmEventChannel place) throws VerbsException {
        if (channel == place) {
            close();
        }
    }

    /** TOS of IPv4 or traffic class of IPv6, 0 to 255; before the route is resolved. */
    public synchronized void typeOfService(int value) throws VerbsException {
        setOption(CmCall.SET_BEFORE_ROUTE, "typeOfService", OPTION_TYPE_OF_SERVICE, value, 255);
    }

    /**
     * Lets several ids bind the same address, if all of them say so; before {@link #bind}. Who listens must be the only
     * one there.
     */
    public synchronized void reuseAddress(boolean reuse) throws VerbsException {
        setOption(CmCall.SET_BEFORE_BIND, "reuseAddress", OPTION_REUSE_ADDRESS, reuse ? 1 : 0, 1);
    }

    /** Has the wildcard address of IPv6 stand for IPv6 alone, not for IPv4 too; before {@link #bind}. */
    public synchronized void addressFamilyOnly(boolean only) throws VerbsException {
        setOption(CmCall.SET_BEFORE_BIND, "addressFamilyOnly", OPTION_ADDRESS_FAMILY_ONLY, only ? 1 : 0, 1);
    }

    /**
     * How long the queue pair waits for an acknowledgement: 4.096 us times 2 to the power of this, 0 to 31, where 0
     * waits for ever; before the connection is made. rdma-core 23 and later.
     */
    public synchronized void ackTimeout(int exponent) throws VerbsException {
        setOption(CmCall.SET_BEFORE_CONNECT, "ackTimeout", OPTION_ACK_TIMEOUT, exponent, 31);
        ackTimeoutSet = true;
    }

    /** Whether {@link #ackTimeout} was called; else the connection manager chooses, or who asks for the connection. */
    synchronized boolean isAckTimeoutSet() {
        return ackTimeoutSet;
    }

    /** What the connection needs for a transition of its queue pair into {@code target}. */
    synchronized QueuePairAttributes queuePairAttributes(QueuePairState target) throws VerbsException {
        QueuePairAttributes attributes = new QueuePairAttributes();
        call(CmCall.QUEUE_PAIR_ATTRIBUTES, "for " + target, id ->
                CmNative.initQueuePairAttributes(id, target.ordinal(), attributes.address()));
        return attributes;
    }

    /**
     * Lets an event move the state.
     *
     * @param record the event, already acknowledged.
     * @param request handle of a connection request's id, else 0.
     * @return the event to hand out; {@code null} if this id was closed meanwhile.
     */
    synchronized CmEvent onEvent(NativeMemory record, long request, CmEventChannel arrived) throws VerbsException {
        if (OPEN.get(context()) != this) {
            return null;
        }
        if (request != 0) {
            return new CmEvent(record, this, requested(request, arrived));
        }
        CmEventType type = CmEventType.of(record.u32(AbiLayout.CmEvent.TYPE));
        state = state.after(type);
        if (type == CmEventType.ADDR_RESOLVED) {
            readAddresses();
        }
        return new CmEvent(record, this, null);
    }

    private CmId requested(long request, CmEventChannel arrived) throws VerbsException {
        try {
            return new CmId(arrived, portSpace, request);
        } catch (RuntimeException e) {
            // The channel is being closed.
            refuse(request);
            throw e;
        }
    }

    /** @param detail what the call was about, for the exception; {@code null} if the id says it all. */
    private void call(CmCall call, String detail, LongToIntFunction nativeCall) throws VerbsException {
        long handle = handle();
        call.check(this, state);
        int result = nativeCall.applyAsInt(handle);
        VerbsException.check(result, call.function(), detail == null ? this : this + " " + detail);
        state = call.after(state);
    }

    private void setOption(CmCall call, String name, int option, int value, int most) throws VerbsException {
        if (value < 0 || value > most) {
            throw new IllegalArgumentException(name + " is " + value + ", not within 0 to " + most);
        }
        call(call, name + '=' + value, id -> CmNative.setOption(id, option, value));
    }

    private void readAddresses() {
        NativeMemory record = new NativeMemory(AbiLayout.SocketAddress.SIZE);
        CmNative.localAddress(nativeId, record.address());
        localAddress = AddressRecord.read(record);
        CmNative.peerAddress(nativeId, record.address());
        InetSocketAddress peer = AddressRecord.read(record);
        // An id that only listens has a peer of port 0.
        if (peer != null && peer.getPort() != 0) {
            peerAddress = peer;
        }
    }

    private static void checkTimeout(int millis) {
        if (millis <= 0) {
            throw new IllegalArgumentException("a timeout cannot be " + millis + " ms");
        }
    }

    /** Synchronized: not while another thread is in a native call of this id. */
    @Override
    protected synchronized int destroy(long handle) {
        awaitConnect();
        OPEN.remove(context());
        int result = CmNative.destroyId(handle);
        if (result < 0) {
            OPEN.put(context(), this);
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

    /** Takes no lock, for exceptions that are made under the locks of others. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("rdma_cm id #").append(context());
        InetSocketAddress local = localAddress;
        InetSocketAddress peer = peerAddress;
        if (local != null || peer != null) {
            text.append(" (").append(local == null ? "unbound" : local);
            text.append(peer == null ? "" : " -> " + peer).append(')');
        }
        return text.toString();
    }
}
