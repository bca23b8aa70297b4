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
package io.nettyrdma.link;

import io.netty.buffer.ByteBufAllocator;

/**
 * What a channel's options say about its connection. Sizes are in bytes, windows and depths in work requests.
 *
 * @param allocator the channel's.
 * @param trafficClass type of service of this side's packets; 0 leaves it to the system.
 * @param reusesAddress whether a port may be bound that an ended connection used.
 * @param allowsRemoteAccess whether the peer may access exposed memory.
 * @param ackTimeoutExponent exponent of 4.096 microseconds, 0 to 31; 0 leaves it to the device.
 * @param retryCount repetitions of a packet that is not acknowledged, 0 to 7.
 * @param rnrRetryCount repetitions of a message that found no receive, 0 to 7; 7 never gives up.
 * @param receiveBuffer size of a receive; {@link #FOLLOWS_TRAFFIC} if it follows the traffic.
 * @param maxReceiveBuffer size that a receive may grow to, if it follows the traffic.
 * @param initialWindow receives that are posted at first.
 * @param maxWindow receives that are posted at most.
 * @param sendQueueDepth sends that may be in flight.
 * @param zeroCopyThreshold messages of this size and more are sent in place.
 */
public record LinkConfig(ByteBufAllocator allocator, int trafficClass, boolean reusesAddress,
                         boolean allowsRemoteAccess, int ackTimeoutExponent, int retryCount, int rnrRetryCount,
                         int receiveBuffer, int maxReceiveBuffer, int initialWindow, int maxWindow,
                         int sendQueueDepth, int zeroCopyThreshold) {

    /** Receives begin with a small size, and grow. */
    public static final int FOLLOWS_TRAFFIC = -1;
}
