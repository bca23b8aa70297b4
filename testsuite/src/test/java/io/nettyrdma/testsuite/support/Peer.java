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

import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * One side of a connection with all that it needs, in this process or in another ({@link PeerProcess}). All arguments
 * and results can cross processes: they are values or {@link ByReference}.
 */
public interface Peer extends ByReference, AutoCloseable {

    /** A receive request. Its SGEs may point anywhere, valid or not. */
    record Receive(long id, List<Sge> sges) {
    }

    /**
     * A signaled send.
     *
     * @param immediate {@code null} for none.
     */
    record Send(long id, List<Sge> sges, Integer immediate, boolean solicited) {
    }

    record Sge(long address, int length, int localKey) {
    }

    /** Whether peers are in another process, as {@code -Dio.nettyrdma.testsuite.peer=process} requests. */
    static boolean areElsewhere() {
        return "process".equals(System.getProperty("io.nettyrdma.testsuite.peer"));
    }

    /** Creates a peer in RESET, in the process that was configured. */
    static Peer create(RcSettings settings) throws IOException {
        return areElsewhere() ? PeerProcess.shared().create(settings)
                : new Endpoint(settings.variant(), settings.queues());
    }

    /** Memory with full access that is closed with this object. */
    default PeerMemory memory(int size) throws VerbsException {
        return memory(size, TestMemory.ALL_ACCESS);
    }

    /** Memory with full access that this queue pair cannot use, because it belongs to another protection domain. */
    PeerMemory foreignMemory(int size) throws VerbsException;

    /** Memory that is closed with this object. */
    PeerMemory memory(int size, MemoryAccess... access) throws VerbsException;

    /** Posts one receive with one SGE. */
    default void receive(long id, PeerMemory memory, int offset, int length) throws VerbsException {
        receive(List.of(new Receive(id, List.of(memory.sge(offset, length)))));
    }

    /** Posts the receives as one batch. */
    void receive(List<Receive> receives) throws VerbsException;

    /** Posts one signaled send with one SGE. */
    default void send(long id, PeerMemory memory, int offset, int length) throws VerbsException {
        send(new Send(id, List.of(memory.sge(offset, length)), null, false));
    }

    void send(Send request) throws VerbsException;

    PeerCompletions sends();

    PeerCompletions receives();

    int queuePairNumber();

    /** The state that the device reports. */
    QueuePairState state() throws VerbsException;

    void toError() throws VerbsException;

    void reset() throws VerbsException;

    // Datagrams

    /** RESET to RTS. */
    void activateDatagrams(int queueKey) throws VerbsException;

    /** Sends an empty, signaled datagram. */
    void sendTo(Gid gid, int lid, int queuePair, int queueKey, int immediate) throws VerbsException;

    // Connecting by hand, without a connection manager

    /** What the peer must know to connect to this queue pair. */
    QueuePairAddress address();

    /** RESET to RTS, towards {@code peer}. */
    void connect(QueuePairAddress peer, RcSettings settings) throws VerbsException;

    // Connecting by rdma_cm: one side listens, the other dials, then accept, establish, awaitEstablished

    /** The address that the other side may {@link #dial}. */
    InetSocketAddress listen() throws Exception;

    /** RESET to INIT, then requests the connection. */
    void dial(InetSocketAddress listening, RcSettings settings) throws Exception;

    /** Accepts the request of the dialling side. */
    void accept(RcSettings settings) throws Exception;

    /** Dialling side: moves to RTS once accepted. */
    void establish() throws Exception;

    /** Accepting side. */
    void awaitEstablished() throws Exception;

    @Override
    void close() throws IOException;
}
