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
package io.nettyrdma.info;

import io.nettyrdma.info.Facts.Device;
import io.nettyrdma.info.Facts.Feature;
import io.nettyrdma.info.Facts.GidFact;
import io.nettyrdma.info.Facts.Limits;
import io.nettyrdma.info.Facts.Port;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.DeviceLimits;
import io.nettyrdma.verbs.Fallbacks;
import io.nettyrdma.verbs.GidEntry;
import io.nettyrdma.verbs.PortAttributes;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.VerbsException;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the facts of one device by opening and probing it. A failure is reported as a problem, and the rest goes on.
 */
final class DeviceFacts {

    private interface Question<T> {
        T ask() throws VerbsException;
    }

    private String problem;

    private DeviceFacts() {
    }

    static Device of(RdmaDeviceInfo info) {
        try (RdmaDevice device = RdmaDevice.open(info.name())) {
            return new DeviceFacts().ofOpen(device);
        } catch (VerbsException e) {
            return new Device(info.name(), info.transport().name(), info.guidText(), e.getMessage(), null, null, null,
                    null, null, null, null);
        }
    }

    private Device ofOpen(RdmaDevice device) {
        DeviceLimits limits = device.limits();
        List<Port> ports = new ArrayList<>();
        for (int number = 1; number <= limits.ports(); number++) {
            int asked = number;
            Port port = answer(() -> port(device, asked));
            if (port != null) {
                ports.add(port);
            }
        }
        DeviceCapabilities capabilities = answer(device::capabilities);
        return new Device(device.name(), device.info().transport().name(), device.info().guidText(), problem,
                limits.firmware(), String.format("0x%04x", limits.vendorId()), String.valueOf(limits.partId()), ports,
                capabilities == null ? null : features(capabilities), limits(limits),
                capabilities == null ? null : capabilities.efa());
    }

    /** Runs a query. Only the first problem is kept, because the others usually follow from it. */
    private <T> T answer(Question<T> question) {
        try {
            return question.ask();
        } catch (VerbsException e) {
            problem = problem == null ? e.getMessage() : problem;
            return null;
        }
    }

    private Port port(RdmaDevice device, int number) throws VerbsException {
        PortAttributes port = device.port(number);
        List<GidEntry> entries = answer(() -> device.gids(number));
        List<GidFact> gids = new ArrayList<>();
        for (GidEntry entry : entries == null ? List.<GidEntry>of() : entries) {
            gids.add(new GidFact(entry.index(), entry.gid().toString(), entry.type().name(),
                    networkInterface(entry.interfaceIndex())));
        }
        return new Port(number, port.state().name(), port.linkLayer().name(), port.activeMtu(), port.maxMtu(),
                port.lid(), port.maxMessageBytes(), port.gidTableLength(), port.partitionKeyTableLength(), gids);
    }

    private static String networkInterface(int index) {
        try {
            NetworkInterface found = index == 0 ? null : NetworkInterface.getByIndex(index);
            return found == null ? null : found.getName();
        } catch (SocketException e) {
            return null;
        }
    }

    static List<Feature> features(DeviceCapabilities capabilities) {
        return List.of(
                new Feature("reliable connection", capabilities.reliableConnection(), null),
                ability("extended completion queue", capabilities.extendedCompletionQueue(),
                        Fallbacks.EXTENDED_COMPLETION_QUEUE, "polled by ibv_start_poll", "polled by ibv_poll_cq"),
                ability("single-threaded completion queue", capabilities.singleThreadedQueue(),
                        Fallbacks.SINGLE_THREADED_QUEUE, "polled without locks", "polled with the device's locks"),
                ability("sender gids", capabilities.senderGids(), Fallbacks.SENDER_GIDS,
                        "completions name senders without an address handle", null),
                ability("extended queue pair", capabilities.extendedQueuePair(), Fallbacks.EXTENDED_QUEUE_PAIR,
                        "posted to by ibv_wr_start", "posted to by ibv_post_send"),
                ability("shared receive queue", capabilities.sharedReceiveQueue(), Fallbacks.SHARED_RECEIVE_QUEUE,
                        "one for many queue pairs", "each queue pair has its own"),
                ability("relaxed ordering", capabilities.relaxedOrdering(), Fallbacks.RELAXED_ORDERING,
                        "requested", "memory is written in order"),
                ability("unsignaled sends", capabilities.unsignaledSends(), Fallbacks.UNSIGNALED_SENDS,
                        "one completion retires several sends", "each send has a completion"),
                ability("non-blocking connect", capabilities.nonBlockingConnect(), Fallbacks.NON_BLOCKING_CONNECT,
                        "called by the event loop", "called by a thread that may block"),
                ability("confirmed delivery", capabilities.confirmedDelivery(), Fallbacks.CONFIRMED_DELIVERY,
                        "a completed send has arrived", "the peer confirms the last frame"),
                ability("accepting side first", capabilities.acceptingSideFirst(), Fallbacks.ACCEPTING_SIDE_FIRST,
                        "either side begins", "the connecting side begins"),
                ability("local reads", capabilities.localReads(), Fallbacks.LOCAL_READS,
                        "into memory of this side only", "refused: the peer would need write access"),
                ability("inline bytes", capabilities.maxInline(), Fallbacks.INLINE, null, null),
                ability("completion events", capabilities.completionEvents(), Fallbacks.COMPLETION_EVENTS,
                        "loops sleep until a completion comes", "loops poll, and nap"),
                new Feature("immediate data", capabilities.immediate(), null),
                new Feature("atomics", capabilities.atomics(), null),
                new Feature("send sge", capabilities.maxSendSge(), null),
                new Feature("receive sge", capabilities.maxReceiveSge(), null));
    }

    private static Feature ability(String name, Object value, Fallbacks fallback, String with, String without) {
        String way = Boolean.TRUE.equals(value) ? with : without;
        if (fallback.isAllowed()) {
            return new Feature(name, value, way);
        }
        String forced = "forced off by -D" + fallback.property() + "=false";
        return new Feature(name, value, way == null ? forced : way + ", " + forced);
    }

    private static Limits limits(DeviceLimits limits) {
        // Drivers report 2^64 - 1 if there is no limit.
        Object maxRegionBytes = limits.maxRegionBytes() < 0 ? "unlimited" : (Object) limits.maxRegionBytes();
        return new Limits(maxRegionBytes, limits.queuePairs(), limits.workRequests(), limits.sge(),
                limits.readSge(), limits.completionQueues(), limits.completionQueueEntries(),
                limits.completionVectors(), limits.memoryRegions(), limits.protectionDomains(), limits.readsOut(),
                limits.readsIn(), limits.addressHandles(), limits.sharedReceiveQueues(),
                limits.sharedReceiveRequests(), limits.sharedReceiveSge());
    }
}
