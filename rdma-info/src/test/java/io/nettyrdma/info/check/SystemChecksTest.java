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

import io.nettyrdma.info.check.LibrariesCheck.Library;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Libraries, virtualization and IOMMU. */
class SystemChecksTest {

    @TempDir
    private Path root;
    private Tree tree;

    @BeforeEach
    void makeTree() {
        tree = new Tree(root);
    }

    @Test
    void versionOfGlibcIsInItsFile() {
        libc("/usr/lib/x86_64-linux-gnu/libc.so.6", "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.");
        assertThat(libc()).isEqualTo("OK glibc 2.36 of at least 2.17");
        libc("/lib64/libc-2.12.so", "GNU C Library stable release version 2.12, by Roland McGrath");
        assertThat(libc()).startsWith("PROBLEM glibc 2.12, older than 2.17");
        libc("/lib/x86_64-linux-gnu/libc.so.6", "another library");
        assertThat(libc()).startsWith("NOTE /lib/x86_64-linux-gnu/libc.so.6 names no version");
    }

    @Test
    void muslIsAProblem() {
        libc("/lib/ld-musl-x86_64.so.1", "");
        assertThat(libc()).startsWith("PROBLEM musl, ");
    }

    @Test
    void oldOrMixedNettyIsReported() {
        assertThat(netty(Map.of("netty-common", "4.2.17.Final"))).isEqualTo("OK 4.2.17.Final of at least 4.2.0.Final");
        assertThat(netty(Map.of("netty-common", "4.1.130.Final")))
                .startsWith("PROBLEM older than 4.2.0.Final: 4.1.130.Final (netty-common) -> take all of Netty");
        assertThat(netty(Map.of("netty-common", "4.2.1.Final", "netty-buffer", "4.2.2.Final")))
                .startsWith("WARNING several versions: 4.2.1.Final (netty-common), 4.2.2.Final (netty-buffer)");
        assertThat(netty(Map.of())).startsWith("PROBLEM no artifact");
    }

    @Test
    void reasonOfALibraryEndsWithItsCure() {
        assertThat(libraries(new Library("libibverbs", true, "there is no RDMA device: /sys is empty; libibverbs.so.1: "
                + "cannot open shared object file; install rdma-core (apt-get)")))
                .isEqualTo("PROBLEM libibverbs: libibverbs.so.1: cannot open shared object file -> "
                        + "install rdma-core (apt-get)");
        assertThat(libraries(new Library("native library", true, "no reason")))
                .isEqualTo("PROBLEM native library: no reason -> see the other lines");
        assertThat(libraries(new Library("a", true, null), new Library("libefa", false, "absent")))
                .isEqualTo("OK a is loaded");
    }

    @Test
    void virtualMachineGetsDevicesFromItsHost() {
        assertThat(virtualization()).isEqualTo("OK none is seen");
        tree.file("proc/cpuinfo", "processor : 0\nflags\t\t: fpu hypervisor sse");
        assertThat(virtualization()).startsWith("NOTE a virtual machine without an RDMA device -> pass a card");
        tree.file("sys/class/dmi/id/sys_vendor", "Amazon EC2").file("sys/class/dmi/id/product_name", "c5n.large");
        assertThat(virtualization()).startsWith("NOTE a virtual machine (Amazon EC2 c5n.large) without an RDMA device")
                .contains("instance type with EFA");
        tree.device("rdmap0s6");
        assertThat(virtualization()).isEqualTo("OK a virtual machine (Amazon EC2 c5n.large)");
    }

    @Test
    void translatingIommuCostsTime() {
        tree.device("mlx5_0").file("sys/class/infiniband/mlx5_0/device/iommu_group/type", "DMA-FQ");
        assertThat(iommu()).isEqualTo("OK none, so devices reach memory directly");
        tree.directory("sys/class/iommu/dmar0");
        assertThat(iommu()).startsWith("NOTE it translates each access of mlx5_0 (DMA-FQ)").contains("iommu=pt");
        tree.file("sys/class/infiniband/mlx5_0/device/iommu_group/type", "identity");
        assertThat(iommu()).isEqualTo("OK it translates no access of an RDMA device");
    }

    @Test
    void unexplainedReasonIsShownAtLast() {
        MachineCheck.Facts facts = new MachineCheck.Facts(Long.MAX_VALUE, false, List.of(),
                Map.of("netty-common", "4.2.17.Final"), List.of(), false, 0, "the device was removed");
        List<Finding> findings = MachineCheck.findings(tree.software(), facts);
        assertThat(findings).filteredOn(finding -> finding.level() == Finding.Level.PROBLEM).singleElement()
                .extracting(Finding::cure).isEqualTo("the device was removed");
    }

    private void libc(String path, String content) {
        tree.file("proc/self/maps", "7f00-7f01 r--p 0000 fe:00 12  " + path).file(path.substring(1), content);
    }

    private String libc() {
        return Tree.only(new LibcCheck().findings(tree.machine()));
    }

    private String netty(Map<String, String> versions) {
        return Tree.only(new NettyCheck(versions).findings(tree.machine()));
    }

    private String libraries(Library... libraries) {
        return Tree.only(new LibrariesCheck(List.of(libraries)).findings(tree.machine()));
    }

    private String virtualization() {
        return Tree.only(new VirtualizationCheck().findings(tree.machine()));
    }

    private String iommu() {
        return Tree.only(new IommuCheck().findings(tree.machine()));
    }
}
