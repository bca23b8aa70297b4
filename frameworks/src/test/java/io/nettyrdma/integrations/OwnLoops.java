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
package io.nettyrdma.integrations;

/** The checks around a program that creates its own loops. */
final class OwnLoops implements AutoCloseable {

    private final TcpSockets sockets = new TcpSockets();
    private final Remains remains = new Remains();
    private final Carrier carrier;

    OwnLoops(Carrier carrier) {
        this.carrier = carrier;
    }

    /** Call while the program's connections are open: all of them must be of the carrier's kind. */
    void checkSockets() {
        sockets.check(carrier);
    }

    /** Call after the program has closed what it can close. */
    @Override
    public void close() {
        if (carrier == Carrier.AGENT) {
            remains.closeLoopsStay();
            return;
        }
        RdmaLoops.endAll();
        remains.close();
    }
}
