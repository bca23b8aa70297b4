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
package io.nettyrdma.top;

import io.nettyrdma.program.Programs;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;

/** The program behind {@code bin/rdma-top}. */
public final class RdmaTop {

    private static final String NAME = "rdma-top: ";
    /** Moves the cursor home; to the end of a line, and of the screen, it is cleared. */
    private static final String HOME = "\033[H";
    private static final String CLEAR_LINE = "\033[K\n";
    private static final String CLEAR_REST = "\033[J";

    private RdmaTop() {
    }

    public static void main(String[] args) throws InterruptedException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        int status = run(args, out, System.err, System.console() != null);
        out.flush();
        System.exit(status);
    }

    /** @param isTerminal whether a person looks at it. */
    static int run(String[] args, PrintStream out, PrintStream err, boolean isTerminal) throws InterruptedException {
        TopOptions options = new TopOptions();
        OptionalInt end = Programs.read(options, out, err, args);
        if (end.isPresent()) {
            return end.getAsInt();
        }
        if (ModuleLayer.boot().findModule("jdk.attach").isEmpty()) {
            err.print(NAME + "this JVM cannot attach to another: run it on a JDK, with the module jdk.attach\n");
            return Programs.FAILED;
        }
        try {
            if (options.process() == null) {
                out.print(Target.list());
            } else {
                show(options, out, isTerminal);
            }
            return Programs.SUCCESS;
        } catch (IOException e) {
            err.print(NAME + e.getMessage() + '\n');
            return Programs.FAILED;
        }
    }

    private static void show(TopOptions options, PrintStream out, boolean isTerminal)
            throws IOException, InterruptedException {
        boolean redraws = isTerminal && !options.isOnce();
        try (Target target = Target.attach(options.process())) {
            Sample before = target.sample();
            for (int shown = 0; shown < options.screens() && !out.checkError(); shown++) {
                Thread.sleep(options.intervalMillis());
                Sample now = target.sample();
                String screen = Screen.of(target.title(), before, now);
                out.print(redraws ? HOME + screen.replace("\n", CLEAR_LINE) + CLEAR_REST : screen);
                out.flush();
                before = now;
            }
        }
    }
}
