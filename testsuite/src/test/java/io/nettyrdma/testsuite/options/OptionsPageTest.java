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
package io.nettyrdma.testsuite.options;

import io.nettyrdma.testsuite.support.ProjectTree;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** docs/options.md has every option, and says of each what the code does. */
class OptionsPageTest {

    private static final Path ROOT = ProjectTree.directory("bin").getParent();

    private static final Pattern READ = Pattern.compile("SystemPropertyUtil\\.get\\w*\\(([^,()]+)[,)]");

    /** A property by its constant or literal in the class that reads it; each is in {@link Property#all}. */
    private static final Set<String> READS = Set.of("FallbackSettings: name", "FallbackSettings: POLICY",
            "Fallbacks: property", "RdmaByteBufAllocatorConfig: PROPERTIES + \"chunkBytes\"",
            "RdmaByteBufAllocatorConfig: PROPERTIES + \"maxRegisteredBytes\"",
            "RdmaByteBufAllocatorConfig: PROPERTIES + \"alignment\"",
            "RdmaByteBufAllocatorConfig: PROPERTIES + \"threadCacheBytes\"",
            "RdmaByteBufAllocatorConfig: PROPERTIES + \"idleBytes\"",
            "RdmaByteBufAllocatorConfig: PROPERTIES + \"hugePages\"", "Rdma: NO_NATIVE", "SizeRule: PROPERTY",
            "LibraryFile: DELETE", "LibraryFile: WORK_DIRECTORY", "LibraryFile: \"java.library.path\"",
            "DeviceChoice: PROPERTY");

    @Test
    void pageIsTheOneThatTheGeneratorWrites() throws IOException {
        assertThat(Files.readString(OptionsPage.FILE)).as("run bin/options").isEqualTo(OptionsPage.text());
    }

    static Stream<Setting> settings() {
        return Settings.all();
    }

    @ParameterizedTest
    @MethodSource("settings")
    void valuesInTheRangeAreAcceptedAndOthersRefused(Setting setting) {
        List<String> limits = setting.limits();
        if (limits.isEmpty()) {
            setting.listed().forEach(text -> setting.setter().accept(value(setting.type(), text)));
            unlisted(setting).forEach(wrong -> assertRefused(setting, wrong, "none of " + setting.range()));
            return;
        }
        limits.forEach(text -> setting.setter().accept(value(setting.type(), text)));
        outside(setting).forEach(wrong ->
                assertRefused(setting, wrong, "within " + limits.get(0) + " to " + limits.get(1)));
    }

    @Test
    void everyClassOfChannelOptionsIsOnThePage() {
        Set<String> holders = new TreeSet<>();
        mainSources().filter(file -> read(file).contains("ChannelOption.valueOf("))
                .forEach(file -> holders.add(file.getFileName().toString().replace(".java", "")));
        assertThat(holders).containsExactlyInAnyOrder("RdmaChannelOption", "RdmaDatagramChannelOption",
                "RdmaOrTcpOption", "EfaChannelOption");
    }

    @Test
    void everyPropertyThatIsReadIsOnThePage() {
        Set<String> reads = new TreeSet<>();
        mainSources().forEach(file -> READ.matcher(read(file)).results().forEach(call ->
                reads.add(file.getFileName().toString().replace(".java", ": ") + call.group(1))));
        assertThat(reads).as("list a new one in Property.all").isEqualTo(new TreeSet<>(READS));
        assertThat(Property.all()).extracting(Property::name).doesNotHaveDuplicates();
    }

    @Test
    void everyVariableOfTheSoftwareDeviceIsOnThePage() {
        assertThat(names(OptionsPage.environmentRows())).isEqualTo(found("\\bgetenv\\(\"(\\w+)\"\\)",
                "transport-rdma-native/src/softhca/c", "transport-rdma-native/src/softhca/files"));
        assertThat(mainSources()).as("classes that read the environment")
                .noneMatch(file -> read(file).contains("System.getenv"));
    }

    @Test
    void everyOptionOfTheAgentIsOnThePage() {
        String options = SourceComment.source("agent", "io.nettyrdma.agent.swap.Options");
        Set<String> cases = new TreeSet<>();
        Pattern.compile("case ((?:\"\\w+\",? ?)+)->").matcher(options).results()
                .forEach(each -> cases.addAll(List.of(each.group(1).strip().replace("\"", "").split(", "))));
        assertThat(cases).contains("policy");
        assertThat(names(OptionsPage.agentRows())).isEqualTo(cases);
    }

    private static void assertRefused(Setting setting, Object wrong, String range) {
        assertThatIllegalArgumentException().as("%s = %s", setting.name(), wrong)
                .isThrownBy(() -> setting.setter().accept(wrong))
                .withMessageContaining(setting.name()).withMessageContaining(range);
    }

    private static Stream<Object> outside(Setting setting) {
        Object min = value(setting.type(), setting.limits().get(0));
        Object max = value(setting.type(), setting.limits().get(1));
        if (min instanceof Duration shortest && max instanceof Duration longest) {
            return Stream.of(shortest.minusNanos(1), longest.plusNanos(1));
        }
        if (min instanceof Long lowest && max instanceof Long highest) {
            return Stream.of(lowest - 1, highest + 1);
        }
        int lowest = (Integer) min;
        int highest = (Integer) max;
        return Stream.of(lowest - 1, highest + 1).filter(wrong -> wrong < lowest || wrong > highest)
                .map(Object.class::cast);
    }

    private static Stream<?> unlisted(Setting setting) {
        List<String> listed = setting.listed();
        if (setting.type() == Integer.class) {
            return Stream.of(-1, 1 + Integer.parseInt(listed.get(listed.size() - 1)));
        }
        return setting.type().isEnum() ? Stream.of(setting.type().getEnumConstants())
                .filter(each -> !listed.contains(each.toString())) : Stream.empty();
    }

    private static Object value(Class<?> type, String text) {
        if (type == Duration.class) {
            return Duration.parse(text);
        }
        if (type == long.class) {
            return Long.valueOf(text);
        }
        if (type == Boolean.class) {
            return Boolean.valueOf(text);
        }
        return type.isEnum() ? Stream.of(type.getEnumConstants()).filter(each -> each.toString().equals(text))
                .findFirst().orElseThrow() : Integer.valueOf(text);
    }

    /** The names in the first column, without quotes. */
    private static Set<String> names(List<List<String>> rows) {
        return rows.stream().flatMap(row -> Stream.of(row.get(0).replace("`", "").split(", ")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> found(String pattern, String... directories) {
        return Stream.of(directories).flatMap(directory -> files(ROOT.resolve(directory)).stream())
                .flatMap(file -> Pattern.compile(pattern).matcher(read(file)).results())
                .map(match -> match.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<Path> mainSources() {
        return Stream.of("transport-rdma", "transport-efa").flatMap(module ->
                files(ROOT.resolve(module + "/src/main/java")).stream());
    }

    private static Collection<Path> files(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        return SourceComment.read(ROOT.relativize(file).toString());
    }
}
