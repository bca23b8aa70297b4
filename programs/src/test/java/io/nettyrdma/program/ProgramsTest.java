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
package io.nettyrdma.program;

import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;

import static org.assertj.core.api.Assertions.assertThat;

class ProgramsTest {

    enum Role { SERVER, CLIENT }

    @Command(name = "bin/some", description = "Does something.")
    private static final class Some extends Options {

        @Parameters(paramLabel = "ROLE", arity = "0..1")
        private Role role;

        @Option(names = "--size", paramLabel = "BYTES", defaultValue = "64", description = "bytes")
        private int size;

        @Option(names = "--names", split = ",", paramLabel = "NAME", description = "names")
        private List<String> names;

        @Option(names = "--peer", arity = "2", paramLabel = "HOST PORT", description = "peer")
        private List<String> peer;

        @Option(names = "--late", description = "late")
        private boolean late;

        @Override
        protected void check() {
            range("--size", size, 1, 100);
        }
    }

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private final Some some = new Some();

    @Test
    void valueFollowsAsAWordOrBehindAnEqualsSign() {
        assertThat(read("client", "--size", "7", "--names=a,b", "--late")).isEmpty();
        assertThat(some.role).isEqualTo(Role.CLIENT);
        assertThat(some.size).isEqualTo(7);
        assertThat(some.names).containsExactly("a", "b");
        assertThat(some.late).isTrue();
    }

    @Test
    void absentOptionHasItsDefault() {
        assertThat(read()).isEmpty();
        assertThat(some.size).isEqualTo(64);
        assertThat(some.role).isNull();
    }

    @Test
    void wrongUsageIsOneLineThatNamesTheWord() {
        assertThat(wrong("--sise=7")).isEqualTo("no option --sise");
        assertThat(wrong("--colour", "red")).isEqualTo("no option --colour");
        assertThat(wrong("-x")).isEqualTo("no option -x");
        assertThat(wrong("client", "more")).isEqualTo("no argument more");
        assertThat(wrong("--size")).isEqualTo("--size needs a value");
        assertThat(wrong("--peer", "a")).isEqualTo("--peer needs HOST PORT");
        assertThat(wrong("--late=yes")).isEqualTo("--late takes no value");
        assertThat(wrong("--size", "x")).isEqualTo("--size is x, which is no number");
        assertThat(wrong("--size=101")).isEqualTo("--size is 101, not within 1 to 100");
        assertThat(wrong("guest")).isEqualTo("ROLE cannot be guest: use server, client");
    }

    @Test
    void helpSucceeds() {
        assertThat(read("--size=7", "--help")).hasValue(Programs.SUCCESS);
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("usage: bin/some ")
                .contains("Does something.", "--size=BYTES");
        assertThat(errors.size()).isZero();
    }

    private String wrong(String... words) {
        errors.reset();
        assertThat(read(words)).hasValue(Programs.WRONG_USAGE);
        assertThat(out.size()).isZero();
        String line = errors.toString(StandardCharsets.UTF_8);
        assertThat(line).startsWith("bin/some: ").endsWith(": see bin/some --help\n");
        return line.substring("bin/some: ".length(), line.length() - ": see bin/some --help\n".length());
    }

    private OptionalInt read(String... words) {
        try (PrintStream toOut = new PrintStream(out, true, StandardCharsets.UTF_8);
             PrintStream toErrors = new PrintStream(errors, true, StandardCharsets.UTF_8)) {
            return Programs.read(some, toOut, toErrors, words);
        }
    }
}
