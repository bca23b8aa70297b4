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
package io.nettyrdma.testsuite.soak;

/**
 * What both ends of a connection know about each other, derived from the seed that the client sends first.
 *
 * <pre>
 *   client:  seed (8)  (message | record)*  end      message:  length (4)  bytes of a sequence that the seed gives
 *   server:            (message | record)*  end      record:   {@link RemoteTraffic.Record}
 *                                                    end:      0 (4)
 * </pre>
 *
 * @param clientFirst whether the client initiates the end.
 */
record Plan(long seed, Ending ending, boolean clientFirst) {

    static final int SEED_BYTES = Long.BYTES;
    static final int LENGTH_BYTES = Integer.BYTES;
    static final int END = 0;

    /** How the first end ends the connection. */
    enum Ending {
        /** When everything is written and everything has arrived. */
        CLOSE,
        /** When everything is written. The other end closes when it has written everything too. */
        HALF_CLOSE,
        /** In the middle: what is in flight is lost. */
        ABORT
    }

    /** Out of 16 connections. */
    private static final int ABORTED = 1;
    private static final int HALF_CLOSED = 6;

    static Plan of(long seed) {
        int number = (int) seed & 15;
        Ending ending = number < ABORTED ? Ending.ABORT
                : number < ABORTED + HALF_CLOSED ? Ending.HALF_CLOSE : Ending.CLOSE;
        return new Plan(seed, ending, (seed & 16) == 0);
    }

    /** Whether the ends access each other's memory. */
    boolean isRemote() {
        return (seed & 32) == 0;
    }

    boolean isFirst(boolean client) {
        return client == clientFirst;
    }

    SeededBytes bytesOf(boolean client) {
        return new SeededBytes(client ? seed : ~seed);
    }

    SeededBytes writesOf(boolean client) {
        return new SeededBytes((client ? seed : ~seed) * 31);
    }

    @Override
    public String toString() {
        return (isRemote() ? "remote operations, " : "") + ending + " by the " + (clientFirst ? "client" : "server")
                + ", seed " + seed;
    }
}
