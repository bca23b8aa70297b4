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
package io.nettyrdma.microbench.report;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The commands of a section, here of a shell. */
class RunnerTest {

    private static final double SECONDS = 1;

    @TempDir
    private Path directory;
    private final Progress progress = new Progress(SECONDS);

    @AfterEach
    void endProgress() {
        progress.close();
    }

    @Test
    void roundsOfRepeatedCommandsAreTogether() throws Exception {
        Command command = shell("printf 'series\\tvariant\\tp50 us\\t\\t1 2\\n' >> $RESULTS/echo.tsv; echo done");
        Runner runner = runner();
        SectionResult result = run(runner, command, command);
        assertThat(result.failure()).isNull();
        assertThat(result.hasFailed()).isFalse();
        assertThat(result.commands()).singleElement().asString().endsWith("# 2 times");
        assertThat(runner.figures()).singleElement().satisfies(figure -> {
            assertThat(figure.rounds()).containsExactly(1, 2, 1, 2);
            assertThat(figure.section()).isEqualTo("test");
        });
        assertThat(directory.resolve("test.txt")).content().contains("done");
    }

    @Test
    void failedCommandEndsTheSectionWithItsLastLines() throws Exception {
        SectionResult result = run(runner(), shell("echo first; echo no device >&2; exit 3"), shell("echo second"));
        assertThat(result.hasFailed()).isTrue();
        assertThat(result.failure()).endsWith("ended with status 3: first no device");
        assertThat(Files.readString(directory.resolve("test.txt"))).doesNotContain("second\n");
    }

    @Test
    void variablesOfACommandAreSet() throws Exception {
        run(runner(), shell("echo is $SOFTHCA_PERSONALITY").with("SOFTHCA_PERSONALITY", "efa"));
        assertThat(directory.resolve("test.txt")).content().contains("$ SOFTHCA_PERSONALITY=efa sh -c", "is efa");
    }

    @Test
    void longSectionIsLeftOutOfAQuickReport() throws Exception {
        SectionResult result = runner().run(new Section("test", "Test", "", 1, 45, budget -> List.of()),
                new Budget(SECONDS, 3, true));
        assertThat(result.hasFailed()).isFalse();
        assertThat(result.failure()).contains("it takes 45 s at least");
    }

    @Test
    void everySectionHasCommandsForAnyTime() {
        for (double seconds : new double[] { 0.5, 10, 300 }) {
            assertThat(Sections.all()).allSatisfy(section -> assertThat(section.plan()
                    .commands(new Budget(seconds, 3, false))).isNotEmpty());
        }
    }

    private Runner runner() {
        return new Runner(directory, directory, progress);
    }

    private static SectionResult run(Runner runner, Command... commands) throws Exception {
        return runner.run(new Section("test", "Test", "", 1, 0, budget -> List.of(commands)),
                new Budget(SECONDS, 3, false));
    }

    private static Command shell(String script) {
        return Command.of("sh", "-c", script);
    }
}
