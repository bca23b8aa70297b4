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
import io.nettyrdma.annotation.UnstableApi;

/**
 * A connection or a listener on a loop of an {@link RdmaIoHandler}. It gets {@link RdmaIoEvent}s by {@link #handle},
 * with its {@link RdmaIoRegistration}, which is also the attachment of Netty's registration.
 *
 * <pre>
 *   register ------&gt; registered()
 *                    handle(), any number of times
 *   cancel --------&gt; handle(), while completions are outstanding
 *                    unregistered()
 * </pre>
 *
 * All methods are called on the loop's thread. If {@link #handle} throws, the exception is logged and the handle is
 * closed.
 *
 * @since 0.1.0
 */
@UnstableApi
public interface RdmaIoHandle extends IoHandle {

    /** Events may follow. Declared here because Netty's interface has it since 4.2.7 only. */
    @Override
    default void registered() {
    }

    /**
     * {@return the number of work requests in flight, whose memory the device may access} Called when the registration
     * is cancelled, and after that whenever completions arrive or {@link RdmaIoOps#REVISIT} is submitted. At 0 the
     * handle is unregistered.
     */
    int outstandingWork();

    /**
     * No more events follow. The handle closes its queue pair here at the latest, and releases memory only after that:
     * at the end of the loop, and if the device or the completion queue has failed, work may still be outstanding.
     */
    @Override
    default void unregistered() {
    }

    /**
     * The loop ends. The handle closes itself and finally cancels its registration. It may take time while work is
     * outstanding; on a second call it must close at once.
     */
    @Override
    void close();

    /**
     * The loop ends, and waits for the outstanding work of this handle, which is closed. Timers do not run any more:
     * the handle ends what has taken too long. Called again and again.
     */
    default void checkTime() {
    }

    /** The loop has ended: the handle gives up what is outstanding. */
    default void giveUp() {
    }
}
