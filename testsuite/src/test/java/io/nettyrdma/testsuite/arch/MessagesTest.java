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
package io.nettyrdma.testsuite.arch;

import io.nettyrdma.testsuite.arch.SourceMessages.Message;
import io.nettyrdma.testsuite.support.ProjectTree;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** docs/troubleshooting.md has every message of the code, and no other. */
class MessagesTest {

    private static final Path ROOT = ProjectTree.directory("bin").getParent();
    private static final Path PAGE = ROOT.resolve("docs/troubleshooting.md");
    private static final List<String> JAVA = List.of("transport-rdma/src/main", "transport-efa/src/main",
            "agent/src/main", "jars");
    private static final List<String> C = List.of("transport-rdma-native/src/main/c",
            "transport-rdma-native/src/softhca/c");

    /** Parts of paths, and the reason why no user meets the messages there. */
    private static final Map<String, String> INTERNAL = Map.of(
            "jars/testing/", "helper of tests, which is in no artifact",
            "jni/StructLayout.java", "thrown when the library is built wrongly: its own tests fail",
            "fallback/StandInChannel.java", "Netty does not call these methods of a stand-in",
            "channel/Draining.java", "causes of a promise that no program has");

    /** A row of a table; what varies in a message is "...". */
    private static final Pattern ROW = Pattern.compile("^\\| (`.*?) \\| ", Pattern.MULTILINE);
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final Pattern ELLIPSIS = Pattern.compile("\\.\\.\\.");
    /** A description with fewer characters must have all that is constant in the message. */
    private static final int SHORT = 12;

    /** A call that prints or keeps a text: adjacent literals are one. */
    private static final Pattern SAY = Pattern.compile("shca_(?:say|fail|fabric_fail)\\((?:[^\"();]*,\\s*)?"
            + "((?:\"(?:[^\"\\\\]|\\\\.)*\"\\s*(?:PRI\\w+\\s*)?)+)");
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern CONVERSION = Pattern.compile("%[-.*0-9]*(?:l*[sduxi])?");

    private static List<Message> messages;
    private static List<Description> descriptions;

    /**
     * A message on the page, which may leave out parts of it.
     *
     * @param parts what stands in it always, in this order.
     */
    private record Description(List<String> parts) {

        boolean fits(Message message) {
            if (String.join("", parts).length() < SHORT) {
                return parts.equals(message.parts());
            }
            return Pattern.compile(parts.stream().map(Pattern::quote).collect(Collectors.joining(".*")))
                    .matcher(message.text()).find();
        }
    }

    @BeforeAll
    static void collect() throws IOException {
        List<Path> java = new ArrayList<>();
        messages = new ArrayList<>();
        for (String directory : JAVA) {
            SourceTree.all(ROOT.resolve(directory)).stream()
                    .filter(file -> file.toString().endsWith(".java") && file.toString().contains("/src/main/"))
                    .forEach(java::add);
        }
        messages.addAll(SourceMessages.of(java, ROOT));
        for (String directory : C) {
            for (Path file : SourceTree.all(ROOT.resolve(directory))) {
                SAY.matcher(Files.readString(file)).results().map(call -> said(file, call)).forEach(messages::add);
            }
        }
        messages.removeIf(message -> message.parts().isEmpty());
        descriptions = ROW.matcher(Files.readString(PAGE)).results()
                .flatMap(row -> QUOTED.matcher(row.group(1)).results())
                .map(quoted -> new Description(SourceMessages.constants(quoted.group(1), ELLIPSIS))).toList();
    }

    private static Message said(Path file, MatchResult call) {
        String text = LITERAL.matcher(call.group(1)).results().map(literal -> literal.group(1))
                .collect(Collectors.joining()).replace("\\\"", "\"");
        return Message.of(ROOT.relativize(file).toString(), Stream.of(text), CONVERSION);
    }

    @Test
    void everyMessageIsDescribed() {
        assertThat(messages.stream().filter(message -> reason(message) == null)
                .filter(message -> descriptions.stream().noneMatch(each -> each.fits(message))))
                .as("messages without a row in " + PAGE).isEmpty();
    }

    @Test
    void everyDescribedMessageExists() {
        assertThat(descriptions.stream().filter(each -> messages.stream().noneMatch(each::fits)))
                .as("messages of " + PAGE + " that the code does not have").isEmpty();
    }

    @Test
    void everyInternalPathHasMessages() {
        assertThat(INTERNAL.keySet())
                .allMatch(path -> messages.stream().anyMatch(each -> each.location().contains(path)));
    }

    /** Why it is no message for users; {@code null} if it is one. */
    private static String reason(Message message) {
        return INTERNAL.entrySet().stream().filter(each -> message.location().contains(each.getKey()))
                .map(Map.Entry::getValue).findFirst().orElse(null);
    }
}
