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

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The RDMA devices that the kernel shows: whether libibverbs can use one and, if not, why. A device must appear under
 * each of these paths, and each needs the component above it:
 *
 * <pre>
 *   driver of the card            ib_uverbs                       udev, container runtime   package ibverbs-providers
 *   /sys/class/infiniband/mlx5_0  /sys/class/infiniband_verbs/..  /dev/infiniband/uverbs0   ibv_get_device_list
 * </pre>
 */
public final class KernelDevices {

    private final Path devices;
    private final Path verbs;
    private final Path nodes;
    private final String only;

    /**
     * @param root root of the file system; tests use another than {@code /}.
     * @param choice if it names a device, the others do not count.
     */
    public KernelDevices(Path root, DeviceChoice choice) {
        only = choice.name();
        devices = root.resolve("sys/class/infiniband");
        verbs = root.resolve("sys/class/infiniband_verbs");
        nodes = root.resolve("dev/infiniband");
    }

    /** Whether the kernel has the RDMA device, usable or not. */
    public boolean isAny() {
        List<String> names = names(devices, "*");
        return only == null ? !names.isEmpty() : names.contains(only);
    }

    /** Why libibverbs, which is installed, lists no device: the missing component and the cure. */
    public String whyNoneIsListed() {
        String reason = whyNoneIsUsable();
        return reason != null ? reason : "libibverbs has no driver for the RDMA devices " + names(devices, "*")
                + ": install it (Debian and Ubuntu: apt-get install ibverbs-providers, Fedora and RHEL: "
                + "dnf install libibverbs)";
    }

    /** Why this process can open no device: the missing component and the cure; {@code null} if it can open one. */
    public String whyNoneIsUsable() {
        List<String> names = names(devices, "*");
        if (only != null && !names.contains(only)) {
            String here = names.isEmpty() ? "none" : String.join(", ", names);
            return "-D" + DeviceChoice.PROPERTY + '=' + only + " is neither a device of this machine (" + here
                    + ") nor one of the words system, any, software";
        }
        if (names.isEmpty()) {
            return "there is no RDMA device: " + devices + (Files.isDirectory(devices) ? " is empty" : " is absent")
                    + ". To develop and test without one, choose the software device of this library, which reaches "
                    + "programs on this machine only (-D" + DeviceChoice.PROPERTY + "=software). With an RDMA network "
                    + "card, load its driver (modprobe mlx5_ib, irdma, bnxt_re, efa, or the one that lspci -k shows) "
                    + "and modprobe ib_uverbs rdma_ucm. To reach other machines without a card, create the kernel's "
                    + "software device on a network interface (modprobe rdma_rxe; rdma link add rxe0 type rxe netdev "
                    + "eth0)";
        }
        if (names(verbs, "uverbs*").isEmpty()) {
            return "programs cannot reach the RDMA devices " + names + ": load the kernel module (modprobe ib_uverbs)";
        }
        if (names(nodes, "uverbs*").isEmpty()) {
            return "the RDMA devices " + names + " have no files in " + nodes + ": pass them to the container "
                    + "(--device=/dev/infiniband), or check that udev runs";
        }
        return whyNoneIsPermitted();
    }

    /**
     * Why this process has no permission to open a device; {@code null} if it has, or if there are no device files: a
     * software device needs none.
     */
    public String whyNoneIsPermitted() {
        List<String> files = names(nodes, "uverbs*");
        for (String file : files) {
            Path node = nodes.resolve(file);
            if (Files.isReadable(node) && Files.isWritable(node)) {
                return null;
            }
        }
        return files.isEmpty() ? null : "this user may not open " + files + " in " + nodes
                + ": give them the permissions of rdma-core's udev rules (chmod a+rw), or run in their group";
    }

    /** Sorted names; empty if the directory does not exist. */
    private static List<String> names(Path directory, String glob) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, glob)) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (IOException | DirectoryIteratorException e) {
            return List.of();
        }
        Collections.sort(names);
        return names;
    }
}
