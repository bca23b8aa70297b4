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

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.ObjectName;

/** Reads the metrics for JMX. Only {@link Management} may load this class: the JVM may have no JMX. */
final class MetricsBean implements RdmaMetricsMXBean {

    /** Applications of one JVM may each have a copy of the transport. */
    private static ObjectName name() throws JMException {
        int loader = System.identityHashCode(MetricsBean.class.getClassLoader());
        return new ObjectName(NAME + ",loader=" + Integer.toHexString(loader));
    }

    static void register() throws JMException {
        ManagementFactory.getPlatformMBeanServer().registerMBean(new MetricsBean(), name());
    }

    static void unregister() throws JMException {
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(name());
    }

    @Override
    public List<RdmaLoopView> getLoops() {
        return RdmaMetrics.loops().stream().<RdmaLoopView>map(Loop::new).toList();
    }

    @Override
    public Map<String, Long> getRegisteredBytes() {
        return RdmaMetrics.registeredBytes();
    }

    @Override
    public long getCommittedBytes() {
        return RdmaMetrics.committedBytes();
    }

    private static final class Loop implements RdmaLoopView {

        private final RdmaLoopMetrics loop;

        Loop(RdmaLoopMetrics loop) {
            this.loop = loop;
        }

        @Override
        public int getIndex() {
            return loop.index();
        }

        @Override
        public String getThreadName() {
            return loop.threadName();
        }

        @Override
        public Map<String, Long> getValues() {
            Map<String, Long> values = new TreeMap<>();
            for (RdmaCounter counter : RdmaCounter.values()) {
                values.put(counter.name(), loop.counters().get(counter));
            }
            for (RdmaGauge gauge : RdmaGauge.values()) {
                values.put(gauge.name(), loop.counters().get(gauge));
            }
            return values;
        }
    }
}
