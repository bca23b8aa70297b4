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
package io.nettyrdma.agent.swap;

import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.util.jar.JarFile;

/** Decides once whether anything is instrumented. */
public final class Start {

    private Start() {
    }

    /**
     * Prepares the JVM, unless this machine has no RDMA: then it is left as it is.
     *
     * @param options of the command line, or {@code null}.
     * @param instrumentation the JVM's.
     * @param file the agent's jar.
     * @throws IllegalArgumentException if an option is wrong; the message names it and what it may be.
     * @throws Exception if the JVM refuses.
     */
    public static void start(String options, Instrumentation instrumentation, Path file) throws Exception {
        Options parsed = Options.parse(options);
        Report report = new Report(parsed.isLogged(), parsed.summaryFile());
        JarFile jar = new JarFile(file.toFile());
        String reason = parsed.isTcpMeant() ? "the policy is tcp" : new DevicePresence(parsed, jar).whyNone();
        if (reason != null && !parsed.isRdmaRequired()) {
            report.accept("does nothing: " + reason);
            return;
        }
        parsed.setProperties();
        ModuleAccess modules = new ModuleAccess(instrumentation);
        NettyCopies copies = new NettyCopies(parsed, report, modules, jar);
        instrumentation.addTransformer(new NettyTransformer(report, new Hook(modules, copies)));
        if (parsed.isSummaryWanted()) {
            Runtime.getRuntime().addShutdownHook(new Thread(copies::summarize, Report.NAME));
        }
    }
}
