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

/**
 * The kernel modules between programs and devices. The directory that a module makes proves more than its name in
 * {@code /proc/modules}, which lacks those that are built in.
 */
final class ModulesCheck implements Check {

    private static final String NAME = "kernel modules";

    @Override
    public List<Finding> findings(Machine machine) {
        if (machine.software()) {
            return List.of(Finding.ok(NAME, "the software device needs none"));
        }
        List<String> missing = new ArrayList<>();
        if (!machine.files().exists("sys/class/infiniband_verbs")) {
            missing.add("ib_uverbs");
        }
        boolean onlyEfa = !machine.devices().isEmpty() && machine.efaDevices().equals(machine.devices());
        if (!onlyEfa && !machine.files().exists("sys/class/misc/rdma_cm")) {
            missing.add("rdma_ucm");
        }
        if (missing.isEmpty()) {
            return List.of(Finding.ok(NAME, onlyEfa ? "ib_uverbs is loaded" : "ib_uverbs and rdma_ucm are loaded"));
        }
        String names = String.join(" ", missing);
        return List.of(Finding.problem(NAME, String.join(" and ", missing) + (missing.size() == 1 ? " is" : " are")
                + " not loaded", machine.container().onHost("modprobe -a " + names
                + ", and a line for each in /etc/modules-load.d/rdma.conf for the next boot")));
    }
}
