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

/** The files of the devices and of the connection manager, and whether this user may open them. */
final class DeviceFilesCheck implements Check {

    private static final String NAME = "device files";
    private static final String NODES = "dev/infiniband";
    private static final String VERBS = "sys/class/infiniband_verbs";

    @Override
    public List<Finding> findings(Machine machine) {
        if (machine.software()) {
            return List.of(Finding.ok(NAME, "the software device has none"));
        }
        List<String> expected = new ArrayList<>(machine.files().names(VERBS));
        expected.removeIf(name -> !name.startsWith("uverbs"));
        if (expected.isEmpty()) {
            return List.of(Finding.ok(NAME, "none is expected, because no device can be reached by programs"));
        }
        if (machine.files().exists("sys/class/misc/rdma_cm")) {
            expected.add("rdma_cm");
        }
        List<String> absent = new ArrayList<>();
        List<String> forbidden = new ArrayList<>();
        for (String name : expected) {
            String node = NODES + '/' + name;
            if (!machine.files().exists(node)) {
                absent.add(name);
            } else if (!machine.files().isAccessible(node)) {
                forbidden.add(name);
            }
        }
        List<Finding> findings = new ArrayList<>();
        if (!absent.isEmpty()) {
            findings.add(Finding.problem(NAME, "/dev/infiniband lacks " + String.join(", ", absent),
                    machine.container() == Container.NONE
                            ? "install rdma-core, whose rules for udev make them, and run udevadm trigger"
                            : machine.container().passDevices()));
        }
        if (!forbidden.isEmpty()) {
            findings.add(Finding.problem(NAME, "this user may not open " + String.join(", ", forbidden)
                    + " of /dev/infiniband", machine.container().onHost("install rdma-core, whose rules for udev "
                    + "permit it, and run udevadm trigger; until the next boot chmod a+rw /dev/infiniband/*")));
        }
        return findings.isEmpty() ? List.of(Finding.ok(NAME, String.join(", ", expected))) : findings;
    }
}
