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

import io.nettyrdma.testsuite.differential.Journal.Message;

import java.util.List;
import java.util.stream.Collectors;

/** What every transport owes one direction of a connection. */
final class Judge {

    private final Transcript transcript;
    private final String direction;
    private final Journal writer;
    private final Journal reader;

    Judge(Transcript transcript, String direction, Journal writer, Journal reader) {
        this.transcript = transcript;
        this.direction = direction;
        this.writer = writer;
        this.reader = reader;
    }

    void addTo(List<String> problems) {
        List<Message> due = writer.passed().stream().filter(each -> each.isFlushed() && !each.isCancelled()
                && each.write().size() > 0).collect(Collectors.toList());
        List<Integer> ids = due.stream().map(each -> each.write().id()).collect(Collectors.toList());
        List<Integer> received = reader.received();
        boolean inOrder = received.size() <= ids.size() && ids.subList(0, received.size()).equals(received);
        if (!inOrder || reader.coming() >= 0 && (ids.size() == received.size()
                || ids.get(received.size()) != reader.coming())) {
            problems.add(direction + ": received " + received + ", then a part of " + reader.coming() + ", of " + due);
        }
        if (transcript.isDetermined()) {
            due.stream().skip(received.size()).filter(Message::hasSucceeded).forEach(each ->
                    problems.add(direction + ": " + each + " has not come"));
        }
        for (Message message : writer.passed()) {
            judge(message, problems);
        }
        writer.messages().stream().filter(each -> !each.isDone()).forEach(each ->
                problems.add(direction + ": the promise of " + each + " never ends"));
        writer.messages().stream().filter(each -> !each.isReleased()).forEach(each ->
                problems.add(direction + ": " + each + " is not released"));
        judgeEvents(problems);
    }

    private void judge(Message message, List<String> problems) {
        // An empty message may succeed even then: docs/conformance.md.
        if (message.isLate() && message.hasSucceeded() && message.write().size() > 0) {
            problems.add(direction + ": " + message + " was written behind the end");
        }
        // Flushes after the end are not counted.
        if (!message.isLate() && !message.isFlushed() && message.hasSucceeded()) {
            problems.add(direction + ": " + message + " was not flushed");
        }
        if (message.isCertain() && message.isDone() && !message.write().voidPromise() && !message.isCancelled()
                && !message.hasSucceeded()) {
            problems.add(direction + ": " + message + " fails, though nothing had ended");
        }
    }

    private void judgeEvents(List<String> problems) {
        List<String> events = writer.events();
        int last = events.size() - 1;
        boolean begun = last > 2 && events.get(0).equals("registered") && events.indexOf("active") > 0;
        boolean ended = begun && events.get(last).equals("unregistered") && events.contains("inactive");
        if (!ended || count(events, "active") != 1 || count(events, "inactive") != 1
                || count(events, "input shutdown") > 1 || events.indexOf("active") > events.indexOf("inactive")) {
            problems.add(direction + ": its writer's events are " + events);
        }
    }

    private static long count(List<String> events, String event) {
        return events.stream().filter(event::equals).count();
    }
}
