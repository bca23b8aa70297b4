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

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The program behind {@code bin/rdma-info}. */
public final class RdmaInfo {

    static final int USABLE = 0;
    static final int NOT_USABLE = 1;
    static final int WRONG_USAGE = 2;

    private static final String USAGE = "usage: rdma-info [--json]\n"
            + "Shows the RDMA devices of this machine, their capabilities, which of these netty-transport-rdma uses,\n"
            + "and what is missing if there are no devices.\n"
            + "  --json    print JSON\n"
            + "  --help    print this text\n"
            + "Exit status: 0 if RDMA can be used, 1 if not, 2 for a usage error.\n";

    private RdmaInfo() {
    }

    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        int status = run(args, out, System.err);
        out.flush();
        System.exit(status);
    }

    static int run(String[] args, PrintStream out, PrintStream err) {
        boolean json = false;
        for (String arg : args) {
            switch (arg) {
            case "--json":
                json = true;
                break;
            case "--help":
            case "-h":
                out.print(USAGE);
                return USABLE;
            default:
                err.print("rdma-info: no option " + arg + ": see rdma-info --help\n");
                return WRONG_USAGE;
            }
        }
        Facts facts = FactsCollector.collect();
        out.print(json ? JsonWriter.write(facts) : TextWriter.write(facts));
        return facts.missing() == null ? USABLE : NOT_USABLE;
    }
}
