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
package io.nettyrdma.recorder;

import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Registered;

import java.net.SocketAddress;

/**
 * Base class of the events about one connection. Subclasses must set {@code @Registered(true)} explicitly: otherwise
 * JDK 17 uses the value of this class.
 */
@Registered(false)
abstract class ConnectionEvent extends Event {

    @Label("Local address")
    String local;

    @Label("Peer")
    String peer;

    @Label("Device")
    String device;

    final void setEnds(SocketAddress localAddress, SocketAddress peerAddress, String deviceName) {
        local = Recorder.text(localAddress);
        peer = Recorder.text(peerAddress);
        device = deviceName;
    }
}
