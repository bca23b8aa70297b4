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
package io.nettyrdma.agent;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;

/**
 * Gives event loops and channels of an unmodified program RDMA: {@code java -javaagent:netty-transport-rdma-agent.jar}.
 * The only class of the agent, besides its class loader, that the program's loader defines.
 */
public final class Agent {

    /** A second option of the JVM calls this same class. */
    private static boolean isThere;

    private Agent() {
    }

    /**
     * Called by the JVM before the program's {@code main}.
     *
     * @param options what follows the {@code =} of the JVM's option; {@code null} without one.
     * @param instrumentation the JVM's.
     * @throws Exception if the agent's own jar cannot be read.
     */
    public static synchronized void premain(String options, Instrumentation instrumentation) throws Exception {
        if (isThere) {
            System.err.println("netty-transport-rdma-agent: it is there already: this second -javaagent does nothing");
            return;
        }
        isThere = true;
        Path jar = Path.of(Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Class<?> start = Class.forName("io.nettyrdma.agent.swap.Start", true, new IsolatedLoader(jar));
        try {
            start.getMethod("start", String.class, Instrumentation.class, Path.class)
                    .invoke(null, options, instrumentation, jar);
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof IllegalArgumentException wrong)) {
                throw e;
            }
            // An exception would make the JVM dump its memory.
            System.err.println("netty-transport-rdma-agent: " + wrong.getMessage());
            System.exit(1);
        }
    }
}
