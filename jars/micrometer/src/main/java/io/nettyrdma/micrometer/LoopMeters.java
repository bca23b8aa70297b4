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
package io.nettyrdma.micrometer;

import io.micrometer.core.instrument.binder.BaseUnits;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaGauge;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The meters of each loop. The values of their tags are few: states, paths, sizes and limits, and never a peer. */
final class LoopMeters {

    private static final String SECONDS = "seconds";

    private static final String STATE = "state";
    private static final String PATH = "path";
    private static final String SIZE = "size";
    private static final String CAUSE = "cause";
    private static final String SIDE = "side";
    private static final String OPERATION = "operation";
    private static final String SOURCE = "source";

    static final List<LoopMeter> ALL = all();

    private LoopMeters() {
    }

    private static List<LoopMeter> all() {
        List<LoopMeter> all = new ArrayList<>();
        all.addAll(connections());
        all.addAll(traffic());
        all.addAll(remoteMemory());
        all.addAll(waiting());
        all.addAll(loop());
        all.addAll(devices());
        all.addAll(limits(all));
        return List.copyOf(all);
    }

    private static List<LoopMeter> connections() {
        MeterFamily byState = new MeterFamily("rdma.connections", "Connections by their state");
        MeterFamily opened = new MeterFamily("rdma.connections.opened", "Connections that were opened");
        MeterFamily refused = new MeterFamily("rdma.requests.refused", "Requests that were refused");
        return List.of(
                byState.gauge(RdmaGauge.CONNECTIONS_OPENING, STATE, "opening"),
                byState.gauge(RdmaGauge.CONNECTIONS_OPEN, STATE, "open"),
                byState.gauge(RdmaGauge.CONNECTIONS_DRAINING, STATE, "draining"),
                byState.gauge(RdmaGauge.CONNECTIONS_DEPARTING, STATE, "departing"),
                opened.counter(RdmaCounter.CONNECTIONS_MADE, SIDE, "client"),
                opened.counter(RdmaCounter.CONNECTIONS_ACCEPTED, SIDE, "server"),
                new MeterFamily("rdma.connections.failed", "Open connections that ended by a failure")
                        .counter(RdmaCounter.CONNECTIONS_FAILED),
                new MeterFamily("rdma.handshakes.failed", "Attempts to connect or accept that failed")
                        .counter(RdmaCounter.HANDSHAKES_FAILED),
                refused.counter(RdmaCounter.REQUESTS_REFUSED, CAUSE, "protocol"),
                refused.counter(RdmaCounter.REQUESTS_BEYOND_BACKLOG, CAUSE, "backlog"),
                refused.counter(RdmaCounter.CHILDREN_REFUSED, CAUSE, "resources"),
                new MeterFamily("rdma.listeners", "Server channels").gauge(RdmaGauge.LISTENERS),
                new MeterFamily("rdma.datagram.channels", "Datagram channels")
                        .gauge(RdmaGauge.DATAGRAM_CHANNELS));
    }

    private static List<LoopMeter> traffic() {
        MeterFamily sent = new MeterFamily("rdma.sent", BaseUnits.BYTES, "Bytes that were sent, by their path");
        MeterFamily messages = new MeterFamily("rdma.sent.messages", "Messages that were sent");
        return List.of(
                sent.counter(RdmaCounter.BYTES_GATHERED, PATH, "gathered"),
                sent.counter(RdmaCounter.BYTES_STAGED, PATH, "copied"),
                sent.counter(RdmaCounter.BYTES_INLINE, PATH, "inline"),
                messages.counter(RdmaCounter.MESSAGES_GATHERED, PATH, "gathered"),
                messages.counter(RdmaCounter.MESSAGES_STAGED, PATH, "copied"),
                messages.counter(RdmaCounter.MESSAGES_INLINE, PATH, "inline"),
                new MeterFamily("rdma.received", BaseUnits.BYTES, "Bytes that were received")
                        .counter(RdmaCounter.BYTES_RECEIVED),
                new MeterFamily("rdma.unread.copied", BaseUnits.BYTES, "Unread bytes that were copied aside")
                        .counter(RdmaCounter.BYTES_COPIED_UNREAD),
                new MeterFamily("rdma.received.messages", "Messages that were received")
                        .counter(RdmaCounter.MESSAGES_RECEIVED));
    }

    private static List<LoopMeter> remoteMemory() {
        MeterFamily bytes = new MeterFamily("rdma.remote", BaseUnits.BYTES, "Bytes of remote memory, by operation");
        MeterFamily operations = new MeterFamily("rdma.remote.operations", "Operations on remote memory");
        return List.of(
                bytes.counter(RdmaCounter.REMOTE_BYTES_WRITTEN, OPERATION, "write"),
                bytes.counter(RdmaCounter.REMOTE_BYTES_READ, OPERATION, "read"),
                operations.counter(RdmaCounter.REMOTE_WRITES, OPERATION, "write"),
                operations.counter(RdmaCounter.REMOTE_READS, OPERATION, "read"),
                operations.counter(RdmaCounter.REMOTE_ATOMICS, OPERATION, "atomic"));
    }

    private static List<LoopMeter> waiting() {
        MeterFamily stalls = new MeterFamily("rdma.stalls", SECONDS,
                "Waits of connections with data to send, that are over");
        MeterFamily stalled = new MeterFamily("rdma.connections.stalled",
                "Connections that wait with data to send");
        MeterFamily receives = new MeterFamily("rdma.receives",
                "Receives of all windows, by the bytes that each has room for");
        return List.of(
                stalls.timer(RdmaCounter.CREDIT_STALLS, RdmaCounter.CREDIT_STALL_NANOS, CAUSE, "credit"),
                stalls.timer(RdmaCounter.QUEUE_STALLS, RdmaCounter.QUEUE_STALL_NANOS, CAUSE, "queue"),
                stalled.gauge(RdmaGauge.CREDIT_STALLED, CAUSE, "credit"),
                stalled.gauge(RdmaGauge.QUEUE_STALLED, CAUSE, "queue"),
                receives.gauge(RdmaGauge.RECEIVES_UP_TO_1_KIB, SIZE, "1KiB"),
                receives.gauge(RdmaGauge.RECEIVES_UP_TO_8_KIB, SIZE, "8KiB"),
                receives.gauge(RdmaGauge.RECEIVES_UP_TO_64_KIB, SIZE, "64KiB"),
                receives.gauge(RdmaGauge.RECEIVES_LARGER, SIZE, "larger"),
                new MeterFamily("rdma.sends.active", "Messages and operations that have not completed")
                        .gauge(RdmaGauge.SENDS_IN_FLIGHT));
    }

    private static List<LoopMeter> loop() {
        MeterFamily time = new MeterFamily("rdma.loop.time", SECONDS, "How the loop spends its time");
        return List.of(
                time.seconds(RdmaCounter.NANOS_WORKING, STATE, "working"),
                time.seconds(RdmaCounter.NANOS_SPINNING, STATE, "spinning"),
                time.seconds(RdmaCounter.NANOS_ASLEEP, STATE, "asleep"),
                new MeterFamily("rdma.loop.polls", "Polls of all completion queues")
                        .counter(RdmaCounter.POLLS),
                new MeterFamily("rdma.loop.polls.empty", "Polls that found nothing")
                        .counter(RdmaCounter.EMPTY_POLLS));
    }

    private static List<LoopMeter> devices() {
        MeterFamily events = new MeterFamily("rdma.async.events", "Asynchronous events of devices");
        return List.of(
                events.counter(RdmaCounter.DEVICE_EVENTS, SOURCE, "device"),
                events.counter(RdmaCounter.PORT_EVENTS, SOURCE, "port"),
                events.counter(RdmaCounter.COMPLETION_QUEUE_EVENTS, SOURCE, "completion_queue"),
                events.counter(RdmaCounter.QUEUE_PAIR_EVENTS, SOURCE, "queue_pair"));
    }

    /** A counter that no other meter shows counts a limit, or something else that is rare. */
    private static List<LoopMeter> limits(List<LoopMeter> others) {
        MeterFamily limits = new MeterFamily("rdma.limits", "Limits that were reached, and other rare events");
        // This one is the sum of two others.
        Set<RdmaCounter> shown = EnumSet.of(RdmaCounter.BYTES_COPIED_OUT);
        others.forEach(meter -> shown.addAll(meter.counters()));
        return EnumSet.complementOf(EnumSet.copyOf(shown)).stream()
                .map(counter -> limits.counter(counter, "limit", counter.name().toLowerCase(Locale.ROOT))).toList();
    }
}
