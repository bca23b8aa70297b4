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
package io.nettyrdma.datagram;

import io.nettyrdma.io.BlockingCall;
import io.nettyrdma.io.RdmaIoOps;
import io.nettyrdma.io.RdmaIoRegistration;

import java.util.function.Consumer;

/** What address handles need of the event loop. */
interface HandleLoop {

    /**
     * Makes a call on another thread.
     *
     * @param onReturn gets what the call threw, or {@code null}; on the loop.
     */
    void blocking(BlockingCall.Call call, Consumer<Throwable> onReturn);

    /** {@link RdmaIoRegistration#rounds}. */
    long rounds();

    /** Asks for another turn of the loop before it sleeps. */
    void revisit();

    static HandleLoop of(RdmaIoRegistration registration) {
        return new HandleLoop() {
            @Override
            public void blocking(BlockingCall.Call call, Consumer<Throwable> onReturn) {
                registration.loop().blocking(call, onReturn);
            }

            @Override
            public long rounds() {
                return registration.rounds();
            }

            @Override
            public void revisit() {
                registration.submit(RdmaIoOps.REVISIT);
            }
        };
    }
}
