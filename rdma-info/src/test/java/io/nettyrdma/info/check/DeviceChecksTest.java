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

/** Devices, their modules and their files. */
class DeviceChecksTest {

    @TempDir
    private Path root;
    private Tree tree;

    @BeforeEach
    void makeTree() {
        tree = new Tree(root);
    }

    @Test
    void machineWithoutDeviceHasTwoCures() {
        assertThat(devices()).startsWith("PROBLEM there is no RDMA device -> modprobe rdma_rxe ")
                .contains("-Dio.nettyrdma.device=software");
    }

    @Test
    void cardWithoutDeviceNeedsItsDriver() {
        tree.file("sys/bus/pci/devices/0000:05:00.0/vendor", "0x15b3")
                .file("sys/bus/pci/devices/0000:05:00.0/class", "0x020000");
        assertThat(devices()).isEqualTo("PROBLEM the card 0000:05:00.0 has no RDMA device -> modprobe mlx5_ib");
        tree.file(".dockerenv", "");
        assertThat(devices()).endsWith(" -> on the host: modprobe mlx5_ib");
    }

    @Test
    void deviceIsNamed() {
        assertThat(Tree.only(new DevicesCheck().findings(tree.device("mlx5_0").machine()))).isEqualTo("OK mlx5_0");
        assertThat(Tree.only(new DevicesCheck().findings(tree.software()))).startsWith("OK the software device");
    }

    @Test
    void absentModulesAreNamed() {
        assertThat(modules())
                .startsWith("PROBLEM ib_uverbs and rdma_ucm are not loaded -> modprobe -a ib_uverbs rdma_ucm");
        tree.directory("sys/class/infiniband_verbs");
        assertThat(modules()).startsWith("PROBLEM rdma_ucm is not loaded -> modprobe -a rdma_ucm");
        tree.directory("sys/class/misc/rdma_cm");
        assertThat(modules()).isEqualTo("OK ib_uverbs and rdma_ucm are loaded");
    }

    @Test
    void efaNeedsNoConnectionManager() {
        tree.directory("sys/class/infiniband_verbs").file("sys/class/infiniband/rdmap0s6/device/vendor", "0x1d0f");
        assertThat(modules()).isEqualTo("OK ib_uverbs is loaded");
    }

    @Test
    void absentFilesAreMadeByUdevOrPassedToTheContainer() {
        tree.device("mlx5_0");
        assertThat(files()).startsWith("PROBLEM /dev/infiniband lacks uverbs0, rdma_cm -> install rdma-core");
        assertThat(Tree.only(new DeviceFilesCheck().findings(tree.pod())))
                .endsWith("-> request the resource of a device plugin for RDMA in the pod's limits");
        tree.file("run/.containerenv", "").file("dev/infiniband/rdma_cm", "");
        assertThat(files()).isEqualTo("PROBLEM /dev/infiniband lacks uverbs0 -> "
                + "run the container with --device=/dev/infiniband");
    }

    @Test
    void forbiddenFileIsAProblem() {
        tree.device("mlx5_0").forbidden("dev/infiniband/uverbs0").file("dev/infiniband/rdma_cm", "");
        assertThat(files()).startsWith("PROBLEM this user may not open uverbs0 of /dev/infiniband -> ")
                .contains("chmod a+rw");
    }

    @Test
    void filesThatMayBeOpenedAreFine() {
        tree.device("mlx5_0").file("dev/infiniband/uverbs0", "").file("dev/infiniband/rdma_cm", "");
        assertThat(files()).isEqualTo("OK uverbs0, rdma_cm");
    }

    @Test
    void efaWithoutDriverIsAProblem() {
        String card = "sys/bus/pci/devices/0000:00:06.0/";
        tree.file(card + "vendor", "0x1d0f").file(card + "device", "0xefa1");
        assertThat(efa()).startsWith("PROBLEM the adapter 0000:00:06.0 has no driver -> modprobe efa;");
        tree.directory(card + "driver").file("sys/class/infiniband/rdmap0s6/device/vendor", "0x1d0f");
        assertThat(efa()).startsWith("NOTE rdmap0s6: the security group ").contains("cannot be seen", "to itself");
    }

    @Test
    void otherCardsOfAmazonAreNoEfa() {
        tree.file("sys/bus/pci/devices/0000:00:05.0/vendor", "0x1d0f")
                .file("sys/bus/pci/devices/0000:00:05.0/device", "0xec20");
        assertThat(efa()).isEqualTo("OK there is none");
    }

    private String devices() {
        return Tree.only(new DevicesCheck().findings(tree.machine()));
    }

    private String modules() {
        return Tree.only(new ModulesCheck().findings(tree.machine()));
    }

    private String files() {
        return Tree.only(new DeviceFilesCheck().findings(tree.machine()));
    }

    private String efa() {
        return Tree.only(new EfaCheck().findings(tree.machine()));
    }
}
