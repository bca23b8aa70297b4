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

import jdk.jfr.FlightRecorder;

import java.net.SocketAddress;

/**
 * Writes events of the flight recorder. The first event of a process initializes the recorder, which takes 150 ms of
 * processor time (OpenJDK 17): the first connection must not wait for it. So nothing begins before a recording runs,
 * and before that a call costs a check of one flag. Events that take time are {@code null} then.
 */
public final class Recorder {

    private Recorder() {
    }

    // ---- events that take time ----

    /** A connect begins. */
    public static OpeningEvent connect() {
        return FlightRecorder.isInitialized() ? begin(new ConnectEvent()) : null;
    }

    /** A child begins to be accepted. */
    public static OpeningEvent accept() {
        return FlightRecorder.isInitialized() ? begin(new AcceptEvent()) : null;
    }

    private static OpeningEvent begin(OpeningEvent event) {
        event.begin();
        return event;
    }

    /** @param outcome an exception, or {@link OpeningEvent#OPEN}. */
    public static void opened(OpeningEvent event, SocketAddress local, SocketAddress peer, String device,
                              Object outcome) {
        event.end();
        if (event.shouldCommit()) {
            event.setEnds(local, peer, device);
            event.outcome = outcome.toString();
            event.commit();
        }
    }

    /** A sender has no credits from now on. */
    public static StallEvent stall() {
        return FlightRecorder.isInitialized() ? new StallEvent() : null;
    }

    /** Ends the event, and commits it if it took longer than the threshold. */
    public static void stallEnded(StallEvent event, ConnectionEnds of) {
        event.end();
        if (event.shouldCommit()) {
            event.setEnds(of.localAddress(), of.peerAddress(), of.deviceName());
            event.commit();
        }
    }

    // ---- events of an instant ----

    /** @param reason an exception, or words. */
    public static void closed(SocketAddress local, SocketAddress peer, String device, Object reason) {
        if (FlightRecorder.isInitialized()) {
            CloseEvent event = new CloseEvent();
            if (event.shouldCommit()) {
                event.setEnds(local, peer, device);
                event.reason = reason.toString();
                event.commit();
            }
        }
    }

    /**
     * @param before the number of receives until now, {@code bytesBefore} the length of each.
     * @param receives the number from now on, {@code bytes} the length of each.
     */
    public static void windowChanged(ConnectionEnds of, int before, int receives, int bytesBefore, int bytes) {
        if (FlightRecorder.isInitialized()) {
            WindowChangeEvent event = new WindowChangeEvent();
            if (event.shouldCommit()) {
                event.setEnds(of.localAddress(), of.peerAddress(), of.deviceName());
                event.receivesBefore = before;
                event.receives = receives;
                event.bytesBefore = bytesBefore;
                event.bytes = bytes;
                event.commit();
            }
        }
    }

    /** @param peer {@code null} for a listener. */
    public static void fellBack(SocketAddress local, SocketAddress peer, String reason) {
        if (FlightRecorder.isInitialized()) {
            FallbackEvent event = new FallbackEvent();
            if (event.shouldCommit()) {
                event.local = text(local);
                event.peer = text(peer);
                event.reason = reason;
                event.commit();
            }
        }
    }

    /** @param text what the peer gets. */
    public static void refused(SocketAddress local, SocketAddress peer, Object reason, String text) {
        if (FlightRecorder.isInitialized()) {
            RefusalEvent event = new RefusalEvent();
            if (event.shouldCommit()) {
                event.local = text(local);
                event.peer = text(peer);
                event.reason = reason.toString();
                event.text = text;
                event.commit();
            }
        }
    }

    /**
     * @param object what the event is about; {@code null} if it is closed by now.
     * @param port 0 unless the event is about a port.
     */
    public static void deviceEvent(String device, Object type, Object object, int port) {
        if (FlightRecorder.isInitialized()) {
            DeviceEvent event = new DeviceEvent();
            if (event.shouldCommit()) {
                event.device = device;
                event.type = type.toString();
                event.object = object == null ? null : object.toString();
                event.port = port;
                event.commit();
            }
        }
    }

    /** As the text of a channel has it. */
    static String text(SocketAddress address) {
        return address == null ? null : address.toString();
    }
}
