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
import java.util.Map;

/** All checks. */
public final class MachineCheck {

    /**
     * Facts that no file of the system has.
     *
     * @param lockedBytes limit of locked memory, negative if it is unknown.
     * @param isLockedBounded whether the limit bounds this process.
     * @param ports ports of RoCE with a network interface.
     * @param nettyVersions versions of Netty's artifacts by their names.
     * @param libraries the libraries that were loaded, or not.
     * @param explicitPages whether the allocator is to take reserved huge pages.
     * @param committedBytes the most that this JVM takes for its heap and for registered memory.
     * @param missing why RDMA cannot be used, {@code null} if it can.
     */
    public record Facts(long lockedBytes, boolean isLockedBounded, List<MtuCheck.RocePort> ports,
                        Map<String, String> nettyVersions, List<LibrariesCheck.Library> libraries,
                        boolean explicitPages, long committedBytes, String missing) {
    }

    private MachineCheck() {
    }

    /**
     * {@return findings of all checks, in the order in which a user mends them: at least one of each}
     *
     * @param machine the machine.
     * @param facts more about it.
     */
    public static List<Finding> findings(Machine machine, Facts facts) {
        List<Check> checks = List.of(new LibcCheck(), new NettyCheck(facts.nettyVersions()),
                new LibrariesCheck(facts.libraries()), new DevicesCheck(), new EfaCheck(), new ModulesCheck(),
                new DeviceFilesCheck(), new PortsCheck(), new MtuCheck(facts.ports()),
                new LockedMemoryCheck(facts.lockedBytes(), facts.isLockedBounded()),
                new HugePagesCheck(facts.explicitPages()), new LimitsCheck(facts.committedBytes()),
                new VirtualizationCheck(), new IommuCheck());
        List<Finding> findings = new ArrayList<>();
        checks.forEach(check -> findings.addAll(check.findings(machine)));
        boolean isExplained = findings.stream().anyMatch(finding -> finding.level() == Finding.Level.PROBLEM);
        if (facts.missing() != null && !isExplained) {
            findings.add(Finding.problem("RDMA", "it cannot be used, for a reason that no check knows",
                    facts.missing().replace('\n', ' ')));
        }
        return findings;
    }
}
