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

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.EventExecutor;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.io.LoopDevice;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.metrics.RdmaGauge;
import io.nettyrdma.verbs.AsyncEvent;

import java.io.IOException;

/**
 * The part of a datagram channel that belongs to one event loop: the registration there, and the one queue pair that
 * may be opened on it. It stays until the registration has ended, which may be after the channel was registered with
 * another loop.
 *
 * <pre>
 *   the channel's events  &lt;------ DatagramEvents ------+
 *                                                      |
 *   loop ---dispatches---&gt; DatagramHandle ---&gt; DatagramQueuePair
 * </pre>
 *
 * Belongs to the event loop, unless a member says otherwise.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class DatagramHandle implements RdmaIoHandle {

    private final EventExecutor loop;
    private final DatagramEvents events;
    private IoRegistration registration;
    /** {@code null} before it is opened. */
    private DatagramQueuePair queuePair;

    /**
     * Makes a handle, for the caller to register with the loop.
     *
     * @param loop the event loop.
     * @param events gets reports.
     */
    public DatagramHandle(EventExecutor loop, DatagramEvents events) {
        this.loop = loop;
        this.events = events;
    }

    // ---- of the channel ----

    /**
     * The handle is registered. Called once, before the other members.
     *
     * @param given Netty's registration.
     */
    public void onRegistered(IoRegistration given) {
        registration = given;
        counters().add(RdmaGauge.DATAGRAM_CHANNELS, 1);
    }

    private RdmaIoRegistration registration() {
        return registration.attachment();
    }

    /** {@return the counters of the loop} Any thread. */
    public RdmaCounters counters() {
        return registration().loop().counters();
    }

    /**
     * {@return the devices that exist, to choose one from}
     *
     * @throws IOException if they cannot be listed, with the reason.
     */
    public DatagramDevices devices() throws IOException {
        return DatagramDevices.of(registration().loop());
    }

    /**
     * Opens the queue pair, which can receive and send then. Called once at most with success.
     *
     * @param device the name of the device.
     * @param services says what the datagrams are like on the device.
     * @param config what is wanted.
     * @return the queue pair, which is closed by {@link DatagramQueuePair#leave}, or when the registration ends.
     * @throws IOException if it is refused, with the reason.
     */
    public DatagramQueuePair open(String device, DatagramService.Source services, DatagramConfig config)
            throws IOException {
        LoopDevice opened = registration().loop().device(device);
        queuePair = DatagramQueuePair.open(registration(), opened, services, config, loop, events);
        return queuePair;
    }

    /** Cancels the registration, which ends when no work is left. */
    public void cancel() {
        registration.cancel();
    }

    // ---- of the loop ----

    @Override
    public void handle(IoRegistration ignored, IoEvent event) {
        RdmaIoEvent rdma = (RdmaIoEvent) event;
        switch (rdma.kind()) {
        case COMPLETION -> queuePair.completed(rdma.completion());
        case COMPLETIONS_DONE -> completionsDone();
        case ASYNC_EVENT -> asyncEvent(rdma.asyncEvent());
        default -> { }
        }
    }

    private void completionsDone() {
        if (queuePair != null) {
            queuePair.completionsDone();
        }
    }

    private void asyncEvent(AsyncEvent event) {
        if (queuePair != null) {
            queuePair.fail(new IOException(event + " ended " + queuePair));
        }
    }

    @Override
    public int outstandingWork() {
        return queuePair == null ? 0 : queuePair.outstandingWork();
    }

    @Override
    public void unregistered() {
        if (registration != null) {
            counters().add(RdmaGauge.DATAGRAM_CHANNELS, -1);
        }
        if (queuePair != null) {
            queuePair.close();
        }
    }

    @Override
    public void close() {
        events.loopEnds();
    }
}
