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
package io.nettyrdma.testsuite.differential;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether a program has the same outcome on RDMA as on NIO. Threads give programs several outcomes. So a difference is
 * run again, and counts only if the outcomes of the two have nothing in common.
 */
final class Comparison {

    private static final int AGAIN = 12;
    /** Outcomes of messages that depend on when a promise ended; docs/conformance.md, section "Differential test". */
    private static final Set<String> OF_THE_MOMENT = Set.of(Transcript.LATE, Transcript.NOT_FLUSHED,
            Journal.CANCELLED);

    private final AtomicInteger withoutControl;
    private final Lane lane;
    private final Transport nio;
    private final Transport rdma;
    private final int forgiven;

    /**
     * @param forgiven how often a program may stall or break a rule before it counts: a channel that stands for one of
     *        NIO does so as rarely as NIO, and a fault of its own shows each time.
     * @param withoutControl counts the programs that stalled or broke a rule on NIO itself.
     */
    Comparison(Lane lane, Transport nio, Transport rdma, int forgiven, AtomicInteger withoutControl) {
        this.forgiven = forgiven;
        this.withoutControl = withoutControl;
        this.lane = lane;
        this.nio = nio;
        this.rdma = rdma;
    }

    /** Returns a description of the difference, or {@code null}. */
    String difference(Program program) throws Exception {
        Transcript here = lane.run(program, nio);
        if (here == null) {
            return null;
        }
        if (!here.problems().isEmpty()) {
            // For example, NIO forgets pending writes when its channel moves to another loop.
            withoutControl.incrementAndGet();
            return null;
        }
        Transcript there = lane.run(program, rdma);
        for (int i = 0; i < forgiven && there != null && !there.problems().isEmpty(); i++) {
            there = lane.run(program, rdma);
        }
        if (there == null) {
            return null;
        }
        if (!there.problems().isEmpty()) {
            return there.problems() + "\n" + there;
        }
        Set<String> differing = differing(here, there);
        return differing.isEmpty() ? null : again(program, here, there, differing);
    }

    private static Set<String> differing(Transcript nio, Transcript rdma) {
        Set<String> differing = new LinkedHashSet<>();
        if (nio.isComparableWith(rdma)) {
            Map<String, String> here = nio.facts();
            Map<String, String> there = rdma.facts();
            differing.addAll(here.keySet());
            differing.addAll(there.keySet());
            boolean ended = here.keySet().stream().anyMatch(name ->
                    Transcript.isShutdown(name) && sentThoughClosed(here.get(name), there.get(name)));
            differing.removeIf(name -> Objects.equals(here.get(name), there.get(name))
                    || isExplained(name, here.get(name), there.get(name))
                    || ended && Transcript.isOfEnd(name));
        }
        return differing;
    }

    /** docs/conformance.md, section "Differential test". */
    private static boolean isExplained(String fact, String ofNio, String ofRdma) {
        return fact.contains("deregister") || sentThoughClosed(ofNio, ofRdma) || OF_THE_MOMENT.contains(ofNio)
                || OF_THE_MOMENT.contains(ofRdma);
    }

    private static boolean sentThoughClosed(String ofNio, String ofRdma) {
        return (ofNio.equals("closed") || ofNio.equals("output shut")) && ofRdma.equals(Journal.SUCCESS);
    }

    private String again(Program program, Transcript here, Transcript there, Set<String> differing)
            throws Exception {
        Map<String, Set<String>> ofNio = new HashMap<>();
        Map<String, Set<String>> ofRdma = new HashMap<>();
        add(here, ofNio);
        add(there, ofRdma);
        for (int i = 0; i < AGAIN && !differing.isEmpty(); i++) {
            Transcript first = lane.run(program, nio);
            Transcript second = lane.run(program, rdma);
            if (first == null || second == null || !first.isComparableWith(second)) {
                return null;
            }
            add(first, ofNio);
            add(second, ofRdma);
            differing.removeIf(fact -> !disjoint(ofNio.get(fact), ofRdma.get(fact)));
        }
        return differing.isEmpty() ? null : "differing: " + differing + "\n" + here + there;
    }

    private static boolean disjoint(Set<String> some, Set<String> others) {
        return some == null || others == null || some.stream().noneMatch(others::contains);
    }

    private static void add(Transcript transcript, Map<String, Set<String>> outcomes) {
        transcript.facts().forEach((fact, value) ->
                outcomes.computeIfAbsent(fact, unknown -> new HashSet<>()).add(value));
    }
}
