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
package io.nettyrdma.agent.swap;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A method of Netty, or of a framework that creates channels by itself, in which a value is swapped.
 *
 * @param type of which the name ends with this; what comes before it is the prefix of a relocated copy.
 * @param method the name.
 * @param descriptor how the method's descriptor begins.
 * @param kind what is swapped.
 * @param context the local variables that decide it, which have objects.
 */
record Point(String type, String method, String descriptor, Kind kind, List<Integer> context) {

    /** What is swapped. The names are those that {@code beside} knows. */
    enum Kind {
        /** The result: a factory of handlers. */
        NIO,
        EPOLL,
        IO_URING,
        /** The factory of channels, before {@code newChannel} is called. */
        CHANNELS,
        /** The loop's handler, where Netty asks for its class, or casts it. */
        HANDLER,
        /** The result: the parent of a channel. */
        PARENT
    }

    private static final String LOOP = "io/netty/channel/SingleThreadIoEventLoop";

    private static final List<Point> ALL = List.of(
            new Point("io/netty/channel/nio/NioIoHandler", "newFactory",
                    "(Ljava/nio/channels/spi/SelectorProvider;L", Kind.NIO, List.of(0, 1)),
            new Point("io/netty/channel/epoll/EpollIoHandler", "newFactory", "(IL", Kind.EPOLL, List.of(1)),
            new Point("io/netty/channel/uring/IoUringIoHandler", "newFactory", "(L", Kind.IO_URING, List.of(0)),
            new Point("io/netty/bootstrap/AbstractBootstrap", "initAndRegister", "()", Kind.CHANNELS, List.of(0)),
            // The last parameter is the channel's event loop.
            new Point("reactor/netty/transport/TransportConnector", "doInitAndRegister", "(L", Kind.CHANNELS,
                    List.of(3)),
            new Point(LOOP, "isIoType", "(", Kind.HANDLER, List.of()),
            new Point(LOOP, "ioHandler", "(", Kind.HANDLER, List.of()),
            new Point("io/netty/channel/AbstractChannel", "parent", "()", Kind.PARENT, List.of()));

    private static final Map<String, List<Point>> POINTS = new HashMap<>();

    static {
        // Without streams and lambdas, which a program that starts may not use.
        for (Point point : ALL) {
            List<Point> same = POINTS.get(simpleName(point.type));
            if (same == null) {
                same = new ArrayList<>();
                POINTS.put(simpleName(point.type), same);
            }
            same.add(point);
        }
    }

    /** Those of a class; empty for almost all classes of a program. */
    static List<Point> of(String className) {
        List<Point> points = POINTS.getOrDefault(simpleName(className), List.of());
        return points.isEmpty() || !isSuffix(points.get(0).type, className) ? List.of() : points;
    }

    private static boolean isSuffix(String type, String className) {
        return className.equals(type) || className.endsWith('/' + type);
    }

    private static String simpleName(String className) {
        return className.substring(className.lastIndexOf('/') + 1);
    }
}
