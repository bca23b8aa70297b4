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

/** The pages that the allocator takes: a device keeps a translation for each. */
final class HugePagesCheck implements Check {

    private static final String NAME = "huge pages";
    private static final String TRANSPARENT = "sys/kernel/mm/transparent_hugepage/enabled";
    private static final String FREE = "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages";

    private final boolean explicit;

    /** @param explicit whether the allocator is to take reserved pages. */
    HugePagesCheck(boolean explicit) {
        this.explicit = explicit;
    }

    @Override
    public List<Finding> findings(Machine machine) {
        long free = machine.files().number(FREE);
        if (explicit && free == 0) {
            return List.of(Finding.warning(NAME, "the allocator is to take reserved pages of 2 MiB, and none is free",
                    machine.container().onHost("sysctl -w vm.nr_hugepages=N, with a page for each chunk of 2 MiB")));
        }
        String modes = machine.files().text(TRANSPARENT);
        if (modes.contains("[never]") && !explicit) {
            return List.of(Finding.note(NAME, "transparent huge pages are off, so a device translates 512 pages of "
                    + "each chunk", machine.container().onHost("echo madvise > /" + TRANSPARENT)));
        }
        return List.of(Finding.ok(NAME, (modes.isEmpty() ? "the kernel has no transparent ones"
                : "transparent ones are " + modes.replaceAll(".*\\[|].*", "")) + ", " + free
                + " reserved ones of 2 MiB are free"));
    }
}
