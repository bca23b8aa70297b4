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
package io.nettyrdma.verbs;

import io.nettyrdma.annotation.UnstableApi;

/**
 * An asynchronous event of a device ({@code struct ibv_async_event}).
 *
 * @param source the queue pair, completion queue or shared receive queue that the event is about; the device for device
 *        and port events; {@code null} if the object has been closed since.
 * @param port the port, from 1, for port events; otherwise 0.
 * @since 0.1.0
 */
@UnstableApi
public record AsyncEvent(AsyncEventType type, VerbsObject source, int port) {
}
