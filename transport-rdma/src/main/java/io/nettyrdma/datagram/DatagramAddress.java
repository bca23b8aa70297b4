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

import io.netty.buffer.ByteBuf;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.verbs.Gid;

import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.net.SocketAddress;
import java.util.Objects;

/**
 * Where datagrams go to and come from: a queue pair of a port. Immutable. The encoded form, for handing an address to a
 * peer, has {@value #SIZE} bytes:
 *
 * <pre>
 *   0 GID 16 | 16 queue pair number 4 | 20 queue key 4 | 24          big endian
 * </pre>
 *
 * @since 0.1.0
 */
@UnstableApi
public final class DatagramAddress extends SocketAddress {

    /** Bytes of the encoded form. */
    public static final int SIZE = Gid.LENGTH + 2 * Integer.BYTES;

    private static final long serialVersionUID = 1L;
    private static final int MAX_NUMBER = 0xffffff;
    private static final Gid NO_GID = new Gid(new byte[Gid.LENGTH]);
    private static final DatagramAddress ANY = new DatagramAddress(null, NO_GID, 0, 0, false);

    /** Of an address to bind to; {@code null} for any. */
    private final String device;
    private final transient Gid gid;
    /** 24 bits. */
    private final int queuePairNumber;
    /** 0 if it is not known. */
    private final int queueKey;
    /** Whether it is that of a sender that is not known. */
    private final boolean unknown;

    private DatagramAddress(String device, Gid gid, int queuePairNumber, int queueKey, boolean unknown) {
        this.device = device;
        this.gid = gid;
        this.queuePairNumber = queuePairNumber;
        this.queueKey = queueKey;
        this.unknown = unknown;
    }

    /**
     * @param gid of the port; not zero.
     * @param queuePairNumber 24 bits.
     * @param queueKey the key that the queue pair expects. 0 stands for an unknown key: a datagram to that address
     *        carries the key of the channel that sends it.
     */
    public DatagramAddress(Gid gid, int queuePairNumber, int queueKey) {
        this(null, gid, queuePairNumber, queueKey, false);
        if (gid.isZero() || queuePairNumber <= 0 || queuePairNumber > MAX_NUMBER) {
            throw new IllegalArgumentException("queue pair " + queuePairNumber + " of GID " + gid
                    + " is no address: the GID must not be zero, and the number is from 1 to " + MAX_NUMBER);
        }
    }

    /** {@return an address to bind to: the first active port with the best GID, of any device that sends datagrams} */
    public static DatagramAddress any() {
        return ANY;
    }

    /**
     * {@return an address to bind to: the first active port of a device, with the best GID}
     *
     * @param device its name.
     */
    public static DatagramAddress any(String device) {
        return new DatagramAddress(Objects.requireNonNull(device), NO_GID, 0, 0, false);
    }

    /**
     * The sender of a datagram of which the device has only said the number of the queue pair, which is not unique.
     *
     * @param queuePairNumber 24 bits; 0 if that is not known either.
     */
    static DatagramAddress unknown(int queuePairNumber) {
        return new DatagramAddress(null, NO_GID, queuePairNumber, 0, true);
    }

    /**
     * {@return whether this is the sender of a datagram for which no device and no address handle said where it came
     * from: nothing can be sent there} On some devices that is every sender that was not prepared for.
     */
    public boolean isUnknown() {
        return unknown;
    }

    /** {@return whether it is for binding} */
    public boolean isAny() {
        return gid.isZero() && !unknown;
    }

    /** {@return whether something can be sent there} */
    public boolean isRecipient() {
        return !gid.isZero();
    }

    /** {@return the name of the device to bind to; {@code null} for any} */
    public String device() {
        return device;
    }

    /** {@return zero if it is unknown, or any} */
    public Gid gid() {
        return gid;
    }

    /** {@return the number of the queue pair, 24 bits; 0 in an address to bind to} */
    public int queuePairNumber() {
        return queuePairNumber;
    }

    /** {@return 0 if it is unknown, as in the sender's address of a received datagram: no datagram says it} */
    public int queueKey() {
        return queueKey;
    }

    /**
     * Changes the key.
     *
     * @param key what a datagram must carry.
     * @return a copy with the change.
     */
    public DatagramAddress withQueueKey(int key) {
        return new DatagramAddress(gid, queuePairNumber, key);
    }

    /** Whether both name the same queue pair, whatever its key is. */
    boolean isSameQueuePair(DatagramAddress other) {
        return queuePairNumber == other.queuePairNumber && gid.equals(other.gid) && !unknown && !other.unknown;
    }

    /**
     * The superclass is serializable; for other processes there is the encoded form.
     *
     * @param out unused.
     * @throws NotSerializableException always.
     */
    private void writeObject(ObjectOutputStream out) throws NotSerializableException {
        throw new NotSerializableException(DatagramAddress.class.getName());
    }

    /**
     * Writes the encoded form.
     *
     * @param to gets {@link #SIZE} bytes at its writer index.
     */
    public void encode(ByteBuf to) {
        to.writeBytes(gid.bytes()).writeInt(queuePairNumber).writeInt(queueKey);
    }

    /**
     * Reads the encoded form.
     *
     * @param from has the bytes at its reader index, which moves.
     * @return the address.
     * @throws IllegalArgumentException if it is not that of any address.
     */
    public static DatagramAddress decode(ByteBuf from) {
        if (from.readableBytes() < SIZE) {
            throw new IllegalArgumentException("an address has " + SIZE + " bytes, not " + from.readableBytes());
        }
        byte[] raw = new byte[Gid.LENGTH];
        from.readBytes(raw);
        return new DatagramAddress(new Gid(raw), from.readInt(), from.readInt());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DatagramAddress address && queuePairNumber == address.queuePairNumber
                && gid.equals(address.gid) && queueKey == address.queueKey && unknown == address.unknown
                && Objects.equals(device, address.device);
    }

    @Override
    public int hashCode() {
        return gid.hashCode() * 31 + queuePairNumber;
    }

    /** Without the key: logs are read by others. */
    @Override
    public String toString() {
        if (unknown) {
            return "rdma:unknown:" + queuePairNumber;
        }
        if (isAny()) {
            return device == null ? "rdma:any" : "rdma:" + device;
        }
        return "rdma:[" + gid + "]:" + queuePairNumber;
    }
}
