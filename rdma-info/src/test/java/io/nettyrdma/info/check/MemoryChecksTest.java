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

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** Limits of memory and of the control group, and huge pages. */
class MemoryChecksTest {

    private static final String TRANSPARENT = "sys/kernel/mm/transparent_hugepage/enabled";

    @TempDir
    private Path root;
    private Tree tree;

    @BeforeEach
    void makeTree() {
        tree = new Tree(root);
    }

    @Test
    void usualLimitHasRoomForSomeConnections() {
        // (8192 - 2304) / 68 and / 1204: docs/memory.md.
        assertThat(locked(8 << 20)).isEqualTo("WARNING the limit is 8192 KiB; a loop needs 2304 KiB and a connection "
                + "68 KiB, 1204 KiB when it is busy: 86 idle or 4 busy connections of one loop fit -> ulimit -l "
                + "unlimited in the shell (memlock in /etc/security/limits.conf permits it), or LimitMEMLOCK=infinity "
                + "in the unit of a service");
    }

    @Test
    void softwareDeviceNeedsNoMemoryForQueues() {
        // (8192 - 2048) / 16 and / 1152.
        assertThat(Tree.only(new LockedMemoryCheck(8 << 20, true).findings(tree.software())))
                .contains("a loop needs 2048 KiB", "384 idle or 5 busy connections");
    }

    @Test
    void limitWithoutRoomForAConnectionIsAProblem() {
        assertThat(locked((2304 + 67) << 10)).startsWith("PROBLEM ");
        assertThat(locked((2304 + 68) << 10)).startsWith("WARNING ").contains("1 idle or 0 busy");
    }

    @Test
    void cureOfTheLimitIsThatOfTheContainer() {
        tree.file(".dockerenv", "");
        assertThat(locked(64 << 10)).endsWith("-> run the container with --ulimit memlock=-1 or --cap-add=IPC_LOCK");
        assertThat(Tree.only(new LockedMemoryCheck(64 << 10, true).findings(tree.pod())))
                .contains("securityContext.capabilities.add");
    }

    @Test
    void processWithoutALimitIsFine() {
        assertThat(Tree.only(new LockedMemoryCheck(Long.MAX_VALUE, false).findings(tree.machine())))
                .isEqualTo("OK unlimited");
        assertThat(Tree.only(new LockedMemoryCheck(64 << 10, false).findings(tree.machine())))
                .isEqualTo("OK this process may exceed the limit of 64 KiB (CAP_IPC_LOCK)");
    }

    @Test
    void hugePagesThatAreOffCostTime() {
        tree.file(TRANSPARENT, "always madvise [never]");
        assertThat(pages(false)).startsWith("NOTE transparent huge pages are off")
                .endsWith("-> echo madvise > /" + TRANSPARENT);
        tree.file(TRANSPARENT, "always [madvise] never");
        assertThat(pages(false)).isEqualTo("OK transparent ones are madvise, 0 reserved ones of 2 MiB are free");
    }

    @Test
    void reservedPagesThatAreAskedForMustBeThere() {
        assertThat(pages(true)).startsWith("WARNING ").contains("vm.nr_hugepages");
        tree.file("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "12");
        assertThat(pages(true)).startsWith("OK ").contains("12 reserved");
    }

    @Test
    void groupWithFewObjectsBoundsConnections() {
        tree.file("proc/self/cgroup", "0::/a/b").file("sys/fs/cgroup/a/b/rdma.max",
                "mlx5_0 hca_handle=2 hca_object=100\nmlx5_1 hca_handle=max hca_object=max");
        assertThat(limits(0)).startsWith("WARNING its control group may have 100 objects of mlx5_0")
                .contains("mlx5_0 hca_object=max");
    }

    @Test
    void heapAndRegisteredMemoryMustFitIntoTheGroup() {
        tree.file("sys/fs/cgroup/memory.max", "1073741824");
        assertThat(limits(1 << 30)).isEqualTo("OK none");
        assertThat(limits((1L << 30) + 1)).startsWith("WARNING ").contains("1024 MiB", "maxRegisteredBytes");
        tree.file("sys/fs/cgroup/memory.max", "max");
        assertThat(limits(1L << 40)).isEqualTo("OK none");
    }

    @Test
    void sharedMemoryOfAContainerIsLittleForTheSoftwareDevice() {
        tree.file(".dockerenv", "").file("proc/self/mounts", "shm /dev/shm tmpfs rw,nosuid,size=65536k,inode64 0 0");
        assertThat(Tree.only(new LimitsCheck(0).findings(tree.software()))).startsWith("WARNING /dev/shm has 64 MiB")
                .endsWith("-> run the container with --shm-size=1g");
        assertThat(limits(0)).startsWith("OK ");
    }

    private String locked(long bytes) {
        return Tree.only(new LockedMemoryCheck(bytes, true).findings(tree.machine()));
    }

    private String pages(boolean explicit) {
        return Tree.only(new HugePagesCheck(explicit).findings(tree.machine()));
    }

    private String limits(long committed) {
        return Tree.only(new LimitsCheck(committed).findings(tree.machine()));
    }
}
