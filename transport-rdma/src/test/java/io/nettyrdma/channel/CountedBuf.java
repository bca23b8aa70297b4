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

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.util.CharsetUtil;

/** A buffer that notices a release too many, which Netty only logs. */
final class CountedBuf extends UnpooledHeapByteBuf {

    private boolean releasedTooOften;

    CountedBuf(String text) {
        super(UnpooledByteBufAllocator.DEFAULT, text.length(), Integer.MAX_VALUE);
        writeCharSequence(text, CharsetUtil.US_ASCII);
    }

    @Override
    public boolean release() {
        releasedTooOften |= refCnt() == 0;
        return super.release();
    }

    /** Whether its memory is free, and was freed once. */
    boolean isReleasedOnce() {
        return refCnt() == 0 && !releasedTooOften;
    }
}
