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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What was observed in one run of a program.
 *
 * @param stuck what was waited for in vain; empty if everything ended.
 */
record Transcript(Program program, String transport, Journal client, Journal server, List<String> stuck) {

    static final String LATE = "written behind the end";
    static final String NOT_FLUSHED = "not flushed";
    private static final String END_OF_OUTPUT = "'s end of output";
    private static final String EVENTS = "'s events";
    private static final String OUTPUT_SHUTDOWN = "output shutdown";
    private static final String INPUT_SHUTDOWN = "input shutdown";

    /** What no transport may do, whatever the other one does. */
    List<String> problems() {
        List<String> problems = new ArrayList<>(stuck);
        client.problems().forEach(problem -> problems.add("client: " + problem));
        server.problems().forEach(problem -> problems.add("server: " + problem));
        new Judge(this, "client to server", client, server).addTo(problems);
        new Judge(this, "server to client", server, client).addTo(problems);
        return problems;
    }

    /**
     * Whether nothing was discarded: neither side aborted, or refused data that was still to come. If one did, TCP
     * itself does not determine what the other receives, and which of its writes fail.
     */
    boolean isDetermined() {
        return !client.isAborted() && !server.isAborted() && hasReadAll(client, server, program.server())
                && hasReadAll(server, client, program.client());
    }

    /** Without a reader the outcome depends on the buffers of a transport: docs/memory.md. */
    private boolean isComparable() {
        return program.ending().waits() && isDetermined();
    }

    /**
     * Whether the two can be compared: the same scripts ran on both, the same sides became unwritable, and the same
     * sides saw the peer's end while they did not read. A script that ran on one transport only has consequences only
     * there.
     */
    boolean isComparableWith(Transcript other) {
        return isComparable() && other.isComparable() && facts().keySet().equals(other.facts().keySet())
                && client.hasWritabilityChanged() == other.client.hasWritabilityChanged()
                && server.hasWritabilityChanged() == other.server.hasWritabilityChanged()
                && seesTheEndAsIn(client, other.client, program.client(), program.server())
                && seesTheEndAsIn(server, other.server, program.server(), program.client());
    }

    /**
     * For a side that always reads the event is among the facts, so it is not checked here. A side without half closure
     * closes at the event: its events are the same at any time, but the outcomes of its writes are not.
     */
    private static boolean seesTheEndAsIn(Journal own, Journal others, Side side, Side peer) {
        if (side.autoRead() && !side.does(Operation.AutoRead.class)) {
            return true;
        }
        return side.halfClosure() ? own.events().contains(INPUT_SHUTDOWN) == others.events().contains(INPUT_SHUTDOWN)
                : !peer.endsOutput();
    }

    /** Messages behind one that throws never arrive, and on NIO neither do those that were flushed with it. */
    private static boolean hasReadAll(Journal reader, Journal writer, Side writers) {
        long due = bytes(writer, each -> each.isFlushed() && !each.isCancelled());
        return !reader.isCloseAsked() || reader.receivedBytes() == due
                || writers.isBroken() && reader.receivedBytes() >= bytes(writer, Journal.Message::hasSucceeded)
                && writer.passed().stream().noneMatch(Journal.Message::isBehindPeersEnd);
    }

    private static long bytes(Journal writer, Predicate<Journal.Message> which) {
        return writer.passed().stream().filter(which).mapToLong(each -> each.write().size()).sum();
    }

    /** The facts that are compared with another transport's, by name. */
    Map<String, String> facts() {
        Map<String, String> facts = new TreeMap<>();
        addFacts("client", client, program.client(), facts);
        addFacts("server", server, program.server(), facts);
        return facts;
    }

    /** Whether a fact is the outcome of a call of {@code shutdownOutput()}. */
    static boolean isShutdown(String fact) {
        return fact.contains(Interpreter.SHUTDOWN_OUTPUT);
    }

    /** Whether a fact says which ends were seen. */
    static boolean isOfEnd(String fact) {
        return fact.endsWith(END_OF_OUTPUT) || fact.endsWith(EVENTS);
    }

    private static void addFacts(String side, Journal journal, Side program, Map<String, String> facts) {
        List<String> events = events(journal, program);
        // The order of the two directions depends on how fast the peer ends its own.
        facts.put(side + END_OF_OUTPUT, String.valueOf(events.remove(OUTPUT_SHUTDOWN)));
        facts.put(side + EVENTS, events.toString());
        facts.put(side + "'s exceptions", exceptions(journal).toString());
        journal.outcomes().forEach((what, outcome) -> facts.put(side + "'s " + what, outcome));
        journal.messages().forEach(message ->
                facts.put(side + "'s message " + message.write().id(), outcome(message)));
    }

    /**
     * For a failed message that was not flushed, or was written after the end or what ends the output, only that fact
     * counts: a listener may have run earlier than on the other transport, and the failure depends on how far the end
     * has come.
     */
    private static String outcome(Journal.Message message) {
        boolean fails = message.outcome() != null && !message.hasSucceeded() && !message.isCancelled();
        if (fails && (message.isLate() || message.isBehindBroken())) {
            return LATE;
        }
        return fails && !message.isFlushed() ? NOT_FLUSHED : String.valueOf(message.outcome());
    }

    /** A transport may refuse to change loops; and NIO reports that all is read only in a read after the end. */
    private static List<String> events(Journal journal, Side program) {
        List<String> events = journal.events();
        events.removeIf(event -> event.endsWith("registered") || event.endsWith("read complete"));
        if (program.does(Operation.ShutdownInput.class)) {
            // NIO fires no event on the side that called shutdownInput.
            events.remove(INPUT_SHUTDOWN);
        }
        return events;
    }

    /** A failed write with a void promise, after the end or what ends it, may be reported; docs/conformance.md. */
    private static List<String> exceptions(Journal journal) {
        List<String> exceptions = journal.exceptions();
        exceptions.removeAll(Set.of("closed", "output shut", Journal.UNREADABLE));
        return exceptions;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(transport).append(isDetermined() ? "\n" : ", not determined\n");
        facts().forEach((what, value) -> text.append("    ").append(what).append(": ").append(value).append('\n'));
        text.append("    client wrote ").append(client.passed()).append(", server has read ").append(server.received());
        text.append("\n    server wrote ").append(server.passed()).append(", client has read ");
        return text.append(client.received()).append('\n').toString();
    }
}
