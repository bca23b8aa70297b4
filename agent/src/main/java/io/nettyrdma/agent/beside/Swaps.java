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
package io.nettyrdma.agent.beside;

import io.netty.channel.Channel;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.Version;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nettyrdma.Rdma;
import io.nettyrdma.fallback.FallbackReason;
import io.nettyrdma.fallback.RdmaOrTcp;

import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** Answers the points of {@code io.nettyrdma.agent.swap.Point}, by their names. Any thread. */
public final class Swaps implements BiFunction<String, Object[], Object> {

    /** As {@code io.nettyrdma.agent.swap.Call} has them. */
    private static final int VALUE = 3;
    private static final int FIRST = 4;
    private static final int SECOND = 5;

    private final Consumer<String> report;
    private final ChannelSwaps channels;
    private final boolean hasRdma;

    /**
     * Loads the transport.
     *
     * @param report takes lines for the user.
     * @param addresses the rules of the options, see {@link AddressRules}.
     * @throws IllegalStateException if there is no RDMA and it is not required, or if the loops would not run; the
     *         message says why.
     */
    public Swaps(Consumer<String> report, List<String> addresses) {
        boolean isRequired = "required".equals(System.getProperty("io.nettyrdma.policy"));
        Throwable cause = Rdma.unavailabilityCause();
        hasRdma = cause == null;
        if (!hasRdma && !isRequired) {
            throw new IllegalStateException("RDMA is not available: " + cause.getMessage(), cause);
        }
        if (hasRdma) {
            checkEpoll();
        }
        this.report = report;
        channels = new ChannelSwaps(report, new AddressRules(addresses), isRequired);
        report.accept("Netty " + version() + (hasRdma ? " has RDMA, on " + Rdma.devices()
                : " must not connect: RDMA is required, and is not available: " + cause.getMessage()));
    }

    /** If it comes with the agent, it may be too new for the program's Netty. */
    private static void checkEpoll() {
        if (EpollIoHandler.class.getClassLoader() != Swaps.class.getClassLoader()) {
            return;
        }
        try {
            EpollIoHandler.newFactory().newHandler(new ThreadAwareExecutor() {
                @Override
                public boolean isExecutorThread(Thread thread) {
                    return true;
                }

                @Override
                public void execute(Runnable task) {
                    task.run();
                }
            }).destroy();
        } catch (LinkageError e) {
            throw new IllegalStateException("it is " + version() + " without its epoll, and the agent's is for a newer "
                    + "one: add io.netty:netty-transport-native-epoll of that version, with classifier linux-x86_64 "
                    + "or linux-aarch_64", e);
        }
    }

    private static String version() {
        Version version = Version.identify(Swaps.class.getClassLoader()).get("netty-transport");
        return version == null ? "of unknown version" : version.artifactVersion();
    }

    @Override
    public Object apply(String point, Object[] call) {
        return switch (point) {
            case "NIO" -> nio(call);
            case "EPOLL" -> isDefault(call[FIRST], "epoll") ? loops(call, call[VALUE], LoopKind.EPOLL) : call[VALUE];
            case "IO_URING" -> loops(call, hasRdma ? RingGuests.factory(call[FIRST]) : null, LoopKind.IO_URING);
            case "CHANNELS" -> channels.swap(call[VALUE], call[FIRST]);
            case "PARENT" -> parent((Channel) call[VALUE]);
            case "SUMMARY" -> summary();
            default -> throw new IllegalArgumentException(point);
        };
    }

    /** Programs know the server that they have bound, and its attributes; not the listener that is behind it. */
    private static Channel parent(Channel parent) {
        Channel server = RdmaOrTcp.server(parent);
        return server == null ? parent : server;
    }

    private Object nio(Object[] call) {
        SelectorProvider provider = SelectorProvider.provider();
        if (call[FIRST] != provider || !provider.getClass().getName().equals("sun.nio.ch.EPollSelectorProvider")) {
            report.accept("left alone: NIO event loops with the selectors of " + call[FIRST].getClass().getName());
            return call[VALUE];
        }
        return isDefault(call[SECOND], "NIO") ? loops(call, call[VALUE], LoopKind.NIO) : call[VALUE];
    }

    private boolean isDefault(Object strategy, String kind) {
        if (strategy == DefaultSelectStrategyFactory.INSTANCE) {
            return true;
        }
        report.accept("left alone: " + kind + " event loops with the select strategy of "
                + strategy.getClass().getName());
        return false;
    }

    /** @param handlers the factory of the handlers that run with RDMA's; {@code null} if there can be none. */
    private Object loops(Object[] call, Object handlers, LoopKind kind) {
        if (!hasRdma) {
            return call[VALUE];
        }
        if (handlers == null) {
            report.accept("left alone: event loops of " + kind.label() + ", because this Netty is too old");
            return call[VALUE];
        }
        try {
            LoopFactory factory = new LoopFactory((IoHandlerFactory) handlers, kind, kind.descriptor(), report);
            report.accept("swapped: event loops of " + kind.label() + " poll RDMA devices too");
            return factory;
        } catch (ReflectiveOperationException | RuntimeException e) {
            report.accept("left alone: event loops of " + kind.label() + ", whose descriptors cannot be read (" + e
                    + ")");
            return call[VALUE];
        }
    }

    private static List<String> summary() {
        StringBuilder text = new StringBuilder().append(RdmaOrTcp.connectionsByRdma()).append(" connects by RDMA");
        for (FallbackReason reason : FallbackReason.values()) {
            long count = RdmaOrTcp.connectionsByTcp(reason);
            if (count > 0) {
                text.append(", ").append(count).append(" by TCP because ").append(reason.text());
            }
        }
        return List.of(text.toString(), SwappedLoops.accepted() + " connections accepted by RDMA",
                SwappedLoops.bytesSent() + " bytes sent by RDMA");
    }
}
