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
package io.nettyrdma.testsuite.fallback;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcp.Transport;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.testsuite.channel.HostilePeer;
import io.nettyrdma.testsuite.channel.HostilePeer.Behaviour;
import io.nettyrdma.testsuite.channel.Recorder;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Malicious peers of a port that serves both transports. {@code HostilePeerTest} has those of RDMA alone. */
@Tag("device")
@Tag("native-speed")
class HostilePortTest {

    private static final int FLOOD = Deviation.SIW_HAS_FEW_QUEUES.isHere() ? 15 : 40;
    private static final int RECEIVES = 16;
    /** The first bytes of a client by RDMA, which go another way there. */
    private static final byte[] HANDSHAKE =
            new ConnectData(ConnectData.VERSION, ConnectData.RECEIVE_SIZES, 1040, RECEIVES).encode();

    private static HostilePeer hostile;

    private final OnePort port = new OnePort();
    private final Channel server = port.listen();
    private final InetSocketAddress address = (InetSocketAddress) server.localAddress();
    private final List<Socket> sockets = new ArrayList<>();

    @BeforeAll
    static void startHostilePeer() throws IOException {
        hostile = new HostilePeer(TestDevice.get().ip());
    }

    @AfterAll
    static void stopHostilePeer() {
        hostile.close();
    }

    @AfterEach
    void end() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        port.close();
    }

    /** By TCP it is data, whatever it is. */
    @Test
    void handshakeOfRdmaIsDataByTcp() throws Exception {
        Socket socket = open();
        assertThat(socket.getInputStream().readNBytes(HANDSHAKE.length)).isEqualTo(HANDSHAKE);
        assertThat(RdmaOrTcp.transport(port.child().channel())).isEqualTo(Transport.TCP);
        assertServesBoth();
    }

    @ParameterizedTest
    @EnumSource(value = Behaviour.class, names = { "NEVER_CONFIRMS", "FLOODS", "LEAVES_EARLY",
        "SPEAKS_ANOTHER_PROTOCOL", "SAYS_NOTHING", "SENDS_RUBBISH" })
    void floodOfBothPortsStopsNoOthers(Behaviour behaviour) throws Exception {
        Recorder byRdma = new Recorder();
        Channel rdma = OnePort.assertIsEchoed(port.client(byRdma).connect(address), byRdma);
        assertThat(RdmaOrTcp.transport(rdma)).isEqualTo(Transport.RDMA);
        OnePort.Child honest = port.child();
        for (int i = 0; i < FLOOD; i++) {
            open();
        }
        hostile.attack(behaviour, OnePort.moved(server.localAddress(), OnePort.PORT_OFFSET).getPort(), FLOOD);
        rdma.writeAndFlush(Unpooled.wrappedBuffer(OnePort.BYTES)).sync();
        Deadline.standard().until("the echo", () -> byRdma.count() == 2 * OnePort.BYTES.length);
        assertServesBoth();
        hostile.leave();
        for (Socket socket : sockets) {
            socket.close();
        }
        assertThat(honest.channel().isActive()).isTrue();
        port.assertChildrenEnd();
        assertServesBoth();
        rdma.close().sync();
    }

    private Socket open() throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        sockets.add(socket);
        socket.getOutputStream().write(HANDSHAKE);
        return socket;
    }

    private void assertServesBoth() throws Exception {
        Recorder byRdma = new Recorder();
        Channel rdma = OnePort.assertIsEchoed(port.client(byRdma).connect(address), byRdma);
        assertThat(RdmaOrTcp.transport(rdma)).isEqualTo(Transport.RDMA);
        rdma.close().sync();
        Recorder byTcp = new Recorder();
        OnePort.assertIsEchoed(OnePort.client(port.withoutRdma(), NioSocketChannel.class, byTcp).connect(address),
                byTcp).close().sync();
    }
}
