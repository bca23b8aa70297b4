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
 * A file transfer by RDMA writes, for users to copy. {@code bin/file-transfer} runs it.
 *
 * <pre>
 *   client                                         server
 *     | -- OFFER length, SHA-256, name ------------&gt; |  allocates and exposes memory
 *     | &lt;- MEMORY address, length, key ------------- |
 *     | == RDMA writes, 1 MiB each ================&gt; |  its program does nothing
 *     | -- DONE -----------------------------------&gt; |  withdraws the memory, then hashes it
 *     | &lt;- VERDICT good or bad --------------------- |
 * </pre>
 *
 * The server may send REFUSAL and its reason in place of MEMORY or VERDICT. Either end closes a connection whose peer
 * sends anything else.
 */
package io.nettyrdma.example.file;
