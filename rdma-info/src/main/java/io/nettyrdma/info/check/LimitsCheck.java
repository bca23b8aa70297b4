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
package io.nettyrdma.info.check;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Limits of the control group that bound RDMA: objects of a device, memory, and the software device's files. */
final class LimitsCheck implements Check {

    private static final String NAME = "container";
    private static final String GROUPS = "sys/fs/cgroup";
    private static final Pattern OBJECTS = Pattern.compile("(\\S+) .*hca_object=(\\d+)");
    private static final Pattern SHARED = Pattern.compile("\\S+ /dev/shm \\S+ \\S*size=(\\d+)k\\S* .*");
    /** A queue pair of each of some hundred connections, and what a loop needs besides. */
    private static final int FEW_OBJECTS = 256;
    /** What docker gives a container. The software device takes 2.5 MiB for each two processes that talk. */
    private static final long LITTLE_SHARED_KIB = 64 << 10;

    private final long committedBytes;

    /** @param committedBytes what this JVM may take for its heap and, by the default, for registered memory. */
    LimitsCheck(long committedBytes) {
        this.committedBytes = committedBytes;
    }

    @Override
    public List<Finding> findings(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        String group = group(machine.files());
        for (String line : machine.files().lines(group + "/rdma.max")) {
            Matcher limit = OBJECTS.matcher(line);
            if (limit.find() && limit.group(2).length() < 9 && Integer.parseInt(limit.group(2)) < FEW_OBJECTS) {
                findings.add(Finding.warning(NAME, "its control group may have " + limit.group(2) + " objects of "
                        + limit.group(1) + ", and each connection is one", machine.container().onHost("echo '"
                        + limit.group(1) + " hca_object=max' > the group's rdma.max")));
            }
        }
        long memory = machine.files().number(group + "/memory.max");
        if (memory > 0 && committedBytes > memory) {
            findings.add(Finding.warning(NAME, "heap and registered memory may take " + (committedBytes >> 20)
                    + " MiB together, and the limit is " + (memory >> 20) + " MiB",
                    "choose less with -Xmx, or with -Dio.nettyrdma.allocator.maxRegisteredBytes"));
        }
        if (machine.software()) {
            sharedMemory(machine, findings);
        }
        if (findings.isEmpty()) {
            findings.add(Finding.ok(NAME, machine.container() == Container.NONE ? "none"
                    : "its limits do not bound RDMA"));
        }
        return findings;
    }

    private static void sharedMemory(Machine machine, List<Finding> findings) {
        for (String mount : machine.files().lines("proc/self/mounts")) {
            Matcher size = SHARED.matcher(mount);
            if (size.matches() && Long.parseLong(size.group(1)) <= LITTLE_SHARED_KIB) {
                findings.add(Finding.warning(NAME, "/dev/shm has " + (Long.parseLong(size.group(1)) >> 10)
                        + " MiB, and the software device takes 2.5 MiB for each pair of contexts",
                        machine.container() == Container.KUBERNETES
                                ? "mount an emptyDir with medium: Memory at /dev/shm"
                                : machine.container() == Container.RUNTIME ? "run the container with --shm-size=1g"
                                : "mount -o remount,size=1g /dev/shm"));
                return;
            }
        }
    }

    /** The group of the second version: the line of {@code /proc/self/cgroup} that begins with {@code 0::}. */
    private static String group(SystemFiles files) {
        for (String line : files.lines("proc/self/cgroup")) {
            if (line.startsWith("0::/") && files.exists(GROUPS + line.substring(3))) {
                return GROUPS + line.substring(3);
            }
        }
        return GROUPS;
    }
}
