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
package io.nettyrdma.testsuite.channel;

import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.ProjectTree;
import io.nettyrdma.testsuite.support.SoftHca;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** The figures of docs/hot-path.md: classes that a message enters, frames, posts and clock readings. */
@Tag("device")
@Tag("any-device")
class HotPathTest {

    private static final double SECONDS = 120;

    private static final int MOST_CLASSES_RECEIVED = 46;
    private static final int MOST_CLASSES_WRITTEN = 35;
    /** The credit batch of the first window, which does not grow. Counting may begin within a batch at each end. */
    private static final int MESSAGES_PER_POST = 5;
    private static final int ENDS = 2;
    /** See {@code PollPolicy}, which counts all polls: after three empty ones each busy one may read the clock. */
    private static final int EMPTY_POLLS_PER_CLOCK = 8;

    private static final Pattern PATH = Pattern.compile("[a-z]/([A-Z]\\w+)");

    @Test
    void aMessageCostsWhatThePageSays() throws Exception {
        SoftHca.assumeItIsTheDevice();
        Map<String, String> counted = count();
        assertThat(classes(counted, "classes.received")).as("classes on the page")
                .isSubsetOf(named("## From a received SEND"));
        assertThat(classes(counted, "classes.written")).as("classes on the page")
                .isSubsetOf(named("## From flush"));
        assertThat(classes(counted, "classes.received")).as("from a completion to the handler")
                .hasSizeLessThanOrEqualTo(MOST_CLASSES_RECEIVED);
        assertThat(classes(counted, "classes.written")).as("from a write to the doorbell")
                .hasSizeLessThanOrEqualTo(MOST_CLASSES_WRITTEN);

        long messages = number(counted, "messages");
        assertThat(number(counted, "frames.data")).isEqualTo(messages);
        assertThat(number(counted, "frames.credit")).as("CREDIT frames in round trips")
                .isLessThanOrEqualTo(messages / 100);
        assertThat(number(counted, "posts.sends")).as("one post for each message, and for each CREDIT frame")
                .isLessThanOrEqualTo(messages + number(counted, "frames.credit"));
        assertThat(number(counted, "posts.receives")).as("one post for five messages, and for each CREDIT frame")
                .isLessThanOrEqualTo(messages / MESSAGES_PER_POST + ENDS + number(counted, "frames.credit"));

        assertThat(number(counted, "polls.found")).isGreaterThanOrEqualTo(messages / 2);
        assertThat(number(counted, "clocks.found")).as("clock readings while messages are handled")
                .isLessThanOrEqualTo(2 * number(counted, "polls.found"));
        // Polls that find only completions of sends are timed as well.
        long timed = 2 * number(counted, "polls.timed");
        long polls = number(counted, "polls.empty") + number(counted, "polls.busy");
        assertThat(number(counted, "clocks.all")).as("clock readings in round trips").isLessThanOrEqualTo(
                timed + number(counted, "waits") + polls / EMPTY_POLLS_PER_CLOCK
                + number(counted, "polls.busy") + 2 * number(counted, "selects")
                // Where other work takes a processor, a wait may end in a sleep, whose begin, wakeup and end are timed.
                + 3 * number(counted, "sleeps") + number(counted, "yields"));
    }

    private static Map<String, String> count() throws Exception {
        Map<String, String> counted = new HashMap<>();
        try (ChildProcess child = ChildProcess.start(Child.class)) {
            String line = child.readLine(Deadline.ofSeconds(SECONDS));
            while (!line.equals(Child.END)) {
                System.out.println(line);
                int space = line.indexOf(' ');
                counted.put(line.substring(0, space), line.substring(space + 1));
                line = child.readLine(Deadline.ofSeconds(SECONDS));
            }
            assertThat(child.exitStatus()).isZero();
        }
        return counted;
    }

    /** Without packages, because only they differ between the page and the code. */
    private static List<String> classes(Map<String, String> counted, String name) {
        return Stream.of(counted.get(name).split(",")).map(type -> type.substring(type.lastIndexOf('.') + 1)).toList();
    }

    /** The classes that a section of the page names by their paths. */
    private static List<String> named(String heading) throws IOException {
        String page = Files.readString(ProjectTree.directory("docs").resolve("hot-path.md"));
        int begin = page.indexOf(heading);
        int end = page.indexOf("\n## ", begin + 1);
        return PATH.matcher(page.substring(begin, end)).results().map(found -> found.group(1)).toList();
    }

    private static long number(Map<String, String> counted, String name) {
        return Long.parseLong(counted.get(name));
    }

    /** Uses no class of Netty or of ours itself. */
    static final class Child {

        private static final String END = "end";

        private Child() {
        }

        public static void main(String[] arguments) throws Exception {
            // Classes of a JDK that is newer than the library are read as well.
            System.setProperty("net.bytebuddy.experimental", "true");
            try (InstrumentingLoader loader = new InstrumentingLoader()) {
                Callable<?> traffic = (Callable<?>) loader.loadClass(HotPathTraffic.class.getName())
                        .getDeclaredConstructor().newInstance();
                for (Object line : (List<?>) traffic.call()) {
                    ChildProcess.reportToParent(line.toString());
                }
            }
            ChildProcess.reportToParent(END);
        }
    }
}
