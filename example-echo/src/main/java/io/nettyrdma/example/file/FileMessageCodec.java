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
package io.nettyrdma.example.file;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.codec.MessageToMessageCodec;

import java.util.List;

/**
 * Messages and frames. RDMA writes are no {@link FileMessage}, and pass this handler and the prepender as they are.
 *
 * <pre>
 *   0        2      3
 *   | length | type | fields |        length: of type and fields
 * </pre>
 */
final class FileMessageCodec extends MessageToMessageCodec<ByteBuf, FileMessage> {

    /** Every message fits. A peer that announces a longer one is refused before it has sent it. */
    private static final int LONGEST_FRAME = 1024;
    private static final int LENGTH_BYTES = 2;

    /** Adds all that turns bytes into messages. */
    static void addTo(ChannelPipeline pipeline) {
        pipeline.addLast(new LengthFieldBasedFrameDecoder(LONGEST_FRAME, 0, LENGTH_BYTES, 0, LENGTH_BYTES));
        pipeline.addLast(new LengthFieldPrepender(LENGTH_BYTES));
        pipeline.addLast(new FileMessageCodec());
    }

    @Override
    protected void encode(ChannelHandlerContext context, FileMessage message, List<Object> out) {
        ByteBuf frame = context.alloc().buffer();
        out.add(frame);
        frame.writeByte(message.type());
        message.encode(frame);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf frame, List<Object> out) {
        out.add(FileMessage.decode(frame));
    }
}
