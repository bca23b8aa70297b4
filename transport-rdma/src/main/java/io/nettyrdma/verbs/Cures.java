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

/** What a user can do about an error of rdma-core: the last part of the messages of {@link VerbsException}. */
final class Cures {

    private Cures() {
    }

    /** The cure, or {@code null} if none is known. */
    static String cure(String call, int errno) {
        switch (errno) {
        case Errno.ENOMEM:
            return outOfMemory(call);
        case Errno.EAGAIN:
            return "ibv_reg_mr".equals(call) ? lockedMemory() : null;
        case Errno.EPERM:
        case Errno.EACCES:
            return "this user may not use the device: check the permissions of /dev/infiniband "
                    + "(Debian: the rdma-core package's udev rules)";
        case Errno.ENOENT:
        case Errno.ENODEV:
        case Errno.ENOSYS:
            return missing(call);
        case Errno.EINVAL:
            return "rdma_accept".equals(call) || "rdma_reject".equals(call) || "rdma_init_qp_attr".equals(call)
                    ? "most likely the peer gave up" : null;
        case Errno.EOPNOTSUPP:
            return "the device or its driver does not support this";
        case Errno.EMFILE:
        case Errno.ENFILE:
            return "the process or the system has no file descriptors left: raise the limit (ulimit -n)";
        case Errno.EADDRINUSE:
            return "another id uses this port";
        case Errno.EADDRNOTAVAIL:
            return "no RDMA device has this address (bin/rdma-info shows the devices and their addresses), or an id "
                    + "that is bound to a wildcard address uses this port";
        default:
            return null;
        }
    }

    private static String missing(String call) {
        if ("rdma_resolve_route".equals(call)) {
            return "no network interface of an RDMA device leads to the address; RoCE devices cannot use loopback "
                    + "addresses: use another address of this machine (bin/rdma-info shows them)";
        }
        if (call.startsWith("rdma_")) {
            return "the connection manager needs the kernel modules rdma_cm and rdma_ucm (modprobe rdma_ucm) "
                    + "and an RDMA device for the address";
        }
        return "check that the kernel modules ib_uverbs and that of the device are loaded (modprobe ib_uverbs), that "
                + "the package ibverbs-providers is installed, and that this user may open the files in "
                + "/dev/infiniband";
    }

    private static String outOfMemory(String call) {
        if ("ibv_reg_mr".equals(call)) {
            return lockedMemory();
        }
        if (call.startsWith("ibv_post")) {
            return "the queue is full: poll completions first, or create a deeper queue";
        }
        return "either the device has no more of these objects (bin/rdma-info shows its limits), or this process may "
                + "lock no more memory: " + lockedMemory();
    }

    private static String lockedMemory() {
        return "registered memory is locked, and so is the memory of queues with most adapters (docs/memory.md has the "
                + "sum); the limit of locked memory (RLIMIT_MEMLOCK) is "
                + LockedMemory.describeLimit()
                + "; raise it (ulimit -l unlimited, LimitMEMLOCK=infinity in systemd, memlock in limits.conf)";
    }
}
