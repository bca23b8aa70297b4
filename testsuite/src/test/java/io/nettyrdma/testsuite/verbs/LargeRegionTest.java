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

import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.LockedMemory;
import io.nettyrdma.verbs.MemoryRegion;
import io.nettyrdma.verbs.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Regions may be longer than a Java buffer: lengths and offsets are 64 bits throughout. */
@Tag("device")
class LargeRegionTest {

    private static final long MORE_THAN_AN_INT = (1L << 31) + 8192;
    private static final long TO_SPARE = 512L << 20;
    private static final Pattern AVAILABLE = Pattern.compile("(?m)^MemAvailable:\\s+(\\d+) kB$");

    @Test
    @OneProcess("how long a region may be is a matter of the process that registers it")
    void endOfARegionBeyondTwoGigabytesIsAccessible() throws Exception {
        Deviation.RXE_HAS_NO_LARGE_REGIONS.assumeNotHere();
        assumeTrue(PlatformDependent.hasUnsafe(), "this JDK gives no way to allocate so much at once");
        assumeTrue(availableBytes() > MORE_THAN_AN_INT + TO_SPARE, "less than 2.5 GiB of free memory");
        assumeTrue(Long.compareUnsigned(TestDevice.get().device().limits().maxRegionBytes(), MORE_THAN_AN_INT) >= 0,
                "no regions of 2 GiB");
        assumeTrue(mayLock(MORE_THAN_AN_INT), "ulimit -l is less than 2 GiB");
        long address = PlatformDependent.allocateMemory(MORE_THAN_AN_INT);
        try (RcPair pair = new RcPair(ApiVariant.preferred());
             MemoryRegion region = pair.rightHere().domain().register(address, MORE_THAN_AN_INT, null,
                     TestMemory.ALL_ACCESS)) {
            assertThat(region.length()).isEqualTo(MORE_THAN_AN_INT);
            long last = MORE_THAN_AN_INT - Long.BYTES;
            PlatformDependent.putLong(address + last, 0);
            TestMemory local = pair.left().memory(Long.BYTES);
            local.bytes().putLong(0, 0x0102030405060708L);
            pair.left().send(batch -> batch.write(1, address + last, region.remoteKey())
                    .sge(local.region(), 0, Long.BYTES).signaled());
            pair.left().sends().awaitSuccess();
            if (TestDevice.get().completesWhenTaken()) {
                Deadline.standard().until("the bytes of the write", () ->
                        PlatformDependent.getLong(address + last) != 0);
            }
            assertThat(PlatformDependent.getLong(address + last)).isEqualTo(0x0102030405060708L);

            // The same bytes as an SGE of a local work request.
            TestMemory answer = pair.left().memory(Long.BYTES);
            pair.left().receive(2, answer, 0, Long.BYTES);
            pair.rightHere().send(batch -> batch.send(3).sge(region, last, Long.BYTES).signaled());
            pair.left().receives().awaitSuccess();
            assertThat(answer.bytes().getLong(0)).isEqualTo(0x0102030405060708L);
            pair.right().sends().awaitSuccess();
        } finally {
            PlatformDependent.freeMemory(address);
        }
    }

    /** A terabyte, which no machine has: the device must refuse it, not a truncated length. */
    @Test
    void oversizedRegionIsRefusedWithItsLength() throws Exception {
        long tooLong = (1L << 40) + 4096;
        try (RcPair pair = new RcPair(ApiVariant.preferred())) {
            long address = pair.left().memory(4096).address(0);
            assertThatExceptionOfType(VerbsException.class)
                    .isThrownBy(() -> pair.left().domain().register(address, tooLong, null))
                    .withMessageContaining("ibv_reg_mr failed for " + tooLong + " bytes at 0x");
        }
    }

    private static boolean mayLock(long bytes) {
        long limit = LockedMemory.limitBytes();
        return limit == LockedMemory.UNLIMITED || limit >= bytes || "root".equals(System.getProperty("user.name"));
    }

    private static long availableBytes() throws Exception {
        Matcher available = AVAILABLE.matcher(Files.readString(Path.of("/proc/meminfo")));
        return available.find() ? Long.parseLong(available.group(1)) << 10 : 0;
    }
}
