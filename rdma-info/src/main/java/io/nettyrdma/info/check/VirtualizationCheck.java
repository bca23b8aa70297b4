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
import java.util.stream.Stream;

/** Whether this is a virtual machine, which has the devices that its host gives it. */
final class VirtualizationCheck implements Check {

    private static final String NAME = "virtualization";

    @Override
    public List<Finding> findings(Machine machine) {
        SystemFiles files = machine.files();
        boolean isVirtual = files.exists("sys/hypervisor/type")
                || files.lines("proc/cpuinfo").stream().anyMatch(line -> line.matches("flags\\b.*\\bhypervisor\\b.*"));
        if (!isVirtual) {
            return List.of(Finding.ok(NAME, "none is seen"));
        }
        String maker = Stream.of("sys_vendor", "product_name").map(file -> files.text("sys/class/dmi/id/" + file))
                .filter(text -> !text.isEmpty()).reduce((vendor, product) -> vendor + ' ' + product).orElse("");
        String text = maker.isEmpty() ? "a virtual machine" : "a virtual machine (" + maker + ')';
        if (machine.software() || !machine.devices().isEmpty()) {
            return List.of(Finding.ok(NAME, text));
        }
        return List.of(Finding.note(NAME, text + " without an RDMA device", maker.startsWith("Amazon EC2")
                ? "choose an instance type with EFA, and attach a network interface of type efa"
                : "pass a card, or a virtual function of one (SR-IOV), to the machine on its host"));
    }
}
