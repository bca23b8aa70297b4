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
package io.nettyrdma.info;

import io.nettyrdma.program.Programs;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;

/** The program behind {@code bin/rdma-info}. */
public final class RdmaInfo {

    private RdmaInfo() {
    }

    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        int status = run(args, out, System.err);
        out.flush();
        System.exit(status);
    }

    /** Returns the exit status: 0 if RDMA can be used here, 1 if not, 2 for wrong usage. */
    static int run(String[] args, PrintStream out, PrintStream err) {
        InfoOptions options = new InfoOptions();
        OptionalInt end = Programs.read(options, out, err, args);
        if (end.isPresent()) {
            return end.getAsInt();
        }
        Facts facts = FactsCollector.collect();
        if (options.isCheck()) {
            CheckReport report = CheckCollector.collect(facts);
            out.print(options.isJson() ? report.json() : report.text());
            return report.isUsable() ? Programs.SUCCESS : Programs.FAILED;
        }
        out.print(options.isJson() ? JsonWriter.write(facts) : TextWriter.write(facts));
        return facts.missing() == null ? Programs.SUCCESS : Programs.FAILED;
    }
}
