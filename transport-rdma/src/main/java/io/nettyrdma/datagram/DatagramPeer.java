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
package io.nettyrdma.datagram;

import io.nettyrdma.remote.RemoteMemory;

import java.util.List;

/**
 * The result of a {@link DatagramExchange}. Each end has an address handle for the other, and keeps it until the peer
 * is closed: some devices refuse datagrams of queue pairs for which their receiver has none.
 */
public final class DatagramPeer implements AutoCloseable {

    private final RdmaDatagramChannel channel;
    private final DatagramAddress address;
    private final int maxDatagram;
    private final List<RemoteMemory> memories;
    private boolean closed;

    DatagramPeer(RdmaDatagramChannel channel, ExchangeRecord record) {
        this.channel = channel;
        address = record.address();
        maxDatagram = record.maxDatagram();
        memories = record.memories();
    }

    /** With its queue key. */
    public DatagramAddress address() {
        return address;
    }

    /** Bytes of the longest datagram that the peer takes. */
    public int maxDatagram() {
        return maxDatagram;
    }

    /** Memory that the peer offers, in the order in which it named it. */
    public List<RemoteMemory> memories() {
        return memories;
    }

    /** The address handle may be forgotten. Any thread; a second call does nothing. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            channel.release(address);
        }
    }

    @Override
    public String toString() {
        return address + ", " + maxDatagram + " bytes, memories " + memories;
    }
}
