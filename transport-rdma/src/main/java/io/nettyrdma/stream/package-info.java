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

/**
 * A byte stream over one queue pair: what leaves Netty's outbound buffer becomes frames, and frames become buffers
 * again. {@link io.nettyrdma.stream.RdmaStream} is all that a channel sees.
 *
 * <p>Imports {@code memory}, {@code protocol}, {@code metrics} and {@code verbs}; of Netty the buffers, the outbound
 * buffer and file regions, but never a channel and never {@code io}. Everything runs on the loop's thread.
 */
package io.nettyrdma.stream;
