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

import io.nettyrdma.testsuite.support.ProjectTree;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** docs/observability.md has all events of the flight recorder, with their fields. */
class EventTableTest {

    private static final String PREFIX = "io.nettyrdma.";
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(io\\.nettyrdma\\.\\w+)` \\|.*\\| (.*) \\|$");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");
    /** Of all events. */
    private static final List<String> COMMON = List.of("startTime", "duration", "eventThread", "stackTrace");

    /** A class that is loaded registers its event. */
    @BeforeAll
    static void loadEvents() throws Exception {
        Path sources = ProjectTree.directory("transport-rdma/src/main/java");
        for (Path file : SourceTree.files(sources, ".java")) {
            if (Files.readString(file).contains("@Name(\"" + PREFIX)) {
                String name = sources.relativize(file).toString().replace('/', '.');
                Class.forName(name.substring(0, name.length() - ".java".length()));
            }
        }
    }

    @Test
    void tableHasEveryEventWithItsFields() throws Exception {
        Set<String> written = new TreeSet<>();
        Matcher rows = ROW.matcher(Files.readString(ProjectTree.directory("docs").resolve("observability.md")));
        while (rows.find()) {
            written.add(rows.group(1) + ' ' + new TreeSet<>(NAME.matcher(rows.group(2)).results()
                    .map(name -> name.group(1)).toList()));
        }
        Set<String> existing = new TreeSet<>();
        types().forEach(type -> existing.add(type.getName() + ' ' + new TreeSet<>(type.getFields().stream()
                .map(ValueDescriptor::getName).filter(name -> !COMMON.contains(name)).toList())));
        assertThat(written).isEqualTo(existing);
    }

    @Test
    void everyEventAndFieldHasALabelAndTheCategoryOfTheProject() {
        assertThat(types()).isNotEmpty().allSatisfy(type -> {
            assertThat(type.getCategoryNames()).as(type.getName()).containsExactly("Netty", "RDMA");
            assertThat(type.getDescription()).as(type.getName()).isNotNull();
            assertThat(type.getFields()).allSatisfy(field ->
                    assertThat(field.getLabel()).as(type.getName() + '.' + field.getName()).isNotNull());
        });
    }

    private static List<EventType> types() {
        Stream<EventType> all = FlightRecorder.getFlightRecorder().getEventTypes().stream();
        return all.filter(type -> type.getName().startsWith(PREFIX)
                && !type.getName().startsWith(PREFIX + "testsuite.")).toList();
    }
}
