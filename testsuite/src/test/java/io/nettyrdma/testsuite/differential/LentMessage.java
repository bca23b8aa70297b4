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
package io.nettyrdma.testsuite.differential;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.testsuite.support.Wrapper;

/**
 * A wrapper of a buffer that the program keeps, as of a log or a cached answer. The promise shows when the buffer may
 * be used again. Until then it may move, because it grows.
 */
final class LentMessage extends Outgoing {

    private final ByteBuf owned;
    private final boolean grows;
    private boolean over;

    LentMessage(Wrapper wrapper, ByteBuf owned, boolean grows) {
        super(wrapper.of(owned));
        this.owned = owned;
        this.grows = grows;
    }

    @Override
    void written() {
        if (grows && !over) {
            int before = owned.capacity();
            owned.capacity(2 * before);
            // Probably where it was.
            owned.alloc().buffer(before).writeZero(before).release();
        }
    }

    @Override
    void ended(boolean isSuccess) {
        over = true;
        if (isSuccess) {
            owned.setZero(0, owned.capacity());
        }
        owned.release();
    }
}
