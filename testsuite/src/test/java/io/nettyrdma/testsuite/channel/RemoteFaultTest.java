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

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.ProcessResources;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.MemoryAccess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/** The other process is killed, or the device is removed, while memory is exposed and written to. */
@Tag("device")
@Tag("native-speed")
class RemoteFaultTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(60_000);
    private static final int SIZE = 64 << 10;
    private static final int WRITES = 2_000;

    private static ChannelPair pair() throws Exception {
        return new ChannelPair(() -> new Recorder(true), bootstrap -> bootstrap
                .childOption(RdmaChannelOption.REMOTE_ACCESS, true));
    }

    private static ByteBuf memory() {
        return RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE, SIZE).setZero(0, SIZE);
    }

    private static ExposedMemory expose(RdmaChannel channel, ByteBuf buffer) throws Exception {
        return channel.expose(buffer, MemoryAccess.REMOTE_WRITE).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static String hex(RemoteMemory memory) {
        ByteBuf encoded = Unpooled.buffer(RemoteMemory.SIZE);
        memory.encode(encoded);
        return ByteBufUtil.hexDump(encoded);
    }

    private static RemoteMemory memory(String hex) {
        return RemoteMemory.decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)));
    }

    /** It writes without end. Its connection ends, and this side's memory is withdrawn. */
    @Test
    void killedWriterFailsTheOwnerOfTheMemory() throws Exception {
        ByteBuf buffer = memory();
        try (ChannelPair pair = pair(); SteadyConnection steady = new SteadyConnection(pair)) {
            pair.accepted();
            ProcessResources before = ProcessResources.now(TestDevice.get().device());
            try (ChildProcess child = ChildProcess.start(Writer.class, pair.address().getAddress().getHostAddress(),
                    String.valueOf(pair.address().getPort()))) {
                RdmaChannel server = pair.acceptedAndActive();
                child.writeLine(hex(expose(server, buffer).remote()));
                Deadline.standard().until("it has written", () -> buffer.getInt(0) != 0);
                child.kill();
                assertThat(server.closeFuture().await(PATIENCE_MILLIS)).as("closed").isTrue();
                Deadline.standard().until("the memory is withdrawn", () -> buffer.refCnt() == 1);
            }
            ProcessResources.awaitNoMoreThan(before);
            steady.assertGoesOn();
        }
        buffer.release();
    }

    /** Connects, and writes to the memory that its parent names, as fast as it can. */
    static final class Writer {

        private Writer() {
        }

        public static void main(String[] arguments) throws Exception {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
            Channel channel = new Bootstrap().group(group).channel(RdmaChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(new InetSocketAddress(InetAddress.getByName(arguments[0]),
                            Integer.parseInt(arguments[1]))).sync().channel();
            RemoteMemory to = memory(ChildProcess.parentLines().readLine());
            for (int i = 1; channel.isActive(); i++) {
                ByteBuf data = channel.alloc().directBuffer(SIZE).writeInt(i).writeZero(SIZE - Integer.BYTES);
                channel.writeAndFlush(new RdmaWrite(data, to)).await();
            }
        }
    }

    /** Its memory goes with it: every write in flight fails, and its promise is done once. */
    @Test
    void killedOwnerOfTheMemoryFailsTheWriter() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        AtomicInteger done = new AtomicInteger();
        try (ChildProcess child = ChildProcess.start(Owner.class)) {
            String[] words = child.readLine().split(" ");
            RdmaChannel client = (RdmaChannel) new Bootstrap().group(group).channel(RdmaChannel.class)
                    .handler(new Recorder())
                    .connect(new InetSocketAddress(InetAddress.getByName(words[0]), Integer.parseInt(words[1])))
                    .sync().channel();
            RemoteMemory to = memory(child.readLine());
            client.writeAndFlush(new RdmaWrite(Unpooled.buffer(SIZE).writeZero(SIZE), to)).sync();
            for (int i = 0; i < WRITES; i++) {
                client.writeAndFlush(new RdmaWrite(client.alloc().directBuffer(SIZE).writeZero(SIZE), to))
                        .addListener(future -> done.incrementAndGet());
            }
            child.kill();
            assertThat(client.closeFuture().await(PATIENCE_MILLIS)).as("closed").isTrue();
            Deadline.standard().until("every promise", () -> done.get() == WRITES);
        } finally {
            group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
        }
    }

    /** Accepts a connection, exposes memory, and waits. */
    static final class Owner {

        private Owner() {
        }

        public static void main(String[] arguments) throws Exception {
            ChannelPair pair = pair();
            ChildProcess.reportToParent(pair.address().getAddress().getHostAddress() + ' ' + pair.address().getPort());
            ChildProcess.reportToParent(hex(expose(pair.acceptedAndActive(), memory()).remote()));
            ChildProcess.parentLines().readLine();
        }
    }

    @Test
    void theDeviceIsRemoved() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChildProcess child = ChildProcess.start(Removal.class)) {
            assertThat(child.readLine()).isEqualTo("withdrawn, 1 reference");
        }
    }

    /** In a process of its own, which has no device after that. */
    static final class Removal {

        private Removal() {
        }

        public static void main(String[] arguments) throws Exception {
            ByteBuf buffer = memory();
            try (ChannelPair pair = pair()) {
                RdmaChannel client = pair.connect(new Recorder());
                RdmaChannel server = pair.acceptedAndActive();
                ExposedMemory exposed = expose(server, buffer);
                client.writeAndFlush(new RdmaWrite(Unpooled.buffer(1).writeByte(1), exposed.remote())).sync();
                SoftHca.control("remove-device");
                client.closeFuture().sync();
                server.closeFuture().sync();
                exposed.close().sync();
            }
            ChildProcess.reportToParent("withdrawn, " + buffer.refCnt() + " reference");
        }
    }
}
