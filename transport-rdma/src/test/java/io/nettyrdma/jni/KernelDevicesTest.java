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
package io.nettyrdma.jni;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** Adds the parts of a device step by step. At each step the next missing part is named. */
class KernelDevicesTest {

    @TempDir
    private Path root;
    private KernelDevices kernel;

    @BeforeEach
    void create() {
        kernel = new KernelDevices(root, DeviceChoice.parse("system"));
    }

    @Test
    void kernelWithoutRdmaIsNamed() {
        assertThat(kernel.whyNoneIsListed()).contains("sys/class/infiniband is absent")
                .contains("modprobe ib_uverbs").contains("rdma link add rxe0 type rxe netdev eth0");
        assertThat(kernel.whyNoneIsListed()).contains("-Dio.nettyrdma.device=software");
        assertThat(kernel.whyNoneIsPermitted()).isNull();
        assertThat(kernel.isAny()).isFalse();
    }

    @Test
    void missingDriverIsNamed() throws IOException {
        Files.createDirectories(root.resolve("sys/class/infiniband"));
        assertThat(kernel.whyNoneIsListed()).contains("sys/class/infiniband is empty").contains("modprobe mlx5_ib");
    }

    @Test
    void missingUverbsModuleIsNamed() throws IOException {
        device();
        assertThat(kernel.whyNoneIsListed()).contains("[mlx5_0]").endsWith("(modprobe ib_uverbs)");
        assertThat(kernel.whyNoneIsUsable()).isEqualTo(kernel.whyNoneIsListed());
        assertThat(kernel.isAny()).isTrue();
    }

    @Test
    void missingDeviceFileIsNamed() throws IOException {
        device();
        uverbs();
        assertThat(kernel.whyNoneIsListed()).contains("[mlx5_0]").contains("--device=/dev/infiniband");
        assertThat(kernel.whyNoneIsPermitted()).isNull();
    }

    @Test
    void missingPermissionIsNamed() throws IOException {
        device();
        uverbs();
        // A dangling link, because root can open everything else: what matters is that it cannot be opened.
        Files.createSymbolicLink(Files.createDirectories(root.resolve("dev/infiniband")).resolve("uverbs0"),
                Path.of("gone"));
        assertThat(kernel.whyNoneIsListed()).contains("may not open [uverbs0]");
        assertThat(kernel.whyNoneIsPermitted()).contains("may not open [uverbs0]");
    }

    @Test
    void missingProviderIsNamed() throws IOException {
        device();
        uverbs();
        Files.createFile(Files.createDirectories(root.resolve("dev/infiniband")).resolve("uverbs0"));
        assertThat(kernel.whyNoneIsListed()).contains("no driver").contains("[mlx5_0]").contains("ibverbs-providers");
        assertThat(kernel.whyNoneIsPermitted()).isNull();
        assertThat(kernel.whyNoneIsUsable()).isNull();
    }

    @Test
    void unknownDeviceNameIsReported() throws IOException {
        KernelDevices sofware = new KernelDevices(root, DeviceChoice.parse("sofware"));
        assertThat(sofware.whyNoneIsListed()).isEqualTo("-Dio.nettyrdma.device=sofware is neither a device of this "
                + "machine (none) nor one of the words system, any, software");
        device();
        uverbs();
        Files.createFile(Files.createDirectories(root.resolve("dev/infiniband")).resolve("uverbs0"));
        assertThat(sofware.whyNoneIsUsable()).contains("device of this machine (mlx5_0)").contains("sofware");
        assertThat(sofware.isAny()).isFalse();
        KernelDevices right = new KernelDevices(root, DeviceChoice.parse("mlx5_0"));
        assertThat(right.whyNoneIsUsable()).isNull();
        assertThat(right.isAny()).isTrue();
    }

    private void device() throws IOException {
        Files.createDirectories(root.resolve("sys/class/infiniband/mlx5_0"));
    }

    private void uverbs() throws IOException {
        Files.createDirectories(root.resolve("sys/class/infiniband_verbs/uverbs0"));
        Files.createFile(root.resolve("sys/class/infiniband_verbs/abi_version"));
    }
}
