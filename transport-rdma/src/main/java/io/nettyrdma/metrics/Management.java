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
package io.nettyrdma.metrics;

/**
 * Has the metrics in JMX while there are event loops. A thread registers them, which ends at once: the first use of JMX
 * in a process takes many milliseconds, for which no loop waits. After the last loop nothing refers to this class.
 */
final class Management {

    private static final Object CALLS = new Object();
    private static boolean wanted;
    /** Guarded by {@link #CALLS}. */
    private static boolean registered;

    private Management() {
    }

    /** The number of loops has changed. Any thread. */
    static synchronized void update(boolean hasLoops) {
        if (hasLoops != wanted) {
            wanted = hasLoops;
            Thread thread = new Thread(null, Management::apply, "rdma-management", 0, false);
            thread.setContextClassLoader(null);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static synchronized boolean isWanted() {
        return wanted;
    }

    /** If several threads do this, the last one leaves it as it is wanted. */
    private static void apply() {
        synchronized (CALLS) {
            boolean register = isWanted();
            if (register == registered) {
                return;
            }
            registered = register;
            try {
                if (register) {
                    MetricsBean.register();
                } else {
                    MetricsBean.unregister();
                }
            } catch (Exception | LinkageError ignored) {
                // A JVM without the module java.management, or one that takes no beans: there is no JMX to read them.
            }
        }
    }
}
