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

import io.nettyrdma.metrics.RdmaMetricsMXBean;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/** A second bean with the same metrics, as if another copy of the transport were relocated. */
final class RelocatedBean {

    private static final long SECONDS = 30;

    private RelocatedBean() {
    }

    static void register(String domain) throws JMException, InterruptedException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName own = await(server, new ObjectName(RdmaMetricsMXBean.NAME + ",*"));
        RdmaMetricsMXBean bean = JMX.newMXBeanProxy(server, own, RdmaMetricsMXBean.class);
        server.registerMBean(new StandardMBean(bean, RdmaMetricsMXBean.class, true),
                new ObjectName(domain, own.getKeyPropertyList()));
    }

    /** A thread of its own registers the bean when the first loop has begun. */
    private static ObjectName await(MBeanServer server, ObjectName pattern) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (server.queryNames(pattern, null).isEmpty()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("no bean " + pattern);
            }
            Thread.sleep(1);
        }
        return server.queryNames(pattern, null).iterator().next();
    }
}
