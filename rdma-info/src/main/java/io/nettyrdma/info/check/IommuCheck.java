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

/** Whether an IOMMU translates each access of a device. */
final class IommuCheck implements Check {

    private static final String NAME = "IOMMU";

    @Override
    public List<Finding> findings(Machine machine) {
        if (machine.files().names("sys/class/iommu").isEmpty()) {
            return List.of(Finding.ok(NAME, "none, so devices reach memory directly"));
        }
        for (String device : machine.devices()) {
            String type = machine.files().text(Machine.DEVICES + '/' + device + "/device/iommu_group/type");
            if (type.startsWith("DMA")) {
                return List.of(Finding.note(NAME, "it translates each access of " + device + " (" + type
                        + "), which costs registration and large transfers time",
                        machine.container().onHost("boot with the kernel parameter iommu=pt, if no device of this "
                                + "machine needs to be kept apart")));
            }
        }
        return List.of(Finding.ok(NAME, "it translates no access of an RDMA device"));
    }
}
