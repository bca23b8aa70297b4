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
package io.nettyrdma.testsuite.buffer;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.LockedMemoryLimit;
import io.nettyrdma.testsuite.support.LogLines;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.LockedMemory;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.logging.Level;

import static io.nettyrdma.buffer.RegisteredMemory.NOT_REGISTERED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A device that refuses registrations: callers fall back to copying, or get the reason if they need a key. */
@Tag("device")
@OneProcess("it has no peer")
class RefusedRegistrationTest {

    private static final int CHUNK = 1 << 20;
    /** Room for one chunk. */
    private static final int LIMIT_KIB = 1536;

    /** Another attempt would succeed. The first registration probes the device. */
    @Test
    void failedRegistrationIsNotRepeatedAtOnce() throws Exception {
        assumeFaults();
        assertChildPasses(List.of("env", "SOFTHCA_FAULTS=register@3"), Once.class);
    }

    @Test
    void requiredKeyReportsTheCause() throws Exception {
        assumeFaults();
        assertChildPasses(List.of("env", "SOFTHCA_FAULTS=register@3+"), Required.class);
    }

    /** A real limit, and what happens when memory is freed. */
    @Test
    void exhaustedLockedMemoryIsReported() throws Exception {
        assertChildPasses(LockedMemoryLimit.ofKib(LIMIT_KIB), Limited.class);
    }

    private static void assumeFaults() {
        assumeTrue(NativeLibrary.isSoftware(), "only the software device refuses on request");
    }

    private static void assertChildPasses(List<String> wrapper, Class<?> main) throws Exception {
        try (ChildProcess child = ChildProcess.start(wrapper, main, TestDevice.get().device().name())) {
            String line = child.readLine();
            assumeTrue(!line.equals(Limited.NOT_REFUSED), "this device does not lock what is registered");
            assertThat(line).isEqualTo("passed");
            assertThat(child.exitStatus()).isZero();
        }
    }

    private static void assertNamesTheCure(RegistrationIndex index, ByteBuf buffer) {
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> index.requireLocalKey(buffer.memoryAddress(), CHUNK))
                .withMessageContainingAll("ibv_reg_mr failed", "ENOMEM",
                        LockedMemory.isLimited() ? "raise it (ulimit -l" : "limits of the device");
    }

    /** What the child processes have in common. */
    private abstract static class Child {

        final RdmaByteBufAllocator allocator =
                RdmaByteBufAllocator.builder().chunkBytes(CHUNK).maxRegisteredBytes(16 * CHUNK).idleBytes(0).build();
        final ByteBuf first = allocator.directBuffer(CHUNK, CHUNK);
        final ByteBuf second = allocator.directBuffer(CHUNK, CHUNK);

        final void run(String device) throws Exception {
            try (RdmaDevice opened = RdmaDevice.open(device);
                 ProtectionDomain domain = opened.createProtectionDomain();
                 RegistrationIndex index = RegistrationIndex.of(allocator, domain)) {
                assertThat(key(index, first)).isNotEqualTo(NOT_REGISTERED);
                ChildProcess.reportToParent(passes(index) ? "passed" : Limited.NOT_REFUSED);
            }
        }

        abstract boolean passes(RegistrationIndex index) throws Exception;

        final long key(RegistrationIndex index, ByteBuf buffer) {
            return index.localKey(buffer.memoryAddress(), buffer.capacity());
        }

        final void assertRefusals(int count) {
            assertThat(allocator.metric().registrationRefusals()).isEqualTo(count);
        }
    }

    static final class Once extends Child {

        private Once() {
        }

        public static void main(String[] arguments) throws Exception {
            new Once().run(arguments[0]);
        }

        @Override
        boolean passes(RegistrationIndex index) throws Exception {
            for (int i = 0; i < 1000; i++) {
                assertThat(key(index, second)).isEqualTo(NOT_REGISTERED);
                assertThat(index.localKey(second.memoryAddress() + i, 1)).isEqualTo(NOT_REGISTERED);
            }
            assertRefusals(1);
            assertThat(allocator.metric().registeredBytes()).isEqualTo(CHUNK);
            ByteBuf third = allocator.directBuffer(CHUNK, CHUNK);
            assertThat(key(index, third)).as("it is of that chunk only").isNotEqualTo(NOT_REGISTERED);
            assertThat(key(index, second)).isEqualTo(NOT_REGISTERED);
            first.release();
            assertThat(key(index, second)).as("memory was given back").isNotEqualTo(NOT_REGISTERED);
            assertRefusals(1);
            assertThat(allocator.metric().registrations()).isEqualTo(3);
            second.release();
            third.release();
            return true;
        }
    }

    static final class Required extends Child {

        private Required() {
        }

        public static void main(String[] arguments) throws Exception {
            new Required().run(arguments[0]);
        }

        @Override
        boolean passes(RegistrationIndex index) {
            try (LogLines warnings = new LogLines(RegistrationIndex.class.getName(), Level.WARNING)) {
                assertNamesTheCure(index, second);
                assertRefusals(1);
                assertNamesTheCure(index, second);
                assertRefusals(1);
                assertThat(warnings.messages()).as("a caller that requires a key cannot copy").isEmpty();
                assertThat(key(index, second)).isEqualTo(NOT_REGISTERED);
                assertRefusals(1);
            }
            assertThat(allocator.metric().registeredBytes()).isEqualTo(CHUNK);
            first.release();
            assertThat(key(index, second)).as("memory was given back, and it is asked once more")
                    .isEqualTo(NOT_REGISTERED);
            assertRefusals(2);
            second.release();
            return true;
        }
    }

    static final class Limited extends Child {

        static final String NOT_REFUSED = "not refused";

        private Limited() {
        }

        public static void main(String[] arguments) throws Exception {
            new Limited().run(arguments[0]);
        }

        @Override
        boolean passes(RegistrationIndex index) throws Exception {
            if (key(index, second) != NOT_REGISTERED) {
                return false;
            }
            assertNamesTheCure(index, second);
            assertRefusals(1);
            first.release();
            assertThat(key(index, second)).isNotEqualTo(NOT_REGISTERED);
            assertThat(index.requireLocalKey(second.memoryAddress(), CHUNK)).isEqualTo((int) key(index, second));
            assertRefusals(1);
            second.release();
            return true;
        }
    }
}
