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

import io.netty.channel.Channel;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** A peer that takes and makes announcements of the sizes of receives, by hand: docs/wire-protocol.md. */
@Tag("device")
class AnnouncedSizesTest {

    private static final int ROUNDS = 200;
    private static final int SMALLEST = 64;
    private static final int FIRST = StreamConfig.DEFAULT_RECEIVE_BUFFER;
    private static final int SECOND = FrameHeader.SIZE + 8 * (FIRST - FrameHeader.SIZE);

    private final LeakWatch leaks = new LeakWatch();
    private final Random random = Seeds.newRandom();
    private ChannelPair pair;

    @BeforeEach
    void startServer() throws Exception {
        pair = new ChannelPair(EchoHandler::new);
    }

    @AfterEach
    void stopServer() throws Exception {
        pair.close();
        leaks.close();
    }

    /** The receives of the peer, as it announces them. All of them really have {@link RawPeer#BUFFER} bytes. */
    private static final class Announced {

        private final List<Integer> sizes =
                new ArrayList<>(Collections.nCopies(RawPeer.RECEIVES, RawPeer.BUFFER));
        private int used;

        byte[] frame(RawPeer peer, FrameType type, int receive, byte... payload) {
            sizes.addAll(Collections.nCopies(peer.granted() - sizes.size(), receive));
            return RawPeer.frame(type, peer.granted(), receive, payload);
        }

        /** Returns the payload of the next frame of the server, which must fit. */
        byte[] next(RawPeer peer) throws Exception {
            ByteBuffer frame = peer.next();
            assertThat(frame.capacity()).as("bytes of frame %d", used).isLessThanOrEqualTo(sizes.get(used));
            used++;
            return Arrays.copyOfRange(frame.array(), FrameHeader.SIZE, frame.capacity());
        }
    }

    @Test
    void framesFitSizesThatChangeAllTheTime() throws Exception {
        try (RawPeer peer = RawPeer.takingSizes(pair.address())) {
            Announced announced = new Announced();
            for (int round = 0; round < ROUNDS; round++) {
                byte[] sent = new byte[1 + random.nextInt(FIRST - FrameHeader.SIZE)];
                random.nextBytes(sent);
                int receive = SMALLEST + random.nextInt(RawPeer.BUFFER - SMALLEST + 1);
                peer.sendAndArrive(announced.frame(peer, FrameType.DATA, receive, sent));
                ByteBuffer echoed = ByteBuffer.allocate(sent.length);
                while (echoed.hasRemaining()) {
                    echoed.put(announced.next(peer));
                }
                assertThat(echoed.array()).isEqualTo(sent);
            }
            peer.sendAndArrive(announced.frame(peer, FrameType.FIN, 0));
            peer.confirmEnd();
        }
    }

    /** The server cannot know it. The peer's own device refuses the first frame that is too long for its receive. */
    @ParameterizedTest
    @ValueSource(ints = { RawPeer.BUFFER + FrameHeader.SIZE, ConnectData.MAX_BUFFER })
    void receivesThatAreShorterThanAnnouncedEndTheirConnectionAlone(int receive) throws Exception {
        try (SteadyConnection steady = new SteadyConnection(pair);
             RawPeer peer = RawPeer.takingSizes(pair.address())) {
            Channel steadys = pair.accepted();
            byte[] tooLong = new byte[FIRST - FrameHeader.SIZE];
            for (int used = 0; used < RawPeer.RECEIVES; used++) {
                peer.sendAndArrive(RawPeer.frame(FrameType.DATA, peer.granted(), receive, (byte) used));
                peer.next();
            }
            Channel channel = pair.accepted();
            assertThat(channel.isActive()).isTrue();
            peer.send(RawPeer.frame(FrameType.DATA, peer.granted(), receive, tooLong));
            Deadline.standard().until("the end of its connection", () -> channel.closeFuture().isDone());
            steady.assertGoesOn();
            assertThat(steadys.isActive()).isTrue();
        }
    }

    /** What the server grants, by its frames. */
    private static final class Grants {

        private int granted;
        /** The number of the first receive of the second size; 0 before it is granted. */
        private int firstLarge;

        Grants(int granted) {
            this.granted = granted;
        }

        /** Sends bytes in one frame, and returns the echo, which may come in other frames. */
        byte[] echo(RawPeer peer, byte... sent) throws Exception {
            peer.sendAndArrive(RawPeer.frame(FrameType.DATA, peer.granted(), 0, sent));
            ByteBuffer echoed = ByteBuffer.allocate(sent.length);
            while (echoed.hasRemaining()) {
                ByteBuffer frame = peer.next();
                if (firstLarge == 0 && FrameHeader.receive(frame, 0) == SECOND
                        && FrameHeader.granted(frame, 0) > granted) {
                    firstLarge = granted + 1;
                }
                granted = FrameHeader.granted(frame, 0);
                echoed.put(frame.array(), FrameHeader.SIZE, frame.capacity() - FrameHeader.SIZE);
            }
            return echoed.array();
        }
    }

    @Test
    void theServerAnnouncesLargerReceivesWhenFramesAreFull() throws Exception {
        try (RawPeer peer = RawPeer.takingSizes(pair.address())) {
            assertThat(peer.offer().takesSizes()).isTrue();
            assertThat(peer.offer().buffer()).isEqualTo(FIRST);
            Grants grants = new Grants(peer.offer().granted());
            int sent = 0;
            for (; grants.firstLarge == 0; sent++) {
                assertThat(sent).as("full frames").isLessThan(10);
                grants.echo(peer, new byte[FIRST - FrameHeader.SIZE]);
            }
            for (; sent + 1 < grants.firstLarge; sent++) {
                grants.echo(peer, (byte) 1);
            }
            byte[] large = new byte[SECOND - FrameHeader.SIZE];
            random.nextBytes(large);
            assertThat(grants.echo(peer, large)).isEqualTo(large);
            peer.sendAndArrive(RawPeer.frame(FrameType.FIN, peer.granted(), 0));
            peer.confirmEnd();
        }
    }
}
