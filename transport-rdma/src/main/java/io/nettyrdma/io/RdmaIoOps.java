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
package io.nettyrdma.io;

import io.netty.channel.IoOps;
import io.nettyrdma.annotation.UnstableApi;

/**
 * Operations that can be submitted to a registration. Work requests are not among them: they are posted to the queue
 * pair itself, many at a time.
 *
 * @since 0.1.0
 */
@UnstableApi
public enum RdmaIoOps implements IoOps {

    /**
     * Requests one {@link RdmaIoEvent.Kind#COMPLETIONS_DONE}, even if nothing has completed, before the loop waits the
     * next time. Needs no task. The event follows the present batch, and is never handed out within the call.
     */
    REVISIT
}
