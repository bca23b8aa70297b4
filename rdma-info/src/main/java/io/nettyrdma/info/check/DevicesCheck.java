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
import java.util.Map;

/** Whether the kernel has an RDMA device, and if not, whether there is a card that lacks its driver. */
final class DevicesCheck implements Check {

    private static final String NAME = "devices";
    private static final String CARDS = "sys/bus/pci/devices";

    /** Vendors whose network cards of today are RDMA cards. Others make cards of both kinds. */
    private static final Map<String, String> DRIVERS = Map.of("0x15b3", "mlx5_ib", "0x1425", "iw_cxgb4");

    private static final String ETHERNET = "0x02";

    @Override
    public List<Finding> findings(Machine machine) {
        if (machine.software()) {
            return List.of(Finding.ok(NAME, "the software device softhca, which reaches this machine alone"));
        }
        if (!machine.devices().isEmpty()) {
            return List.of(Finding.ok(NAME, String.join(", ", machine.devices())));
        }
        for (String card : machine.files().names(CARDS)) {
            String driver = DRIVERS.get(machine.files().text(CARDS + '/' + card + "/vendor"));
            if (driver != null && machine.files().text(CARDS + '/' + card + "/class").startsWith(ETHERNET)) {
                return List.of(Finding.problem(NAME, "the card " + card + " has no RDMA device",
                        machine.container().onHost("modprobe " + driver)));
            }
        }
        return List.of(Finding.problem(NAME, "there is no RDMA device",
                machine.container().onHost("modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0 for the "
                        + "kernel's software device") + "; or -Dio.nettyrdma.device=software for programs on this "
                + "machine alone"));
    }
}
