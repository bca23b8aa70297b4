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

/** What a user can do about an error of rdma-core: the sentences at the end of {@link VerbsException}'s messages. */
final class Cures {

    private Cures() {
    }

    /** The cure, or {@code null} where none is known. */
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
                    ? "most likely the peer gave up meanwhile" : null;
        case Errno.EOPNOTSUPP:
            return "the device or its driver cannot do this";
        case Errno.EMFILE:
        case Errno.ENFILE:
            return "no file descriptor is left: raise the limit (ulimit -n)";
        case Errno.EADDRINUSE:
            return "another id has this port";
        case Errno.EADDRNOTAVAIL:
            return "no RDMA device has this address (bin/rdma-info shows those that have one), or an id with a "
                    + "wildcard address has this port";
        default:
            return null;
        }
    }

    private static String missing(String call) {
        if ("rdma_resolve_route".equals(call)) {
            return "the address leads to no network interface of an RDMA device; RoCE devices do not reach the "
                    + "loopback addresses, use another address of this machine (bin/rdma-info shows them)";
        }
        if (call.startsWith("rdma_")) {
            return "the connection manager needs the kernel modules rdma_cm and rdma_ucm (modprobe rdma_ucm) "
                    + "and an RDMA device for the address";
        }
        return "the kernel modules ib_uverbs and the device's own must be loaded (modprobe ib_uverbs) "
                + "and the package ibverbs-providers installed; the files in /dev/infiniband must be there and open to "
                + "this user";
    }

    private static String outOfMemory(String call) {
        if ("ibv_reg_mr".equals(call)) {
            return lockedMemory();
        }
        if (call.startsWith("ibv_post")) {
            return "the queue is full: poll completions first, or create it deeper";
        }
        return "the device or its driver has none left of these; see its limits with bin/rdma-info. " + lockedMemory();
    }

    private static String lockedMemory() {
        return "registered memory is locked, with most adapters that of queues as well (docs/memory.md has the sum), "
                + "and the limit of locked memory (RLIMIT_MEMLOCK) is "
                + LockedMemory.describeLimit()
                + "; raise it (ulimit -l unlimited, LimitMEMLOCK=infinity in systemd, memlock in limits.conf)";
    }
}
