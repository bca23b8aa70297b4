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
package io.nettyrdma.testsuite.guide;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.FutureListener;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaAtomic;
import io.nettyrdma.remote.RdmaImmediate;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.verbs.MemoryAccess;

/** Snippets of docs/guide.md: a server whose clients write to its memory, read it and change it. */
final class RemoteAccess {

    private RemoteAccess() {
    }

    /** Needs childOption(RdmaChannelOption.REMOTE_ACCESS, true). */
    static class MemoryOwner extends ChannelInboundHandlerAdapter {
        private final MemoryAccess[] access;

        MemoryOwner(MemoryAccess... access) {
            this.access = access;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            ByteBuf memory = RdmaByteBufAllocator.DEFAULT.directBuffer(4096, 4096).setZero(0, 4096);
            ((RdmaChannel) context.channel()).expose(memory, access)
                    .addListener((FutureListener<ExposedMemory>) exposed -> {
                        memory.release();                    // the exposed memory holds the buffer until it is closed
                        ByteBuf message = context.alloc().buffer(RemoteMemory.SIZE);
                        exposed.getNow().remote().encode(message);
                        context.writeAndFlush(message);      // the client calls RemoteMemory.decode
                    });
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof RdmaImmediate written) {    // the bytes of the write are in the memory
                context.writeAndFlush(context.alloc().buffer().writeInt(written.value()));
            }
        }
    }

    static ChannelFuture write(Channel channel, RemoteMemory memory, ByteBuf data) {
        RdmaWrite write = new RdmaWrite(data, memory.slice(8, data.readableBytes()));
        return channel.writeAndFlush(write.withImmediate(7));
    }

    static ByteBuf read(Channel channel, RemoteMemory memory, int bytes) throws InterruptedException {
        ByteBuf into = RdmaByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
        channel.writeAndFlush(new RdmaRead(memory.slice(8, bytes), into.retain())).sync();
        return into;                                         // its writer index is behind the bytes
    }

    static long increment(Channel channel, RemoteMemory memory) throws InterruptedException {
        ByteBuf result = RdmaByteBufAllocator.DEFAULT.directBuffer(RdmaAtomic.SIZE, RdmaAtomic.SIZE);
        RdmaAtomic add = RdmaAtomic.fetchAndAdd(memory.slice(0, RdmaAtomic.SIZE), 1, result);
        channel.writeAndFlush(add).sync();
        return add.previous();
    }
}
