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
package io.nettyrdma.metrics;

import io.nettyrdma.annotation.UnstableApi;

/**
 * The state and the counts of one connection at one instant. Bytes and messages are those of its {@link RdmaCounter}s.
 *
 * @param bytesStaged bytes sent by a copy to registered memory.
 * @param bytesGathered bytes sent from where the application has them.
 * @param bytesInline bytes sent within work requests.
 * @param messagesStaged messages of which all bytes were copied to registered memory.
 * @param messagesGathered messages with gathered bytes.
 * @param messagesInline messages within work requests.
 * @param bytesReceived bytes that arrived, without headers.
 * @param messagesReceived messages that arrived.
 * @param window receives that the peer may use at a time.
 * @param receiveBytes bytes of data that each has room for.
 * @param sendsInFlight messages and remote operations that have not completed.
 * @param credits messages that the peer has receives for, as far as its frames have arrived.
 * @param creditStalls times that the connection began to wait for credits.
 * @param creditStallNanos for how long, in all, with the present one.
 * @param queueStalls times that it began to wait for room in the send queue, or for staging memory.
 * @param queueStallNanos for how long, in all, with the present one.
 * @since 0.1.0
 */
@UnstableApi
public record RdmaChannelSnapshot(long bytesStaged, long bytesGathered, long bytesInline, long messagesStaged,
                                  long messagesGathered, long messagesInline, long bytesReceived,
                                  long messagesReceived, int window, int receiveBytes, int sendsInFlight, int credits,
                                  long creditStalls, long creditStallNanos, long queueStalls, long queueStallNanos) {
}
