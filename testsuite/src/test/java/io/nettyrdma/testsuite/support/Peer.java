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
 * One side of a connection with all that it needs, in this process or in another ({@link PeerProcess}). Whatever is
 * said here can be said between processes: values, and what is {@link ByReference}.
 */
public interface Peer extends ByReference, AutoCloseable {

    /** A work request; its pieces may be anywhere, right or wrong. */
    record Receive(long id, List<Piece> pieces) {
    }

    /**
     * A signaled send.
     *
     * @param immediate {@code null} for none.
     */
    record Send(long id, List<Piece> pieces, Integer immediate, boolean solicited) {
    }

    record Piece(long address, int length, int localKey) {
    }

    /** Whether peers are in another process: so says {@code -Dio.nettyrdma.testsuite.peer=process}. */
    static boolean areElsewhere() {
        return "process".equals(System.getProperty("io.nettyrdma.testsuite.peer"));
    }

    /** One in RESET, wherever peers are. */
    static Peer create(RcSettings settings) throws IOException {
        return areElsewhere() ? PeerProcess.shared().create(settings)
                : new Endpoint(settings.variant(), settings.queues());
    }

    /** Memory with full access that is closed with this. */
    default PeerMemory memory(int size) throws VerbsException {
        return memory(size, TestMemory.ALL_ACCESS);
    }

    /** Memory with full access that this queue pair has no right to, as it belongs to another protection domain. */
    PeerMemory foreignMemory(int size) throws VerbsException;

    /** Memory that is closed with this. */
    PeerMemory memory(int size, MemoryAccess... access) throws VerbsException;

    /** Posts one receive of one piece. */
    default void receive(long id, PeerMemory memory, int offset, int length) throws VerbsException {
        receive(List.of(new Receive(id, List.of(memory.piece(offset, length)))));
    }

    /** Posts them as one batch. */
    void receive(List<Receive> receives) throws VerbsException;

    /** Posts one signaled send of one piece. */
    default void send(long id, PeerMemory memory, int offset, int length) throws VerbsException {
        send(new Send(id, List.of(memory.piece(offset, length)), null, false));
    }

    void send(Send request) throws VerbsException;

    PeerCompletions sends();

    PeerCompletions receives();

    int queuePairNumber();

    /** What the device says. */
    QueuePairState state() throws VerbsException;

    void toError() throws VerbsException;

    void reset() throws VerbsException;

    // Datagrams

    /** RESET to RTS. */
    void activateDatagrams(int queueKey) throws VerbsException;

    /** Sends an empty datagram, signaled. */
    void sendTo(Gid gid, int lid, int queuePair, int queueKey, int immediate) throws VerbsException;

    // Connecting by hand, without a connection manager

    /** What the peer must know to connect to this. */
    QueuePairAddress address();

    /** RESET to RTS, towards {@code peer}. */
    void connect(QueuePairAddress peer, RcSettings settings) throws VerbsException;

    // Connecting by rdma_cm: one listens, the other dials, then accept, establish, awaitEstablished

    /** Where the other side may {@link #dial}. */
    InetSocketAddress listen() throws Exception;

    /** RESET to INIT, and asks for the connection. */
    void dial(InetSocketAddress listening, RcSettings settings) throws Exception;

    /** Takes the request of the one who dialled. */
    void accept(RcSettings settings) throws Exception;

    /** Of the one who dialled: to RTS, when it was accepted. */
    void establish() throws Exception;

    /** Of the one who accepted. */
    void awaitEstablished() throws Exception;

    @Override
    void close() throws IOException;
}
