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
 * A binding to verbs, the API of rdma-core, which can be used without a channel: a typed class for each object, such as
 * {@link io.nettyrdma.verbs.RdmaDevice}, {@link io.nettyrdma.verbs.ProtectionDomain} and {@link
 * io.nettyrdma.verbs.QueuePair}. {@code io.nettyrdma.cm} connects queue pairs.
 *
 * <p>Except for {@link io.nettyrdma.verbs.RdmaDeviceInfo} it is unstable: a release may change any name. Every release
 * has these rules:
 *
 * <ul>
 * <li><b>Shapes.</b> Objects, states and codes are those of verbs, under the same names. Lengths are in bytes, and a
 * number that C has without a sign has the same bits here. Configurations are immutable records.</li>
 * <li><b>Ownership.</b> The caller of a method that creates an object closes it, children before parents: a parent with
 * open children refuses, and names them. The memory of a posted request is the device's until the completion, and
 * posting does not keep it alive; a region keeps the buffer that it was made of.</li>
 * <li><b>Threads.</b> Any thread opens, creates, registers and closes. One thread at a time uses a queue pair, a
 * completion queue or a batch.</li>
 * <li><b>Errors.</b> Arguments are checked before native code sees them. A refused call throws {@link
 * io.nettyrdma.verbs.VerbsException}, which names the call, the object, the error and, where known, the cure. A work
 * request that fails is no exception but a {@link io.nettyrdma.verbs.WorkCompletion} with its status.</li>
 * <li><b>Cost.</b> Filling a batch, posting and polling allocate nothing and take no lock of ours; there is one native
 * call for each batch.</li>
 * </ul>
 *
 * <p>Imports {@code jni} only, and no Netty channel.
 *
 * @see <a href="https://nettyrdma.io/docs/verbs.html">The binding to verbs</a>
 * @since 0.1.0
 */
package io.nettyrdma.verbs;
