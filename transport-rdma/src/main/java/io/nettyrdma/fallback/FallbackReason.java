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
package io.nettyrdma.fallback;

import io.nettyrdma.annotation.UnstableApi;

/**
 * Why a connection is not made by RDMA.
 *
 * @since 0.1.0
 */
@UnstableApi
public enum FallbackReason {

    /** {@link TransportPolicy#TCP_ONLY}. */
    POLICY("the policy allows TCP only"),

    /** The event loop is none of an {@code RdmaIoHandler}: there is no RDMA here, or the group is another one. */
    EVENT_LOOP("the event loop has no RDMA"),

    /** The address belongs to no RDMA device, or leads to none. */
    NO_ROUTE("no RDMA device leads there"),

    /** The host has answered that it does not accept the connection by RDMA. */
    REFUSED("the peer refused it by RDMA"),

    /** The host has not answered within the head start. */
    SILENT("the peer did not answer by RDMA in time"),

    /** It was so a short time ago, and RDMA was not tried. */
    REMEMBERED("the peer did not answer by RDMA before"),

    /** Another failure, most often of this machine, such as the registration of memory. */
    FAILED("the attempt by RDMA failed");

    private final String text;

    FallbackReason(String text) {
        this.text = text;
    }

    /** {@return the reason in words} */
    public String text() {
        return text;
    }
}
