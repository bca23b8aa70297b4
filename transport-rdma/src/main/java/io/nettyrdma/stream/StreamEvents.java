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
package io.nettyrdma.stream;

import io.nettyrdma.recorder.ConnectionEnds;
import io.nettyrdma.recorder.Recorder;
import io.nettyrdma.recorder.StallEvent;

/** Writes the events of a stream for the flight recorder. Belongs to the event loop. */
final class StreamEvents {

    private final ConnectionEnds connection;
    /** {@code null} unless the sender has no credits, and a recording runs. */
    private StallEvent stall;
    /** The last frame that was sent before the stall. */
    private int lastFrame;

    /** Of the present window. */
    private int receiveBytes;

    /** @param receiveBytes the length of the first receives. */
    StreamEvents(ConnectionEnds connection, int receiveBytes) {
        this.connection = connection;
        this.receiveBytes = receiveBytes;
    }

    /** Whether a stall is being recorded. */
    boolean isStalled() {
        return stall != null;
    }

    /**
     * A flush has ended. Each frame of data that can be sent ends a stall, even if there are no credits for the next.
     *
     * @param frame the last frame of data.
     */
    void flushed(int frame, boolean needsCredit) {
        if (isStalled() && (!needsCredit || frame != lastFrame)) {
            stallEnds();
        }
        if (needsCredit && !isStalled()) {
            stall = Recorder.stall();
            lastFrame = frame;
        }
    }

    /** Credits, or the end of the stream. */
    void stallEnds() {
        if (isStalled()) {
            Recorder.stallEnded(stall, connection);
            stall = null;
        }
    }

    /** A window begins; it may be one like that before. */
    void windowBegins(int before, int receives, int bytes) {
        if (before != receives || receiveBytes != bytes) {
            Recorder.windowChanged(connection, before, receives, receiveBytes, bytes);
            receiveBytes = bytes;
        }
    }
}
