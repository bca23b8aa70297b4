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
 * The allocator: buffers in memory that devices can access. It uses protection domains and memory regions of
 * {@code verbs}, and knows nothing of loops, queue pairs or channels.
 *
 * @see <a href="https://nettyrdma.io/docs/memory.html">Memory</a>
 * @since 0.1.0
 */
package io.nettyrdma.buffer;
