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
package io.nettyrdma.cm;

import io.nettyrdma.annotation.UnstableApi;

/**
 * Receives the events of a channel, on the thread that polls it.
 *
 * @since 0.1.0
 */
@UnstableApi
@FunctionalInterface
public interface CmEventListener {

    /**
     * Called for each event. For a connection request, the listener now owns {@link CmEvent#newId} and must accept,
     * reject or close it. An exception propagates to the caller of {@code poll}; the event is not delivered again.
     *
     * @param event valid until the call returns.
     */
    void onEvent(CmEvent event);
}
