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

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import io.nettyrdma.metrics.RdmaLoopView;
import io.nettyrdma.metrics.RdmaMetricsMXBean;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** The observed process. It starts its agent of JMX, for programs of the same user on this machine. */
final class Target implements AutoCloseable {

    private static final String NONE = "no other JVM of this user runs here\n";

    private final JMXConnector connector;
    private final MBeanServerConnection server;
    private final String title;

    private Target(JMXConnector connector, String title) throws IOException {
        this.connector = connector;
        this.title = title;
        server = connector.getMBeanServerConnection();
    }

    /** A line for each other JVM of this user, or that there is none. */
    static String list() {
        return list(VirtualMachine.list(), ProcessHandle.current().pid());
    }

    static String list(List<VirtualMachineDescriptor> machines, long own) {
        StringBuilder lines = new StringBuilder();
        for (VirtualMachineDescriptor each : machines) {
            if (!each.id().equals(Long.toString(own))) {
                lines.append(each.id()).append(' ').append(name(each)).append('\n');
            }
        }
        return lines.isEmpty() ? NONE : lines.toString();
    }

    private static String name(VirtualMachineDescriptor of) {
        return of.displayName().isEmpty() ? "(unknown)" : of.displayName().split(" ", 2)[0];
    }

    /** @throws IOException if the process is no JVM, or one of another user; the message is for users. */
    static Target attach(long pid) throws IOException {
        String id = Long.toString(pid);
        try {
            VirtualMachine machine = VirtualMachine.attach(id);
            try {
                JMXServiceURL url = new JMXServiceURL(machine.startLocalManagementAgent());
                String name = VirtualMachine.list().stream().filter(each -> each.id().equals(id)).findFirst()
                        .map(Target::name).orElse("");
                return new Target(JMXConnectorFactory.connect(url), (id + ' ' + name).strip());
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException | IOException e) {
            throw new IOException("cannot attach to process " + pid + ": " + e.getMessage()
                    + "; it has to be a JVM of this user that still runs: rdma-top without PID lists them", e);
        }
    }

    String title() {
        return title;
    }

    /** @throws IOException if the process has ended, or has no event loop of the transport. */
    Sample sample() throws IOException {
        List<Sample.Loop> loops = new ArrayList<>();
        Map<String, Long> registered = new TreeMap<>();
        long committed = 0;
        TreeSet<ObjectName> beans;
        try {
            // A program may have relocated the transport, and with it the name.
            beans = new TreeSet<>(server.queryNames(new ObjectName('*' + RdmaMetricsMXBean.NAME + ",*"), null));
        } catch (MalformedObjectNameException e) {
            throw new IllegalStateException(e);
        }
        if (beans.isEmpty()) {
            throw new IOException("process " + title + " has no event loop of netty-transport-rdma");
        }
        for (ObjectName name : beans) {
            RdmaMetricsMXBean bean = JMX.newMXBeanProxy(server, name, RdmaMetricsMXBean.class);
            for (RdmaLoopView loop : bean.getLoops()) {
                loops.add(new Sample.Loop(name.getKeyProperty("loader") + '/' + loop.getIndex(), loop.getIndex(),
                        loop.getThreadName(), loop.getValues()));
            }
            bean.getRegisteredBytes().forEach((device, bytes) -> registered.merge(device, bytes, Long::sum));
            committed += bean.getCommittedBytes();
        }
        return new Sample(System.nanoTime(), loops, registered, committed);
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
