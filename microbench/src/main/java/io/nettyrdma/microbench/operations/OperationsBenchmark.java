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
package io.nettyrdma.microbench.operations;

import io.nettyrdma.Rdma;
import io.nettyrdma.microbench.Program;

import java.lang.management.ManagementFactory;
import java.util.Locale;

/** The main program: {@code microbench/operations}. */
public final class OperationsBenchmark {

    private OperationsBenchmark() {
    }

    public static void main(String[] words) throws Exception {
        Options options = new Options();
        Program.run(options, words, () -> measure(options));
    }

    private static void measure(Options options) throws Exception {
        Rdma.ensureAvailability();
        LocalPort port = LocalPort.find();
        System.out.println("java: " + Runtime.version() + ", processors: "
                + Runtime.getRuntime().availableProcessors() + ", load: " + load());
        System.out.println("device: " + port);
        int done = 0;
        for (Part part : options.parts()) {
            Program.progress().done(done++, options.parts().size());
            part.measure(port, options);
        }
        System.out.println("\nload: " + load());
    }

    private static String load() {
        return String.format(Locale.ROOT, "%.1f",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }
}
