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
package io.nettyrdma.microbench.echo;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;

/** Writes for some time, and counts what the server sends back until its half close. */
final class EchoStreamHandler extends StreamHandler {

    /** Null if the handler writes in the events themselves. */
    private final StreamTask task;
    private long received;

    /** @param inEvent whether it writes when the channel becomes writable, instead of in a task of its own. */
    EchoStreamHandler(int size, long nanos, boolean inEvent) {
        super(size, nanos);
        task = inEvent ? null : new StreamTask(this);
    }

    /**
     * In an event it stops when the channel is not writable, whose next event then continues: also one that comes while
     * this method writes or flushes.
     */
    @Override
    void proceed() {
        if (task != null) {
            task.schedule();
        } else if (canWrite()) {
            writeAll();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        received += buffer.readableBytes();
        buffer.release();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext triggered, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            complete(received);
        }
    }
}
