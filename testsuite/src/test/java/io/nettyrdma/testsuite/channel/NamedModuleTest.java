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
package io.nettyrdma.testsuite.channel;

import io.netty.buffer.ByteBuf;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.Rdma;
import io.nettyrdma.buffer.HugePages;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.ModulePath;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Everything works as named modules, with Netty's use of Unsafe and without: nothing needs what is not exported. */
@Tag("device")
@Tag("any-device")
class NamedModuleTest {

    private static final int SIZE = 3 << 20;

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void messagesAreEchoedBetweenNamedModules(boolean noUnsafe) throws Exception {
        assumeTrue(Rounds.areMany(), "modules are the same on every device, and a JVM for each takes a minute here");
        try (ChildProcess child = ModulePath.start(List.of("-Dio.netty.noUnsafe=" + noUnsafe,
                "--enable-native-access=io.nettyrdma,io.netty.common"), Child.class)) {
            assertThat(child.readLine()).isEqualTo("module io.nettyrdma, module io.netty.buffer, unnamed module");
            assertThat(child.readLine()).isEqualTo("unsafe: " + !noUnsafe);
            assertThat(child.readLine()).isEqualTo("echoed");
            assertThat(child.readLine()).isEqualTo("all is given back");
            assertThat(child.exitStatus()).isZero();
        }
    }

    /** Modules that are on the path belong to a program only if one of its modules requires them, or an option. */
    @Test
    void unresolvedModulesOfLibrariesAreNamed() throws Exception {
        assumeTrue(Rounds.areMany(), "modules are the same on every device, and a JVM for each takes a minute here");
        String platform = "linux." + PlatformDependent.normalizedArch();
        assertThat(causeWith("io.nettyrdma", "io.netty.transport.epoll."))
                .contains("is in no module of this program", "--add-modules io.nettyrdma.natives." + platform)
                .doesNotContain("class path");
        assertThat(causeWith("io.nettyrdma", "io.nettyrdma.natives."))
                .contains("netty-transport-native-epoll", "--add-modules io.netty.transport.epoll." + platform);
    }

    private static String causeWith(String... roots) throws Exception {
        try (ChildProcess child = ModulePath.start(List.of("--enable-native-access=io.nettyrdma,io.netty.common"),
                List.of(roots), Cause.class)) {
            return child.readLine();
        }
    }

    static final class Cause {

        private Cause() {
        }

        public static void main(String[] arguments) {
            ChildProcess.reportToParent(Rdma.unavailabilityCause().getMessage());
        }
    }

    static final class Child {

        private Child() {
        }

        public static void main(String[] arguments) throws Exception {
            ChildProcess.reportToParent(RdmaByteBufAllocator.class.getModule() + ", " + ByteBuf.class.getModule() + ", "
                    + Child.class.getModule().toString().replaceFirst(" @.*", ""));
            ChildProcess.reportToParent("unsafe: " + PlatformDependent.hasUnsafe());
            echo();
            ChildProcess.reportToParent("echoed");
            RdmaByteBufAllocator.DEFAULT.trim();
            assertThat(RdmaByteBufAllocator.DEFAULT.metric().committedBytes()).isZero();
            useAndGiveBack();
            ChildProcess.reportToParent("all is given back");
        }

        private static void echo() throws Exception {
            byte[] sent = new byte[SIZE];
            Seeds.newRandom().nextBytes(sent);
            SameBytes echoed = new SameBytes(sent);
            try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
                RdmaChannel client = pair.connect(echoed);
                client.writeAndFlush(client.alloc().directBuffer(SIZE).writeBytes(sent)).sync();
                Deadline.ofSeconds(30).until("the echo", () -> echoed.count() == SIZE);
                assertThat(echoed.firstDifference()).isEqualTo(-1);
                boolean gathers = TestDevice.get().capabilities().maxSendSge() > 1;
                assertThat(pair.sum(RdmaCounter.BYTES_GATHERED)).isGreaterThanOrEqualTo(gathers ? SIZE : 0);
                client.close().sync();
            }
        }

        private static void useAndGiveBack() {
            for (HugePages pages : HugePages.values()) {
                RdmaByteBufAllocator allocator =
                        RdmaByteBufAllocator.builder().hugePages(pages).alignment(4096).build();
                ByteBuf small = allocator.directBuffer(10).writeLong(1);
                ByteBuf large = allocator.directBuffer(SIZE).writeLong(2).setLong(SIZE - Long.BYTES, 3);
                assertThat(small.memoryAddress() % 4096).isZero();
                assertThat(small.readLong() + large.readLong() + large.getLong(SIZE - Long.BYTES)).isEqualTo(6);
                assertThat(small.release() & large.release()).isTrue();
                allocator.trim();
                assertThat(allocator.metric().committedBytes()).isZero();
            }
        }
    }
}
