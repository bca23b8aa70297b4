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

import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.LockedMemoryLimit;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.LockedMemory;
import io.nettyrdma.verbs.MemoryRegion;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Registering more than RLIMIT_MEMLOCK allows fails with the limit and the remedy, and costs nothing. */
@Tag("device")
@OneProcess("it has no peer")
class LockedMemoryTest {

    private static final int LIMIT_KIB = 256;

    @Test
    void messageNamesTheLimitAndTheCure() throws Exception {
        try (ChildProcess child = ChildProcess.start(LockedMemoryLimit.ofKib(LIMIT_KIB), Child.class,
                TestDevice.get().device().name())) {
            assertThat(child.readLine()).isEqualTo(Long.toString((long) LIMIT_KIB << 10));
            String message = child.readLine();
            assumeTrue(!message.equals(Child.NOT_REFUSED), "this device does not lock what is registered");
            assertThat(message).startsWith("ibv_reg_mr failed for 1048576 bytes at 0x")
                    .contains("ENOMEM (12)", "RLIMIT_MEMLOCK", "is " + LIMIT_KIB + " KiB", "ulimit -l",
                            "LimitMEMLOCK");
            assertThat(child.readLine()).isEqualTo("a small region is still possible");
            assertThat(child.exitStatus()).isZero();
        }
    }

    /** Registers a megabyte, then a page. */
    static final class Child {

        static final String NOT_REFUSED = "not refused";

        private Child() {
        }

        public static void main(String[] arguments) throws Exception {
            ChildProcess.reportToParent(Long.toString(LockedMemory.limitBytes()));
            try (RdmaDevice device = RdmaDevice.open(arguments[0]);
                 ProtectionDomain domain = device.createProtectionDomain()) {
                try (MemoryRegion region = domain.register(ByteBuffer.allocateDirect(1 << 20))) {
                    assertThat(region.isOpen()).isTrue();
                    ChildProcess.reportToParent(NOT_REFUSED);
                    return;
                } catch (VerbsException e) {
                    ChildProcess.reportToParent(e.getMessage());
                }
                domain.register(ByteBuffer.allocateDirect(4096)).close();
                ChildProcess.reportToParent("a small region is still possible");
            }
        }
    }
}
