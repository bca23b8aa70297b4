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
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocatorMetric;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.LockedMemoryLimit;
import io.nettyrdma.testsuite.support.LogLines;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Memory that the device refuses to register is copied, which the connections do not notice. */
@Tag("device")
@Tag("native-speed")
class RefusedMemoryTest {

    /** Enough for the chunks that hold the slots of two loops, and about one message. */
    private static final int LIMIT_KIB = 8 << 10;
    /** Larger than a chunk, so each is a registration. */
    private static final int MESSAGE = 3 << 20;
    private static final int MESSAGES = 5;
    /** At least, in one direction, for default options. */
    private static final int FRAMES = 2 * MESSAGES * (MESSAGE / 8192);

    @Test
    void refusedRegistrationsAreReported() throws Exception {
        assumeTrue(NativeLibrary.isSoftware(), "only the software device refuses on request");
        // Each of the two loops has probed its device and registered its slots.
        assertChildPasses(List.of("env", "SOFTHCA_FAULTS=register@5+"));
    }

    @Test
    void exhaustedLockedMemoryIsReported() throws Exception {
        assertChildPasses(LockedMemoryLimit.ofKib(LIMIT_KIB));
    }

    private static void assertChildPasses(List<String> wrapper) throws Exception {
        assumeTrue(TestDevice.get().capabilities().maxSendSge() > 1, "a device with one SGE gets copies");
        try (ChildProcess child = ChildProcess.start(wrapper, Child.class)) {
            String line = child.readLine();
            assumeTrue(!line.equals(Child.NOT_REFUSED), "this device does not lock what is registered");
            assertThat(line).isEqualTo("passed");
            assertThat(child.exitStatus()).isZero();
        }
    }

    /** Holds messages in more memory than may be registered, has each echoed, and does it again. */
    static final class Child {

        static final String NOT_REFUSED = "not refused";
        private static final String REGISTRATIONS = "io.nettyrdma.buffer.RegistrationIndex";

        private Child() {
        }

        public static void main(String[] arguments) throws Exception {
            byte[] content = new byte[MESSAGE];
            Seeds.newRandom().nextBytes(content);
            List<ByteBuf> messages = new ArrayList<>();
            RdmaByteBufAllocatorMetric metric = RdmaByteBufAllocator.DEFAULT.metric();
            try (ChannelPair pair = new ChannelPair(EchoHandler::new);
                    LogLines log = new LogLines(REGISTRATIONS, Level.WARNING)) {
                RdmaChannel client = pair.connect(new Recorder());
                for (int i = 0; i < MESSAGES; i++) {
                    messages.add(client.alloc().directBuffer(MESSAGE, MESSAGE).writeBytes(content));
                }
                for (int round = 0; round < 2; round++) {
                    for (ByteBuf message : messages) {
                        echo(client, message.retainedDuplicate(), content);
                    }
                }
                if (metric.registrationRefusals() == 0) {
                    ChildProcess.reportToParent(NOT_REFUSED);
                    return;
                }
                assertThat(metric.registrationRefusals()).as("not asked for each frame").isLessThan(FRAMES / 10);
                assertThat(pair.sum(RdmaCounter.BYTES_COPIED_OUT)).isGreaterThanOrEqualTo(2L * MESSAGE);
                assertThat(client.isActive()).isTrue();
                assertThat(log.messages()).as("once for each loop").hasSizeBetween(1, 2)
                        .allMatch(line -> line.contains("cannot register memory; data sent from it is copied: "));
                assertThat(log.thrown()).as("traces").isEmpty();
                messages.forEach(ByteBuf::release);
            }
            ChildProcess.reportToParent("passed");
        }

        private static void echo(RdmaChannel client, ByteBuf message, byte[] content) throws Exception {
            SameBytes echoed = new SameBytes(content);
            client.pipeline().removeFirst();
            client.pipeline().addFirst(echoed);
            client.writeAndFlush(message).sync();
            Deadline.ofSeconds(30).until("the echo", () -> echoed.count() == content.length);
            assertThat(echoed.firstDifference()).isEqualTo(-1);
        }
    }
}
