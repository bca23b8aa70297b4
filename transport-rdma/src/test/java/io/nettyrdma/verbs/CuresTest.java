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
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which cure is for which call, device and process. Whether it is true shows where the failure is provoked: in the
 * testsuite, {@code CuresTest} and others.
 */
class CuresTest {

    @Test
    void failedRegistrationNamesTheLimitOfLockedMemory() {
        for (int errno : new int[] { Errno.ENOMEM, Errno.EAGAIN }) {
            assertThat(Cures.ofSystem("ibv_reg_mr", errno, true)).contains("the limit of locked memory (RLIMIT_MEMLOCK)"
                    + " is " + LockedMemory.describeLimit() + ";", "ulimit -l unlimited", "LimitMEMLOCK=infinity",
                    "containers: --ulimit memlock=-1");
        }
        assertThat(Cures.ofSystem("ibv_reg_mr", Errno.ENOMEM, false)).contains("limits of the device")
                .doesNotContain("RLIMIT");
        assertThat(Cures.ofSystem("ibv_reg_mr", Errno.EAGAIN, false)).isNull();
    }

    @Test
    void failedQueueNamesDeviceLimitsAndLockedMemory() {
        assertThat(Cures.ofSystem("ibv_create_qp", Errno.ENOMEM, true)).contains("rdma-info", "RLIMIT_MEMLOCK");
        assertThat(Cures.ofSystem("ibv_create_qp", Errno.ENOMEM, false)).contains("rdma-info")
                .doesNotContain("RLIMIT");
        assertThat(Cures.ofSystem("ibv_create_qp", Errno.EAGAIN, true)).isNull();
    }

    @Test
    void cureOfAFullQueueIsPollingOrDepth() {
        for (String call : new String[] { "ibv_post_send", "ibv_post_recv", "ibv_post_srq_recv" }) {
            assertThat(Cures.ofSystem(call, Errno.ENOMEM, true)).contains("poll completions first")
                    .doesNotContain("RLIMIT");
        }
    }

    @Test
    void onlyCallsThatOpenFilesNameModulesAndPermissions() {
        for (int errno : new int[] { Errno.ENODEV, Errno.ENOENT, Errno.ENOSYS }) {
            assertThat(Cures.ofSystem("ibv_open_device", errno, true)).contains("modprobe ib_uverbs",
                    "ibverbs-providers", "/dev/infiniband");
            assertThat(Cures.ofSystem("rdma_create_event_channel", errno, true)).contains("modprobe rdma_ucm");
        }
        for (int errno : new int[] { Errno.EACCES, Errno.EPERM }) {
            assertThat(Cures.ofSystem("ibv_open_device", errno, true)).contains("permissions of /dev/infiniband");
            assertThat(Cures.ofSystem("rdma_create_event_channel", errno, true))
                    .contains("permissions of /dev/infiniband/rdma_cm");
            assertThat(Cures.ofSystem("ibv_reg_mr", errno, true)).isNull();
        }
        assertThat(Cures.ofSystem("ibv_reg_mr", Errno.ENODEV, true)).isNull();
        assertThat(Cures.ofSystem("ibv_create_qp", Errno.ENOENT, true)).isNull();
        assertThat(Cures.ofSystem("efadv_query_ah", Errno.ENOSYS, true)).contains("a newer rdma-core");
    }

    @Test
    void cureOfAnAddressNamesDevicesAndNoModule() {
        assertThat(Cures.ofSystem("rdma_bind_addr", Errno.ENODEV, true)).contains("rdma-info")
                .doesNotContain("modprobe");
        assertThat(Cures.ofSystem("rdma_resolve_route", Errno.ENODEV, true)).contains("loopback");
        assertThat(Cures.ofSystem("rdma_bind_addr", Errno.EACCES, true)).contains("CAP_NET_BIND_SERVICE");
        assertThat(Cures.ofSystem("rdma_bind_addr", Errno.EADDRINUSE, true)).contains("uses this port");
        assertThat(Cures.ofSystem("rdma_bind_addr", Errno.EADDRNOTAVAIL, true)).contains("rdma-info");
    }

    @Test
    void cureOfMissingDescriptorsNamesProcessOrSystem() {
        assertThat(Cures.ofSystem("rdma_create_event_channel", Errno.EMFILE, true)).contains("ulimit -n");
        assertThat(Cures.ofSystem("ibv_open_device", Errno.ENFILE, true)).contains("fs.file-max")
                .doesNotContain("ulimit");
    }

    @Test
    void cureOfTheSoftwareDeviceNamesItsDirectoryOnly() {
        for (int errno : new int[] { Errno.ENOENT, Errno.EACCES, Errno.EROFS, Errno.ENOSPC }) {
            for (String call : new String[] { "ibv_open_device", "rdma_bind_addr", "rdma_resolve_addr" }) {
                assertThat(Cures.ofSoftware(call, errno, true)).contains("SOFTHCA_DIR");
            }
        }
        for (int errno : new int[] { Errno.ENODEV, Errno.EPERM, Errno.ENOSYS, Errno.ENOENT }) {
            for (String call : new String[] { "ibv_open_device", "rdma_create_event_channel", "rdma_bind_addr" }) {
                String cure = Cures.ofSoftware(call, errno, true);
                assertThat(cure == null ? "" : cure).doesNotContain("modprobe", "/dev/infiniband", "udev");
            }
        }
        assertThat(Cures.ofSoftware("ibv_reg_mr", Errno.ENOMEM, true)).contains("RLIMIT_MEMLOCK");
    }

    @Test
    void cureOfALateAcceptNamesTheLostPeer() {
        assertThat(Cures.ofSystem("rdma_accept", Errno.EINVAL, true)).contains("gave up");
        assertThat(Cures.ofSystem("rdma_connect", Errno.EINVAL, true)).isNull();
        assertThat(Cures.ofSystem("rdma_connect", Errno.ECONNREFUSED, true)).contains("no program listens");
        assertThat(Cures.ofSystem("ibv_modify_qp", Errno.EINVAL, true)).isNull();
        assertThat(Cures.ofSystem("ibv_create_qp", Errno.EOPNOTSUPP, true)).contains("does not support this");
    }
}
