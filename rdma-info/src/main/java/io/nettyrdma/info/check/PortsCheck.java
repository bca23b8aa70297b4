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

/** The ports of the kernel's devices: their state and, for RoCE, their GIDs and the version that connections take. */
final class PortsCheck implements Check {

    private static final String NAME = "ports";
    private static final String ROCE_2 = "RoCE v2";
    private static final String LINK_LOCAL = "fe80:";
    private static final String UNSET = "0000:0000:0000:0000:0000:0000:0000:0000";
    /** Of {@code node_type}; its ports say Ethernet as those of RoCE do. */
    private static final String IWARP = "4:";

    @Override
    public List<Finding> findings(Machine machine) {
        if (machine.software()) {
            return List.of(Finding.ok(NAME, "the software device has one, with a GID for each address"));
        }
        List<Finding> findings = new ArrayList<>();
        for (String device : machine.devices()) {
            String ports = Machine.DEVICES + '/' + device + "/ports";
            for (String number : machine.files().names(ports)) {
                findings.add(new Port(machine, device, number, ports + '/' + number).finding());
            }
        }
        return findings.isEmpty() ? List.of(Finding.ok(NAME, "there is none to check")) : findings;
    }

    private record Port(Machine machine, String device, String number, String path) {

        Finding finding() {
            String name = device + " port " + number;
            String state = read("state");
            if (!state.contains("ACTIVE")) {
                return Finding.warning(NAME, name + " is not active (" + state + ')', machine.container().onHost(
                        netInterface().isEmpty() ? "connect its cable, and see that a subnet manager runs"
                                : "ip link set dev " + netInterface() + " up, and connect its cable"));
            }
            boolean isRoce = "Ethernet".equals(read("link_layer"))
                    && !machine.files().text(Machine.DEVICES + '/' + device + "/node_type").startsWith(IWARP);
            return isRoce ? roce(name) : Finding.ok(NAME, name + " is active");
        }

        private Finding roce(String name) {
            int version2 = 0;
            int routable = 0;
            for (String index : machine.files().names(path + "/gids")) {
                String gid = read("gids/" + index);
                if (!gid.isEmpty() && !gid.equals(UNSET) && ROCE_2.equals(read("gid_attrs/types/" + index))) {
                    version2++;
                    routable += gid.startsWith(LINK_LOCAL) ? 0 : 1;
                }
            }
            if (version2 == 0) {
                return Finding.warning(NAME, name + " has no GID of RoCE v2, so its packets cannot be routed",
                        machine.container().onHost("switch RoCE v2 on in the card's firmware or driver"));
            }
            if (routable == 0) {
                return Finding.warning(NAME, name + " has no GID of an IP address", machine.container().onHost(
                        "ip address add ADDRESS/BITS dev "
                                + (netInterface().isEmpty() ? "INTERFACE" : netInterface())));
            }
            String mode = "sys/kernel/config/rdma_cm/" + device + "/ports/" + number + "/default_roce_mode";
            String chosen = machine.files().text(mode);
            if (!chosen.isEmpty() && !chosen.equals(ROCE_2)) {
                return Finding.warning(NAME, name + " connects by " + chosen + ", which peers with RoCE v2 refuse",
                        machine.container().onHost("echo '" + ROCE_2 + "' > /" + mode));
            }
            return Finding.ok(NAME, name + " is active, with " + version2 + " GIDs of RoCE v2");
        }

        private String netInterface() {
            return read("gid_attrs/ndevs/0");
        }

        private String read(String file) {
            return machine.files().text(path + '/' + file);
        }
    }
}
