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
import io.nettyrdma.jni.AbiLayout.ConnectionParameters;
import io.nettyrdma.jni.NativeMemory;

/**
 * Parameters of {@link CmId#connect} and {@link CmId#accept}, sent to the peer ({@code struct rdma_conn_param}). Start
 * from {@link #DEFAULT}. Immutable.
 *
 * @param queuePairNumber number of the local queue pair.
 * @param sharedReceiveQueue whether the local queue pair uses a shared receive queue.
 * @param responderResources maximum number of outstanding reads and atomics of the peer, 0 to 254.
 * @param initiatorDepth maximum number of outstanding reads and atomics that this side initiates, 0 to 254.
 * @param flowControl sent to the peer; has no other effect.
 * @param retryCount how often to resend a packet that is not acknowledged, 0 to 7. The peer of a connect gets the value
 *        as an offer; {@link CmQueuePair#accept} uses its own value instead.
 * @param rnrRetryCount how often the <em>peer</em> retries when no receive is posted here, 0 to 6; 7 is without limit.
 * @param privateData bytes for the peer's program; {@link CmPortSpace} has the maximum lengths.
 * @since 0.1.0
 */
@UnstableApi
public record CmConnectionParameters(int queuePairNumber, boolean sharedReceiveQueue, int responderResources,
                                     int initiatorDepth, boolean flowControl, int retryCount, int rnrRetryCount,
                                     byte[] privateData) {

    /** One outstanding read in each direction, maximum retries, no private data, and no queue pair yet. */
    public static final CmConnectionParameters DEFAULT =
            new CmConnectionParameters(0, false, 1, 1, true, 7, 7, new byte[0]);

    /** Not 255: librdmacm reads that as "the maximum of the device", a value that the queue pair would never learn. */
    private static final int MOST_READS = 254;
    private static final int MOST_RETRIES = 7;
    private static final int MOST_QUEUE_PAIR_NUMBER = 0xffffff;

    /**
     * Checks the ranges.
     *
     * @param queuePairNumber as the component.
     * @param sharedReceiveQueue as the component.
     * @param responderResources as the component.
     * @param initiatorDepth as the component.
     * @param flowControl as the component.
     * @param retryCount as the component.
     * @param rnrRetryCount as the component.
     * @param privateData as the component.
     * @throws IllegalArgumentException if a number is out of its range, or there are too many bytes.
     */
    public CmConnectionParameters {
        range("queuePairNumber", queuePairNumber, MOST_QUEUE_PAIR_NUMBER);
        range("responderResources", responderResources, MOST_READS);
        range("initiatorDepth", initiatorDepth, MOST_READS);
        range("retryCount", retryCount, MOST_RETRIES);
        range("rnrRetryCount", rnrRetryCount, MOST_RETRIES);
        privateData = privateData.clone();
    }

    /** {@return a copy} */
    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /**
     * Changes the queue pair.
     *
     * @param number 24 bits.
     * @param shared whether it uses a shared receive queue.
     * @return a copy with the change.
     */
    public CmConnectionParameters withQueuePair(int number, boolean shared) {
        return new CmConnectionParameters(number, shared, responderResources, initiatorDepth, flowControl, retryCount,
                rnrRetryCount, privateData);
    }

    /**
     * Changes the limits of reads and atomics.
     *
     * @param responder of the peer, 0 to 255.
     * @param initiator of this side, 0 to 255.
     * @return a copy with the change.
     */
    public CmConnectionParameters withReads(int responder, int initiator) {
        return new CmConnectionParameters(queuePairNumber, sharedReceiveQueue, responder, initiator, flowControl,
                retryCount, rnrRetryCount, privateData);
    }

    /**
     * Changes whether the hardware's flow control is available.
     *
     * @param available whether it is.
     * @return a copy with the change.
     */
    public CmConnectionParameters withFlowControl(boolean available) {
        return new CmConnectionParameters(queuePairNumber, sharedReceiveQueue, responderResources, initiatorDepth,
                available, retryCount, rnrRetryCount, privateData);
    }

    /**
     * Changes the counts of retries.
     *
     * @param retry of packets, 0 to 7.
     * @param rnrRetry of the peer, where no receive is posted, 0 to 7.
     * @return a copy with the change.
     */
    public CmConnectionParameters withRetries(int retry, int rnrRetry) {
        return new CmConnectionParameters(queuePairNumber, sharedReceiveQueue, responderResources, initiatorDepth,
                flowControl, retry, rnrRetry, privateData);
    }

    /**
     * Changes the bytes that the peer gets with the event.
     *
     * @param data is copied; {@link CmPortSpace} has the limits.
     * @return a copy with the change.
     */
    public CmConnectionParameters withPrivateData(byte[] data) {
        return new CmConnectionParameters(queuePairNumber, sharedReceiveQueue, responderResources, initiatorDepth,
                flowControl, retryCount, rnrRetryCount, data);
    }

    /** @param max maximum number of bytes of private data in the message. */
    NativeMemory write(int max) {
        checkPrivateData(privateData, max);
        return new NativeMemory(ConnectionParameters.SIZE)
                .putU32(ConnectionParameters.QP_NUM, queuePairNumber)
                .putU8(ConnectionParameters.RESPONDER_RESOURCES, responderResources)
                .putU8(ConnectionParameters.INITIATOR_DEPTH, initiatorDepth)
                .putU8(ConnectionParameters.FLOW_CONTROL, flowControl ? 1 : 0)
                .putU8(ConnectionParameters.RETRY_COUNT, retryCount)
                .putU8(ConnectionParameters.RNR_RETRY_COUNT, rnrRetryCount)
                .putU8(ConnectionParameters.SRQ, sharedReceiveQueue ? 1 : 0)
                .putU8(ConnectionParameters.PRIVATE_DATA_LEN, privateData.length)
                .putBytes(ConnectionParameters.PRIVATE_DATA, privateData);
    }

    static void checkPrivateData(byte[] data, int max) {
        if (data.length > max) {
            throw new IllegalArgumentException(data.length + " bytes of private data do not fit, " + max + " do");
        }
    }

    private static void range(String name, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", not within 0 to " + max);
        }
    }
}
