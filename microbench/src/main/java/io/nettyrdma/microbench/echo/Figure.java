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
package io.nettyrdma.microbench.echo;

/**
 * What was seen of one transport in one round.
 *
 * @param main what transports are compared by: microseconds of the median round trip, or MiB/s.
 * @param second microseconds that 99 % of round trips do not exceed, or messages/s.
 * @param third microseconds of the mean round trip; 0 of a throughput.
 */
record Figure(double main, double second, double third) {
}
