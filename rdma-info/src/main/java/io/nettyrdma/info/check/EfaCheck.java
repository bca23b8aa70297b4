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

import java.util.List;

/** Amazon's adapter: its driver, and the rule that only its account can see. */
final class EfaCheck implements Check {

    private static final String NAME = "EFA";
    private static final String CARDS = "sys/bus/pci/devices";

    @Override
    public List<Finding> findings(Machine machine) {
        for (String card : machine.files().names(CARDS)) {
            String path = CARDS + '/' + card;
            boolean isEfa = machine.files().text(path + "/vendor").equals(Machine.AMAZON)
                    && machine.files().text(path + "/device").startsWith("0xefa");
            if (isEfa && !machine.files().exists(path + "/driver")) {
                return List.of(Finding.problem(NAME, "the adapter " + card + " has no driver",
                        machine.container().onHost("modprobe efa; if there is no such module, install Amazon's "
                                + "aws-efa-installer")));
            }
        }
        if (machine.efaDevices().isEmpty()) {
            return List.of(Finding.ok(NAME, "there is none"));
        }
        return List.of(Finding.note(NAME, String.join(", ", machine.efaDevices())
                + ": the security group of its interface cannot be seen from inside the instance",
                "check that the group permits all traffic from and to itself; a missing rule shows as a peer that "
                        + "never answers"));
    }
}
