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
 * The Java agent: what the JVM calls. See docs/decisions/0047.
 *
 * <pre>
 *   the program's loader          Agent, IsolatedLoader
 *   IsolatedLoader                swap, and ASM: no class that the program sees
 *   one NettyLoader for each
 *   copy of Netty, its parent
 *   is the loader of that copy    beside, the transport, and Netty's epoll where the program has none
 *   java.base                     one class with one field, which instrumented classes of Netty call
 * </pre>
 */
package io.nettyrdma.agent;
