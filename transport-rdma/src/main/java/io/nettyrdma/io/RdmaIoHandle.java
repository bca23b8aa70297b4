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

import io.netty.channel.IoHandle;

/**
 * Something that works on a loop of an {@link RdmaIoHandler}: a connection, or a listener. It gets {@link RdmaIoEvent}s
 * by {@link #handle}, with the {@link RdmaIoRegistration} that its registration has as attachment too.
 *
 * <pre>
 *   register ------&gt; registered()
 *                    handle(), any number of times
 *   cancel --------&gt; handle(), while completions are outstanding
 *                    unregistered()
 * </pre>
 *
 * All methods are called on the loop's thread. What {@link #handle} throws is logged, and the handle closed.
 */
public interface RdmaIoHandle extends IoHandle {

    /**
     * Work requests that were posted and have not ended yet, so that the device may touch their memory. Asked when the
     * registration is cancelled, and from then on whenever completions have come or {@link RdmaIoOps#REVISIT} asks for
     * it; at 0 the handle is unregistered.
     */
    int outstandingWork();

    /**
     * Nothing comes any more. The queue pair is closed here at the latest, and only after it the memory is given back:
     * at the end of the loop, and when the device or the completion queue has failed, this is called though work is
     * outstanding.
     */
    @Override
    default void unregistered() {
    }

    /**
     * The loop ends. The handle closes itself, which ends in cancelling its registration. It may take its time as long
     * as work is outstanding; called again, it has to be done.
     */
    @Override
    void close();
}
