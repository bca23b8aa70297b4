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
package io.nettyrdma.verbs;

import io.nettyrdma.jni.Errno;
import io.nettyrdma.jni.NativeLibrary;

/**
 * What a user can do about a failed call: the last part of the messages of {@link VerbsException}. An error number
 * means something else in each call, on each kind of device and in each process, so each cure is for one call and for
 * circumstances that were looked at. Where the reason is not certain there is no cure.
 */
final class Cures {

    private Cures() {
    }

    /** The cure, or {@code null} if none is known. For the last call of this thread. */
    static String cure(String call, int errno) {
        boolean limited = (errno == Errno.ENOMEM || errno == Errno.EAGAIN) && LockedMemory.isLimited();
        if (!NativeLibrary.isSoftware()) {
            return ofSystem(call, errno, limited);
        }
        String reason = NativeLibrary.softwareFailure(errno);
        return reason == null ? ofSoftware(call, errno, limited) : reason;
    }

    /** @param limited whether the limit of locked memory bounds this process. */
    static String ofSystem(String call, int errno, boolean limited) {
        return switch (call) {
        case "ibv_get_device_list", "ibv_open_device", "ibv_query_device" -> opening(call, errno, limited);
        case "rdma_create_event_channel" -> connectionManager(call, errno, limited);
        default -> ofAny(call, errno, limited);
        };
    }

    /** The same for the software device, which has no kernel module, no package and no file in /dev/infiniband. */
    static String ofSoftware(String call, int errno, boolean limited) {
        if (opensDevice(call) && isOfFiles(errno)) {
            return "the software device shares a file of this user in SOFTHCA_DIR, or in /dev/shm: that must be a "
                    + "directory in memory which this user may write to; a line on standard error has the file";
        }
        return ofAny(call, errno, limited);
    }

    /** The connection manager opens the device with the first address. */
    private static boolean opensDevice(String call) {
        return switch (call) {
        case "ibv_open_device", "rdma_bind_addr", "rdma_resolve_addr" -> true;
        default -> false;
        };
    }

    private static boolean isOfFiles(int errno) {
        return errno == Errno.ENOENT || errno == Errno.EACCES || errno == Errno.EPERM || errno == Errno.EROFS
                || errno == Errno.ENOTDIR || errno == Errno.ENOSPC;
    }

    private static String opening(String call, int errno, boolean limited) {
        return switch (errno) {
        case Errno.EPERM, Errno.EACCES -> "this user may not use the device: check the permissions of /dev/infiniband "
                + "(Debian: the rdma-core package's udev rules; containers: --device=/dev/infiniband)";
        case Errno.ENOENT, Errno.ENODEV, Errno.ENOSYS -> "check that the kernel modules ib_uverbs and that of the "
                + "device are loaded (modprobe ib_uverbs), that the package ibverbs-providers is installed, and that "
                + "/dev/infiniband has the device's file";
        default -> ofAny(call, errno, limited);
        };
    }

    private static String connectionManager(String call, int errno, boolean limited) {
        return switch (errno) {
        case Errno.EPERM, Errno.EACCES -> "this user may not use the connection manager: check the permissions of "
                + "/dev/infiniband/rdma_cm (Debian: the rdma-core package's udev rules; containers: "
                + "--device=/dev/infiniband)";
        case Errno.ENOENT, Errno.ENODEV, Errno.ENOSYS -> "the connection manager needs the kernel modules rdma_cm and "
                + "rdma_ucm (modprobe rdma_ucm) and the file /dev/infiniband/rdma_cm (containers: "
                + "--device=/dev/infiniband)";
        default -> ofAny(call, errno, limited);
        };
    }

    private static String ofAny(String call, int errno, boolean limited) {
        return switch (errno) {
        case Errno.ENOMEM -> outOfMemory(call, limited);
        case Errno.EAGAIN -> "ibv_reg_mr".equals(call) && limited ? lockedMemory() : null;
        case Errno.ENODEV -> deviceless(call);
        case Errno.ENOSYS -> "the library that is installed does not know this call: it needs a newer rdma-core";
        case Errno.EINVAL -> switch (call) {
            case "rdma_accept", "rdma_reject", "rdma_init_qp_attr" -> "most likely the peer gave up";
            default -> null;
        };
        case Errno.EOPNOTSUPP -> "the device or its driver does not support this";
        case Errno.EMFILE -> "this process has no file descriptors left: close some, or raise the limit (ulimit -n)";
        case Errno.ENFILE -> "this system has no file descriptors left: raise the limit (sysctl fs.file-max)";
        case Errno.EACCES -> "rdma_bind_addr".equals(call)
                ? "ports below 1024 are for processes with the capability CAP_NET_BIND_SERVICE: choose another" : null;
        case Errno.ECONNREFUSED -> "rdma_connect".equals(call) ? "no program listens there for RDMA" : null;
        case Errno.EADDRINUSE -> "another id uses this port, or with iWARP a program on TCP: choose another";
        case Errno.EADDRNOTAVAIL -> "no network interface of this machine has this address (rdma-info shows the "
                + "devices and their addresses), or an id that is bound to a wildcard address uses this port";
        default -> null;
        };
    }

    private static String deviceless(String call) {
        return switch (call) {
        case "rdma_bind_addr", "rdma_resolve_addr" -> "no RDMA device has connections at the address; rdma-info "
                + "shows the devices and their addresses";
        case "rdma_resolve_route" -> "no network interface of an RDMA device leads to the address; RoCE devices cannot "
                + "use loopback addresses: use another address of this machine (rdma-info shows them)";
        default -> null;
        };
    }

    private static String outOfMemory(String call, boolean limited) {
        if ("ibv_reg_mr".equals(call)) {
            return limited ? lockedMemory() : "the device or the kernel has no room for it; locked memory is not "
                    + "limited for this process (rdma-info shows the limits of the device)";
        }
        if (call.startsWith("ibv_post")) {
            return "the queue is full: poll completions first, or create a deeper queue";
        }
        String device = "the device has no more of these objects (rdma-info shows its limits)";
        return limited ? "either " + device + ", or this process may lock no more memory: " + lockedMemory() : device;
    }

    private static String lockedMemory() {
        return "registered memory is locked, and so is the memory of queues with most adapters (rdma-info --check has "
                + "the sum); the limit of locked memory (RLIMIT_MEMLOCK) is "
                + LockedMemory.describeLimit()
                + "; raise it (ulimit -l unlimited, LimitMEMLOCK=infinity in systemd, memlock in limits.conf; "
                + "containers: --ulimit memlock=-1)";
    }
}
