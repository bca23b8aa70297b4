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
package io.nettyrdma.cm;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.jni.DeviceChoice;
import io.nettyrdma.jni.Errno;
import io.nettyrdma.jni.NativeLibrary;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.util.Map;

/**
 * Converts failure events to the exceptions that sockets throw. The message names the peer, the reason that the fabric
 * gave and, where known, the cure.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class CmErrors {

    /** Reject reason on InfiniBand and RoCE: no program listens. */
    static final int INVALID_SERVICE_ID = 8;
    /** Reject reason on InfiniBand and RoCE: the program rejected the request, or the kernel did on its behalf. */
    static final int CONSUMER_DEFINED = 28;
    /** Status of the response to a datagram request: no program listens. */
    static final int SERVICE_NOT_SUPPORTED = 1;
    /** Status of the response to a datagram request: the program rejected the request. */
    static final int SERVICE_REJECTED = 2;

    private static final int MOST_DATA_SHOWN = 16;

    private static final String OTHER_MACHINE = ": the software device reaches programs on this machine only, and no "
            + "network interface of it has this address; use a device of the system (-D" + DeviceChoice.PROPERTY
            + "=system, which is the default) on both machines";

    /** Reject reasons that can occur here (InfiniBand specification, "REJ Rejection Reason"). */
    private static final Map<Integer, String> REASONS = Map.ofEntries(
            Map.entry(1, "it has no queue pairs left"),
            Map.entry(3, "it has no resources left"),
            Map.entry(4, "it timed out waiting for our response"),
            Map.entry(5, "it does not support this kind of request"),
            Map.entry(6, "it does not know the connection's communication id"),
            Map.entry(9, "it does not support this transport service"),
            Map.entry(10, "it still has an old connection with the same queue pair number: try again"),
            Map.entry(12, "it does not accept our GID; check the GID tables with rdma-info"),
            Map.entry(13, "it refuses the LID"),
            Map.entry(14, "it refuses the service level"),
            Map.entry(15, "it refuses the traffic class"),
            Map.entry(16, "it refuses the hop limit"),
            Map.entry(17, "it refuses the packet rate"),
            Map.entry(26, "it does not support our path MTU"),
            Map.entry(27, "it does not support our number of outstanding reads"),
            Map.entry(29, "it refuses the RNR retry count"),
            Map.entry(31, "it uses another version of the CM protocol"),
            Map.entry(32, "it refuses the flow label"),
            Map.entry(35, "it does not support a vendor option"));

    private CmErrors() {
    }

    /**
     * Returns the exception for a failure event.
     *
     * @param event one whose type is a failure.
     * @return a {@link ConnectException} or {@link NoRouteToHostException} where a socket would throw one, otherwise
     *         another {@link IOException}.
     * @throws IllegalArgumentException if the event {@linkplain CmEventType#isFailure is not a failure}.
     */
    public static IOException failure(CmEvent event) {
        return failure(event.type(), event.status(), event.privateData(), event.id().portSpace(),
                event.id().peerAddress());
    }

    static IOException failure(CmEventType type, int status, byte[] privateData, CmPortSpace space,
                               InetSocketAddress peer) {
        switch (type) {
        case ADDR_ERROR:
            return new NoRouteToHostException("No route to host: " + peer + addressFailure(status));
        case ROUTE_ERROR:
            return new NoRouteToHostException("No route to host: " + peer + ": no path was found (" + code(status)
                    + "); on InfiniBand check that a subnet manager runs");
        case UNREACHABLE:
            return new ConnectException(space == CmPortSpace.UDP && status > 0
                    ? refusedDatagrams(status, privateData, peer)
                    : "Connection timed out: " + peer + " did not answer the connection request (" + code(status)
                    + "); check that " + (NativeLibrary.isSoftware() ? "" : "it has an RDMA device with this address, "
                    + "that the network does not drop RoCE (UDP port 4791), and that ")
                    + "its program runs, and accepts requests before its backlog is full");
        case REJECTED:
            return new ConnectException(rejected(status, privateData, peer));
        case CONNECT_ERROR:
            return new ConnectException("Connection to " + peer + " failed (" + code(status) + ')');
        case DEVICE_REMOVAL:
            return new IOException("the RDMA device of the connection to " + peer
                    + " was removed; close everything that was created on it");
        default:
            throw new IllegalArgumentException(type + " is not a failure");
        }
    }

    private static String addressFailure(int status) {
        switch (status) {
        case -Errno.ENODEV:
            return ": no RDMA device leads there (" + code(status)
                    + "); rdma-info shows the devices and their addresses";
        case -Errno.EHOSTUNREACH:
            return NativeLibrary.isSoftware() ? OTHER_MACHINE : ": no host answers for it (" + code(status) + ')';
        case -Errno.ETIMEDOUT:
            return ": its link address was not found in time (" + code(status)
                    + "); check that the host is up, or wait longer";
        default:
            return ": its address was not resolved (" + code(status) + ')';
        }
    }

    private static String rejected(int reason, byte[] privateData, InetSocketAddress peer) {
        if (reason == INVALID_SERVICE_ID || reason == -Errno.ECONNREFUSED && isBlank(privateData)) {
            return "Connection refused: " + peer + ": no program listens there for RDMA (" + code(reason) + ')';
        }
        // siw reports this if the program rejects, or closes the connection without a response (siw_proc_mpareply).
        if (reason == CONSUMER_DEFINED || reason == -Errno.ECONNREFUSED || reason == -Errno.ECONNRESET) {
            return "Connection refused: " + peer + ": " + refusal(privateData) + " (" + code(reason) + ')';
        }
        String words = REASONS.get(reason);
        return "Connection refused: " + peer + (words == null ? "" : ": " + words) + " (" + code(reason) + ')';
    }

    private static String refusedDatagrams(int status, byte[] privateData, InetSocketAddress peer) {
        switch (status) {
        case SERVICE_NOT_SUPPORTED:
            return "Connection refused: " + peer + ": no program listens there for datagrams (" + code(status) + ')';
        case SERVICE_REJECTED:
            return "Connection refused: " + peer + ": " + refusal(privateData) + " (" + code(status) + ')';
        default:
            return "Connection refused: " + peer + " (" + code(status) + ')';
        }
    }

    /** The CM pads private data with zeroes, so the length is unknown; only zeroes most likely mean no data. */
    private static String refusal(byte[] privateData) {
        if (isBlank(privateData)) {
            return "its program rejected the connection without a reason or closed its listener";
        }
        int end = privateData.length;
        while (privateData[end - 1] == 0) {
            end--;
        }
        StringBuilder text = new StringBuilder("its program rejected the connection with ")
                .append(end).append(" bytes of private data: ");
        for (int i = 0; i < Math.min(end, MOST_DATA_SHOWN); i++) {
            text.append(String.format("%02x", privateData[i]));
        }
        return text.append(end > MOST_DATA_SHOWN ? "..." : "").toString();
    }

    private static boolean isBlank(byte[] data) {
        for (byte each : data) {
            if (each != 0) {
                return false;
            }
        }
        return true;
    }

    private static String code(int status) {
        return status < 0 ? Errno.name(status) : "reason " + status;
    }
}
