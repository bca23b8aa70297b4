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
package io.nettyrdma.testsuite.verbs;

import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.DeviceLimits;
import io.nettyrdma.verbs.Fallbacks;
import io.nettyrdma.verbs.GidEntry;
import io.nettyrdma.verbs.PortAttributes;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("device")
@OneProcess("it has no peer")
class RdmaDeviceTest {

    private static final int ENODEV = 19;

    private final RdmaDevice device = TestDevice.get().device();

    @Test
    void listContainsTheOpenDevice() throws Exception {
        List<RdmaDeviceInfo> devices = RdmaDevice.list();
        assertThat(devices).contains(device.info());
        assertThat(devices).extracting(RdmaDeviceInfo::name).doesNotHaveDuplicates();
        assertThat(device.info().guidText()).matches("[0-9a-f]{4}(:[0-9a-f]{4}){3}");
    }

    @Test
    void unknownDeviceNameIsReportedWithTheKnownNames() {
        assertThatExceptionOfType(VerbsException.class).isThrownBy(() -> RdmaDevice.open("no such device"))
                .withMessageContaining("no such device").withMessageContaining(device.name())
                .satisfies(e -> assertThat(e.errno()).isEqualTo(ENODEV));
    }

    @Test
    void limitsAllowAConnection() {
        DeviceLimits limits = device.limits();
        assertThat(limits.ports()).isPositive();
        assertThat(limits.queuePairs()).isGreaterThan(1);
        assertThat(limits.workRequests()).isGreaterThanOrEqualTo(16);
        assertThat(limits.sge()).isPositive();
        assertThat(limits.completionQueueEntries()).isGreaterThanOrEqualTo(16);
        assertThat(limits.maxRegionBytes()).isNotZero();
        assertThat(limits.completionVectors()).isPositive();
    }

    @Test
    void portIsActiveAndHasAnMtu() throws Exception {
        PortAttributes port = device.port(TestDevice.get().port());
        assertThat(port.state()).isEqualTo(PortAttributes.State.ACTIVE);
        assertThat(port.activeMtu()).isIn(256, 512, 1024, 2048, 4096);
        if (!Deviation.SIW_HAS_A_SMALL_MOST_MTU.isHere()) {
            assertThat(port.activeMtu()).isLessThanOrEqualTo(port.maxMtu());
        }
        assertThat(port.maxMessageBytes()).isPositive();
    }

    @Test
    void gidTableSkipsEmptyEntries() throws Exception {
        int port = TestDevice.get().port();
        List<GidEntry> gids = device.gids(port);
        assertThat(gids).extracting(GidEntry::gid).contains(TestDevice.get().gid());
        for (int index = 0; index < device.port(port).gidTableLength(); index++) {
            GidEntry entry = device.gid(port, index);
            assertThat(gids.contains(entry)).isEqualTo(!entry.gid().isZero());
        }
    }

    @Test
    void capabilitiesAreWithinLimits() throws Exception {
        DeviceCapabilities capabilities = device.capabilities();
        assertThat(capabilities).isSameAs(device.capabilities());
        assertThat(capabilities.maxSendSge()).isBetween(1, device.limits().sge());
        assertThat(capabilities.sharedReceiveQueue()).isEqualTo(device.limits().sharedReceiveQueues() > 0);
        assertThat(capabilities.atomics()).isEqualTo(device.limits().atomics());
        if (!capabilities.extendedCompletionQueue()) {
            assertThat(capabilities.singleThreadedQueue()).isFalse();
        }
        System.out.println(device + ": " + capabilities);
    }

    /** The software device has both, except the personality without extended queues. */
    @Test
    void hintsAreUsedUnlessDisabled() throws Exception {
        SoftHca.assumeItIsTheDevice();
        DeviceCapabilities capabilities = device.capabilities();
        assertThat(capabilities.singleThreadedQueue()).isEqualTo(capabilities.extendedCompletionQueue());
        assertThat(capabilities.relaxedOrdering()).isTrue();
        System.setProperty(Fallbacks.SINGLE_THREADED_QUEUE.property(), "false");
        System.setProperty(Fallbacks.RELAXED_ORDERING.property(), "false");
        try (RdmaDevice another = RdmaDevice.open(device.name())) {
            assertThat(another.capabilities().singleThreadedQueue()).isFalse();
            assertThat(another.capabilities().relaxedOrdering()).isFalse();
        } finally {
            System.clearProperty(Fallbacks.SINGLE_THREADED_QUEUE.property());
            System.clearProperty(Fallbacks.RELAXED_ORDERING.property());
        }
    }
}
