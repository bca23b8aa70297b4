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
package io.nettyrdma.buffer;

import jdk.jfr.FlightRecorder;

/**
 * Begins events of the flight recorder. The first event of a process initializes the recorder, which takes 150 ms of
 * processor time (OpenJDK 17): the first connection must not wait for it. So nothing begins before a recording runs.
 */
final class MemoryEvents {

    private MemoryEvents() {
    }

    /** {@code null} if nothing is recorded, like the others. */
    static ChunkEvent commit() {
        return FlightRecorder.isInitialized() ? begin(new ChunkCommitEvent()) : null;
    }

    static ChunkEvent release() {
        return FlightRecorder.isInitialized() ? begin(new ChunkReleaseEvent()) : null;
    }

    static ChunkEvent registration(String device) {
        return FlightRecorder.isInitialized() ? begin(new RegistrationEvent(device)) : null;
    }

    private static ChunkEvent begin(ChunkEvent event) {
        event.begin();
        return event;
    }

    /** Ends the event. */
    static void done(ChunkEvent event, Chunk chunk) {
        if (event != null) {
            event.done(chunk);
        }
    }
}
