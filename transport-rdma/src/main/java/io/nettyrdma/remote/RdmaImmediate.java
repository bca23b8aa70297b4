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
package io.nettyrdma.remote;

import io.nettyrdma.annotation.UnstableApi;

/**
 * A user event of a connection: a write of the peer with an immediate is complete, and its bytes are in this side's
 * memory. It comes in order with the bytes of the stream.
 *
 * @param value what {@link RdmaWrite#withImmediate} was given.
 * @param length bytes of the peer's last work request. A write that was longer than the device's longest message has
 *        taken several.
 * @since 0.1.0
 */
@UnstableApi
public record RdmaImmediate(int value, int length) {
}
