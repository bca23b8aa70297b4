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

/** Writes for some time. Then the server reports how many bytes it has received. */
final class OneWayHandler extends StreamHandler {

    private final StreamTask task = new StreamTask(this);

    OneWayHandler(int size, long nanos) {
        super(size, nanos);
    }

    @Override
    void proceed() {
        task.schedule();
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object received) {
        ByteBuf answer = (ByteBuf) received;
        long counted = answer.readLong();
        answer.release();
        complete(counted);
    }
}
