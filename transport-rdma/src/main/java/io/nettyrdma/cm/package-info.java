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
 * The RDMA connection manager: ids that resolve, bind, connect and accept, and the events that report the outcome.
 *
 * <p>Imports {@code jni} and {@code verbs}. Calls do not wait for the network, except where documented: an event
 * channel has a file descriptor to wait on. Events are acknowledged as they are taken, so any thread may close an id at
 * any time.
 */
package io.nettyrdma.cm;
