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
package io.nettyrdma.channel;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.nettyrdma.pipeline.PromisingUnsafe;

/**
 * A channel's unsafe as the pipeline sees it: the channel decides whether it may leave its loop. Its own unsafe cannot
 * before Netty 4.2.11, where the method is final.
 */
final class MovableUnsafe extends PromisingUnsafe {

    private final MovableChannel channel;

    MovableUnsafe(MovableChannel channel, Channel.Unsafe unsafe) {
        super(channel, unsafe);
        this.channel = channel;
    }

    /**
     * A child is part of the program when its connection is open: then its pipeline is notified of the registration. If
     * there will be no connection, the promise succeeds nevertheless: the loop has taken the child, and Netty would
     * warn of each peer that leaves.
     */
    @Override
    public void register(EventLoop loop, ChannelPromise promise) {
        if (channel.state() == ChannelState.ACCEPTING) {
            promise.setFailure(new IllegalStateException(channel + " is being accepted on a loop already"));
            return;
        }
        if (channel.request() == null) {
            super.register(loop, promise);
            return;
        }
        ChannelPromise announced = new DefaultChannelPromise(channel, loop);
        announced.addListener(done -> {
            if (done.isSuccess() || done.cause() instanceof NotAnnouncedException) {
                promise.trySuccess();
            } else {
                promise.tryFailure(done.cause());
            }
        });
        if (promise.setUncancellable()) {
            super.register(loop, announced);
        }
    }

    @Override
    public void deregister(ChannelPromise promise) {
        if (!promise.setUncancellable()) {
            return;
        }
        if (channel.mayLeaveLoop()) {
            channel.leave(() -> super.deregister(promise));
        } else {
            promise.tryFailure(new UnsupportedOperationException(channel
                    + " stays on its event loop: its queue pair completes its work there. Close it instead"));
        }
    }
}
