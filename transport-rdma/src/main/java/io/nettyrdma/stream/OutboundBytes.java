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
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;

/**
 * Takes bytes off Netty's outbound buffer in their order, once the device or a copy has them.
 *
 * <pre>
 *   outbound buffer   | done | in flight | not sent |
 *                     |&lt;- unretired ---&gt;|
 * </pre>
 *
 * Removing completes promises, and a promise's listener may do anything: write and flush, so that bytes are added while
 * we remove; or close the channel, so that the outbound buffer is empty when we come back. So nothing is remembered
 * across such a call, and what a call within a call finishes is removed by the outer one.
 */
final class OutboundBytes {

    private long unretired;
    private long done;
    private boolean removing;

    /** Bytes at the head of the outbound buffer that are not to be sent, since they were. */
    long unretired() {
        return unretired;
    }

    /** Whether bytes that were sent last have to wait for a completion, and so all that come after them. */
    boolean isWaiting() {
        return unretired != done;
    }

    /** Bytes of the outbound buffer were put into a frame. */
    void sent(long bytes) {
        unretired += bytes;
    }

    /** The next bytes of those that were sent can be removed. */
    void done(long bytes) {
        done += bytes;
    }

    /** Nothing is removed any more: the outbound buffer's owner fails what is in it. */
    void giveUp() {
        done = 0;
    }

    /** Removes what is done, and messages without bytes that come next. */
    void remove(ChannelOutboundBuffer in) {
        if (in == null || removing) {
            return;
        }
        removing = true;
        try {
            Object message = in.current();
            while (message != null && remove(in, message)) {
                message = in.current();
            }
        } finally {
            removing = false;
        }
    }

    /** Removes the first message, or of its bytes those that are done; false if there are none. */
    private boolean remove(ChannelOutboundBuffer in, Object message) {
        long left = message instanceof ByteBuf buffer ? buffer.readableBytes()
                : ((FileRegion) message).count() - in.currentProgress();
        if (left > done) {
            return done > 0 && removePart(in, message);
        }
        if (left > 0 && message instanceof ByteBuf) {
            // The buffer still has its bytes while the listeners of progress run: so they are still unretired.
            in.progress(left);
            retire(left);
        } else if (left > 0) {
            retire(left);
            in.progress(left);
        }
        in.remove();
        return true;
    }

    private boolean removePart(ChannelOutboundBuffer in, Object message) {
        long part = done;
        if (message instanceof ByteBuf buffer) {
            buffer.skipBytes((int) part);
        }
        retire(part);
        in.progress(part);
        return true;
    }

    private void retire(long bytes) {
        done -= bytes;
        unretired -= bytes;
    }
}
