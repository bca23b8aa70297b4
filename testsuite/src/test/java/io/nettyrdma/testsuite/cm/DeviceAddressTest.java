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
package io.nettyrdma.testsuite.cm;

import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Tag("device")
class DeviceAddressTest {

    private static final int DESCRIPTORS = 100;

    @Test
    void addressesAreSortedByReachAndFamily() throws Exception {
        List<InetAddress> addresses = DeviceAddress.list().stream().map(DeviceAddress::address).toList();
        assertThat(addresses).contains(TestDevice.get().ip());
        assertThat(addresses).isSortedAccordingTo((one, other) -> {
            int reach = Boolean.compare(one.isLoopbackAddress(), other.isLoopbackAddress());
            return reach != 0 ? reach : Boolean.compare(one instanceof Inet6Address, other instanceof Inet6Address);
        });
    }

    @Test
    void localAddressIsTheLoopbackIfADeviceHasIt() throws Exception {
        List<InetAddress> loopbacks = DeviceAddress.list().stream().map(DeviceAddress::address)
                .filter(InetAddress::isLoopbackAddress).toList();
        assumeTrue(!loopbacks.isEmpty(), "no loopback address leads to a device");
        assertThat(DeviceAddress.forLocalUse().address()).isEqualTo(loopbacks.get(0));
    }

    /** There are addresses, so it would be no use to assign another. */
    @Test
    void missingDescriptorsAreReported() throws Exception {
        List<String> limited = List.of("bash", "-c", "ulimit -n " + DESCRIPTORS + "; exec \"$@\"", "bash");
        try (ChildProcess child = ChildProcess.start(limited, Greedy.class)) {
            String failures = child.readLine();
            assertThat(failures).contains("ulimit -n").doesNotContain("assign an address", "modprobe");
            assertThat(child.readLine()).isEqualTo("an address");
            assertThat(child.exitStatus()).isZero();
        }
    }

    /** Opens all files that it may, and then closes one after the other until it finds an address. */
    static final class Greedy {

        private Greedy() {
        }

        public static void main(String[] arguments) throws Exception {
            loadClasses();
            List<InputStream> open = new ArrayList<>();
            Set<String> failures = new LinkedHashSet<>();
            try {
                while (true) {
                    open.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException e) {
                failures.add(e.toString());
            }
            while (find(failures) == null) {
                open.remove(0).close();
            }
            ChildProcess.reportToParent(failures.toString());
            ChildProcess.reportToParent("an address");
        }

        /** While there are descriptors for their files. Opens no device, which would have its descriptors then. */
        private static void loadClasses() throws Exception {
            CmEventChannel.open().close();
            assertThat(new VerbsException("rdma_bind_addr", "none", 1)).isNotNull();
            try (CmEventChannel channel = CmEventChannel.open()) {
                CmId.create(channel, CmPortSpace.TCP).close();
            }
            new DatagramSocket().close();
            assertThat(new DeviceAddress(InetAddress.getLoopbackAddress(), "none")).isNotNull();
        }

        private static DeviceAddress find(Set<String> failures) {
            try {
                return DeviceAddress.forLocalUse();
            } catch (IOException e) {
                failures.add(e.toString());
                return null;
            }
        }
    }
}
