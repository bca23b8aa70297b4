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

import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.EachVariant;
import io.nettyrdma.testsuite.support.Peer;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Messages of SGEs that alternate between two memory regions, split differently at the two ends. */
@Tag("device")
class ScatterGatherTest {

    private static final int SGE = 4;
    private static final int[] ONE_CUT = { 1, 4095, 2, 3000 };
    private static final int[] OTHER_CUT = { 2500, 1, 4000, 597 };
    private static final int TOTAL = 7098;
    private static final int GAP = 3;

    @BeforeEach
    void needsSges() {
        assumeTrue(TestDevice.get().capabilities().maxSendSge() >= SGE
                && TestDevice.get().capabilities().maxReceiveSge() >= SGE, "less than " + SGE + " SGEs");
    }

    @EachVariant
    void aSendGathersAndItsReceiveScatters(ApiVariant variant) throws Exception {
        byte[] message = randomMessage();
        try (RcPair pair = connect(variant)) {
            Sges source = new Sges(pair.left(), ONE_CUT).put(message);
            Sges sink = new Sges(pair.right(), OTHER_CUT);
            pair.right().receive(List.of(new Peer.Receive(1, sink.all())));
            pair.left().send(batch -> {
                batch.send(2);
                source.all().forEach(sge -> batch.sge(sge.address(), sge.length(), sge.localKey()));
                batch.signaled();
            });
            assertThat(pair.right().receives().awaitSuccess().bytes()).isEqualTo(TOTAL);
            sink.assertHolds(message);
        }
    }

    @EachVariant
    void aWriteGathers(ApiVariant variant) throws Exception {
        byte[] message = randomMessage();
        try (RcPair pair = connect(variant)) {
            Sges source = new Sges(pair.left(), ONE_CUT).put(message);
            PeerMemory target = pair.right().memory(TOTAL);
            pair.left().send(batch -> {
                batch.write(1, target.address(0), target.remoteKey());
                source.all().forEach(sge -> batch.sge(sge.address(), sge.length(), sge.localKey()));
                batch.signaled();
            });
            pair.left().sends().awaitSuccess();
            target.assertWritten(0, message);
        }
    }

    @EachVariant
    void aReadScatters(ApiVariant variant) throws Exception {
        assumeTrue(TestDevice.get().device().limits().readSge() >= SGE, "fewer than " + SGE + " SGEs in a read");
        byte[] message = randomMessage();
        try (RcPair pair = connect(variant)) {
            PeerMemory source = pair.right().memory(TOTAL).put(0, message);
            Sges sink = new Sges(pair.left(), OTHER_CUT);
            pair.left().send(batch -> {
                batch.read(1, source.address(0), source.remoteKey());
                sink.all().forEach(sge -> batch.sge(sge.address(), sge.length(), sge.localKey()));
                batch.signaled();
            });
            pair.left().sends().awaitSuccess();
            sink.assertHolds(message);
        }
    }

    private static RcPair connect(ApiVariant variant) throws Exception {
        return new RcPair(RcSettings.of(variant)
                .withQueues(new QueuePairConfig(QueuePairType.RC, 4).withSge(SGE, SGE)));
    }

    private static byte[] randomMessage() {
        Random random = Seeds.newRandom();
        byte[] message = new byte[TOTAL];
        random.nextBytes(message);
        return message;
    }

    /**
     * <pre>
     *   first region   gap | SGE 0 | gap | SGE 2 | gap
     *   second region  gap | SGE 1 | gap | SGE 3 | gap
     * </pre>
     */
    private static final class Sges {

        private final PeerMemory[] memories = new PeerMemory[2];
        private final int[] lengths;
        private final int[] offsets;

        Sges(Peer owner, int[] lengths) throws Exception {
            this.lengths = lengths;
            offsets = new int[lengths.length];
            int[] ends = { GAP, GAP };
            for (int i = 0; i < lengths.length; i++) {
                offsets[i] = ends[i % 2];
                ends[i % 2] += lengths[i] + GAP;
            }
            for (int i = 0; i < 2; i++) {
                memories[i] = owner.memory(ends[i]);
            }
        }

        List<Peer.Sge> all() {
            List<Peer.Sge> sges = new ArrayList<>();
            for (int i = 0; i < lengths.length; i++) {
                sges.add(memories[i % 2].sge(offsets[i], lengths[i]));
            }
            return sges;
        }

        Sges put(byte[] message) {
            for (int i = 0; i < 2; i++) {
                memories[i].put(0, image(i, message));
            }
            return this;
        }

        /** Asserts that the SGEs hold the message, and that the gaps are unchanged. */
        void assertHolds(byte[] message) {
            for (int i = 0; i < 2; i++) {
                memories[i].assertHolds(0, image(i, message));
            }
        }

        private byte[] image(int memory, byte[] message) {
            byte[] image = new byte[memories[memory].size()];
            int done = 0;
            for (int i = 0; i < lengths.length; i++) {
                if (i % 2 == memory) {
                    System.arraycopy(message, done, image, offsets[i], lengths[i]);
                }
                done += lengths[i];
            }
            return image;
        }
    }
}
