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
 * A binding to rdma_cm, the connection manager of rdma-core, which can be used without a channel: ids that resolve,
 * bind, connect and accept, and the events that report the outcome. {@link io.nettyrdma.cm.CmQueuePair} moves a queue
 * pair of {@code io.nettyrdma.verbs} through the states of a connection.
 *
 * <p>Except for {@link io.nettyrdma.cm.DeviceAddress} it is unstable: a release may change any name. The rules are
 * those of {@code io.nettyrdma.verbs}. In addition:
 *
 * <ul>
 * <li>Calls do not wait for the network, unless they say so: the outcome is an event, and an event channel has a file
 * descriptor to wait on.</li>
 * <li>An id belongs to one event channel, and closes before it. A listener owns the id that comes with a request.</li>
 * <li>One thread at a time takes events off a channel. Events are acknowledged as they are taken, so any thread may
 * close an id at any time.</li>
 * </ul>
 *
 * <p>Imports {@code jni} and {@code verbs}.
 *
 * @see <a href="https://nettyrdma.io/docs/verbs.html">The binding to verbs</a>
 * @since 0.1.0
 */
package io.nettyrdma.cm;
