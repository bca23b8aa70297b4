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
package io.nettyrdma.microbench.echo;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;

import java.util.Locale;
import java.util.function.Supplier;

/** The kinds of measurements. */
enum Kind {
    /** One message at a time travels to the server and back. */
    ROUND_TRIP("round trip", EchoHandler::new, RoundTripHandler::new, true, "p50 us | p99 us | mean us",
            "%.1f", "%.1f", "%.1f"),
    /** Messages travel one way, as many as the channel takes, until the server has counted them. */
    ONE_WAY("one way", CountingHandler::new, OneWayHandler::new, false, "MiB/s | messages/s", "%,.0f", "%,.0f"),
    /** Messages travel to the server and back, as many as the channel takes. Tasks of the client's loop write them. */
    ECHO_STREAM("echo stream", StreamEchoHandler::new, (size, nanos) -> new EchoStreamHandler(size, nanos, false),
            false, "MiB/s | messages/s", "%,.0f", "%,.0f"),
    /** As {@link #ECHO_STREAM}, but written in the events of the channel: it is active, or writable again. */
    ECHO_STREAM_IN_EVENT("echo stream in event", StreamEchoHandler::new,
            (size, nanos) -> new EchoStreamHandler(size, nanos, true), false, "MiB/s | messages/s", "%,.0f", "%,.0f"),
    /** As {@link #ROUND_TRIP}, while the same loops have many connections that send nothing. */
    BESIDE_IDLE("round trip beside idle connections", EchoHandler::new, RoundTripHandler::new, false,
            "round trips/s | alone | times alone", "%,.0f", "%,.0f", "%.2f"),
    /** As {@link #ONE_WAY}, while the same loops have many connections that send nothing. */
    ONE_WAY_BESIDE_IDLE("one way beside idle connections", CountingHandler::new, OneWayHandler::new, false,
            "messages/s | alone | times alone", "%,.0f", "%,.0f", "%.2f"),
    /** As {@link #ROUND_TRIP}, while others connect to the same loop of the server and close. */
    WHILE_ACCEPTING("round trip while others connect", EchoHandler::new, RoundTripHandler::new, true,
            "p50 us | p99 us | p50 alone | p99 alone | connects/s", "%.1f", "%.1f", "%.1f", "%.1f", "%,.0f"),
    /** A client connects and closes repeatedly. */
    CONNECT("connect and close", "at a time", "connections/s | us each", "%,.0f", "%,.1f"),
    /** A client connects many times at once. */
    CONNECT_MANY("connect", "at once", "connections/s | us all", "%,.0f", "%,.0f"),
    /** A client acquires a channel of a pool and releases it, repeatedly. */
    POOL("acquire and release", "in the pool", "acquisitions/s | us each", "%,.0f", "%,.1f");

    /** The client's handler of a kind that sends messages. */
    private interface ClientHandlers {

        MeasuringHandler create(int size, long nanos);
    }

    private final String title;
    private final String unit;
    private final Supplier<ChannelHandler> server;
    /** {@code null} if the kind sends nothing. */
    private final ClientHandlers client;
    /** Whether less of the main figure is faster. */
    private final boolean isTime;
    private final String columns;
    private final String[] formats;

    /** A kind that sends messages of some bytes. */
    Kind(String title, Supplier<ChannelHandler> server, ClientHandlers client, boolean isTime, String columns,
         String... formats) {
        this(title, "B", server, client, isTime, columns, formats);
    }

    /** A kind that sends nothing. */
    Kind(String title, String unit, String columns, String... formats) {
        this(title, unit, ChannelInboundHandlerAdapter::new, null, false, columns, formats);
    }

    Kind(String title, String unit, Supplier<ChannelHandler> server, ClientHandlers client, boolean isTime,
         String columns, String... formats) {
        this.title = title;
        this.unit = unit;
        this.server = server;
        this.client = client;
        this.isTime = isTime;
        this.columns = columns;
        this.formats = formats;
    }

    /** The kind that {@code name} stands for in an option. */
    static Kind of(String name) {
        for (Kind kind : values()) {
            if (kind.toString().equals(name)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("no kind '" + name + "'");
    }

    /** Whether the kind sends messages, of several sizes. */
    boolean hasMessages() {
        return client != null;
    }

    ChannelHandler serverHandler() {
        return server.get();
    }

    MeasuringHandler clientHandler(int size, long nanos) {
        return client.create(size, nanos);
    }

    double timesAsFast(Figure figure, Figure than) {
        return isTime ? than.main() / figure.main() : figure.main() / than.main();
    }

    String title() {
        return title;
    }

    /** The unit of a size. */
    String unit() {
        return unit;
    }

    /** The headings of the columns, with a bar between them. */
    String columns() {
        return columns;
    }

    /** One format for each column. */
    String[] formats() {
        return formats;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
