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
package io.nettyrdma.channel;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class AcceptingChildrenTest {

    private static final int MANY = 1_000;

    private final List<Integer> counts = new ArrayList<>();
    private final AcceptingChildren children = new AcceptingChildren(this::ended);

    private void ended() {
        counts.add(children.count());
    }

    @Test
    void childCountsUntilItsTicketEnds() {
        AcceptingChildren.Ticket first = children.add();
        AcceptingChildren.Ticket second = children.add();
        assertThat(children.count()).isEqualTo(2);
        first.end();
        assertThat(children.count()).isOne();
        second.end();
        assertThat(children.count()).isZero();
    }

    @Test
    void ticketEndsOnce() {
        children.add();
        AcceptingChildren.Ticket ticket = children.add();
        ticket.end();
        ticket.end();
        assertThat(children.count()).isOne();
        assertThat(counts).hasSize(1);
    }

    @Test
    void countHasFallenWhenTheEndIsReported() {
        AcceptingChildren.Ticket ticket = children.add();
        children.add();
        ticket.end();
        assertThat(counts).containsExactly(1);
    }

    @Test
    void ticketsEndOnManyThreads() {
        AcceptingChildren quiet = new AcceptingChildren(() -> { });
        List<AcceptingChildren.Ticket> tickets = IntStream.range(0, MANY).mapToObj(i -> quiet.add()).toList();
        // Each ticket twice, from several threads.
        IntStream.range(0, 2 * MANY).parallel().forEach(i -> tickets.get(i % MANY).end());
        assertThat(quiet.count()).isZero();
    }
}
