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
import io.nettyrdma.jni.NativeMemory;

/**
 * Attributes of a queue pair ({@code struct ibv_qp_attr}) and the mask of those that are set. {@link QueuePair#modify}
 * applies them; the connection manager fills them for a transition. Reusable; not thread-safe.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class QueuePairAttributes {

    static final int STATE = 1;
    static final int ACCESS_FLAGS = 1 << 3;
    static final int PKEY_INDEX = 1 << 4;
    static final int PORT = 1 << 5;
    static final int QKEY = 1 << 6;
    static final int ADDRESS_VECTOR = 1 << 7;
    static final int PATH_MTU = 1 << 8;
    static final int TIMEOUT = 1 << 9;
    static final int RETRY_COUNT = 1 << 10;
    static final int RNR_RETRY = 1 << 11;
    static final int RQ_PSN = 1 << 12;
    static final int MAX_READS_OUT = 1 << 13;
    static final int MIN_RNR_TIMER = 1 << 15;
    static final int SQ_PSN = 1 << 16;
    static final int MAX_READS_IN = 1 << 17;
    static final int CAPACITIES = 1 << 19;
    static final int DESTINATION = 1 << 20;

    /** The record that native code reads and fills. */
    final NativeMemory record = new NativeMemory(AbiLayout.QueuePairAttributes.SIZE);

    /**
     * Sets the state to go to. Without it, the other attributes change within the current state.
     *
     * @param state the next state.
     * @return this.
     */
    public QueuePairAttributes state(QueuePairState state) {
        record.putU8(AbiLayout.QueuePairAttributes.STATE, state.ordinal());
        return set(STATE);
    }

    /**
     * Local port, from 1.
     *
     * @param port from 1.
     * @return this.
     */
    public QueuePairAttributes port(int port) {
        record.putU8(AbiLayout.QueuePairAttributes.PORT_NUM, checked("port", port, 1, 255));
        return set(PORT);
    }

    /**
     * Sets the entry of the port's partition key table.
     *
     * @param index from 0.
     * @return this.
     */
    public QueuePairAttributes partitionKeyIndex(int index) {
        record.putU16(AbiLayout.QueuePairAttributes.PKEY_INDEX, checked("partitionKeyIndex", index, 0, 0xffff));
        return set(PKEY_INDEX);
    }

    /**
     * Access rights of the peer through this queue pair. The memory region must allow the access too.
     *
     * @param access REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC.
     * @return this.
     */
    public QueuePairAttributes access(MemoryAccess... access) {
        record.putU32(AbiLayout.QueuePairAttributes.ACCESS_FLAGS, MemoryAccess.flags(access));
        return set(ACCESS_FLAGS);
    }

    /**
     * Sets the Q_Key that incoming datagrams must carry.
     *
     * @param queueKey 32 bits.
     * @return this.
     */
    public QueuePairAttributes queueKey(int queueKey) {
        record.putU32(AbiLayout.QueuePairAttributes.QKEY, queueKey);
        return set(QKEY);
    }

    /**
     * Sets the way to the peer.
     *
     * @param vector the way.
     * @return this.
     */
    public QueuePairAttributes addressVector(AddressVector vector) {
        vector.write(record, AbiLayout.QueuePairAttributes.AH);
        return set(ADDRESS_VECTOR);
    }

    /**
     * Largest packet payload: a power of two from 256 to 4096 bytes, at most the active MTU of both ports.
     *
     * @param bytes the largest payload.
     * @return this.
     */
    public QueuePairAttributes pathMtu(int bytes) {
        record.putU8(AbiLayout.QueuePairAttributes.PATH_MTU, PortAttributes.mtuNumber(bytes));
        return set(PATH_MTU);
    }

    /**
     * Sets the peer's queue pair number.
     *
     * @param queuePairNumber 24 bits.
     * @return this.
     */
    public QueuePairAttributes destination(int queuePairNumber) {
        record.putU32(AbiLayout.QueuePairAttributes.DEST_QP_NUM, checked("destination", queuePairNumber, 0, 0xffffff));
        return set(DESTINATION);
    }

    /**
     * Packet sequence number of the first packet that will arrive, 24 bits.
     *
     * @param psn 24 bits.
     * @return this.
     */
    public QueuePairAttributes receivePsn(int psn) {
        record.putU32(AbiLayout.QueuePairAttributes.RQ_PSN, checked("receivePsn", psn, 0, 0xffffff));
        return set(RQ_PSN);
    }

    /**
     * Packet sequence number of the first packet that will be sent, 24 bits.
     *
     * @param psn 24 bits.
     * @return this.
     */
    public QueuePairAttributes sendPsn(int psn) {
        record.putU32(AbiLayout.QueuePairAttributes.SQ_PSN, checked("sendPsn", psn, 0, 0xffffff));
        return set(SQ_PSN);
    }

    /**
     * Maximum number of outstanding reads and atomics that this side initiates ({@code max_rd_atomic}).
     *
     * @param count 0 to 255.
     * @return this.
     */
    public QueuePairAttributes maxRdAtomic(int count) {
        record.putU8(AbiLayout.QueuePairAttributes.MAX_RD_ATOMIC, checked("maxRdAtomic", count, 0, 255));
        return set(MAX_READS_OUT);
    }

    /**
     * Maximum number of outstanding reads and atomics of the peer ({@code max_dest_rd_atomic}).
     *
     * @param count 0 to 255.
     * @return this.
     */
    public QueuePairAttributes maxDestRdAtomic(int count) {
        record.putU8(AbiLayout.QueuePairAttributes.MAX_DEST_RD_ATOMIC, checked("maxDestRdAtomic", count, 0, 255));
        return set(MAX_READS_IN);
    }

    /**
     * Code of the time that the peer waits before it retries when no receive is posted here: 0 is 655.36 ms, 1 is
     * 0.01 ms, 12 is 0.64 ms, 31 is 491.52 ms (InfiniBand specification, table "Encoding for RNR NAK Timer Field").
     *
     * @param code 0 to 31.
     * @return this.
     */
    public QueuePairAttributes minRnrTimer(int code) {
        record.putU8(AbiLayout.QueuePairAttributes.MIN_RNR_TIMER, checked("minRnrTimer", code, 0, 31));
        return set(MIN_RNR_TIMER);
    }

    /**
     * Acknowledgement timeout: 4.096 us times 2 to the power of {@code exponent}; 0 waits without limit.
     *
     * @param exponent 0 to 31.
     * @return this.
     */
    public QueuePairAttributes timeout(int exponent) {
        record.putU8(AbiLayout.QueuePairAttributes.TIMEOUT, checked("timeout", exponent, 0, 31));
        return set(TIMEOUT);
    }

    /**
     * Sets how often to resend a packet that is not acknowledged, 0 to 7.
     *
     * @param count of repetitions.
     * @return this.
     */
    public QueuePairAttributes retryCount(int count) {
        record.putU8(AbiLayout.QueuePairAttributes.RETRY_CNT, checked("retryCount", count, 0, 7));
        return set(RETRY_COUNT);
    }

    /**
     * Sets how often to retry when the peer has no receive posted, 0 to 6; 7 retries without limit.
     *
     * @param count of repetitions.
     * @return this.
     */
    public QueuePairAttributes rnrRetry(int count) {
        record.putU8(AbiLayout.QueuePairAttributes.RNR_RETRY, checked("rnrRetry", count, 0, 7));
        return set(RNR_RETRY);
    }

    /** Whether the mask contains all of {@code bits}. */
    boolean has(int bits) {
        return (mask() & bits) == bits;
    }

    /** {@return the state that {@link #state(QueuePairState)} set or a query returned} */
    public QueuePairState state() {
        return QueuePairState.of(record.u8(AbiLayout.QueuePairAttributes.STATE));
    }

    /** {@return the code that {@link #minRnrTimer(int)} set or a query returned} */
    public int minRnrTimer() {
        return record.u8(AbiLayout.QueuePairAttributes.MIN_RNR_TIMER);
    }

    /** {@return the exponent that {@link #timeout(int)} set or a query returned} */
    public int timeout() {
        return record.u8(AbiLayout.QueuePairAttributes.TIMEOUT);
    }

    /** {@return the count that {@link #retryCount(int)} set or a query returned} */
    public int retryCount() {
        return record.u8(AbiLayout.QueuePairAttributes.RETRY_CNT);
    }

    /** {@return the peer's queue pair number that {@link #destination(int)} set or a query returned} */
    public int destination() {
        return record.u32(AbiLayout.QueuePairAttributes.DEST_QP_NUM);
    }

    /** {@return the address vector, set or found by a query} */
    public AddressVector addressVector() {
        return AddressVector.read(record, AbiLayout.QueuePairAttributes.AH);
    }

    /**
     * {@return address of the record, including the mask, for native code} Keep this object reachable during the call.
     */
    public long address() {
        return record.address();
    }

    int mask() {
        return record.u32(AbiLayout.QueuePairAttributes.MASK);
    }

    private QueuePairAttributes set(int bit) {
        record.putU32(AbiLayout.QueuePairAttributes.MASK, mask() | bit);
        return this;
    }

    private static int checked(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", not within " + min + " to " + max);
        }
        return value;
    }
}
