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

import io.nettyrdma.protocol.FrameHeader;

/**
 * Decides how long the receives should be that are posted next: larger when frames fill the present ones, smaller when
 * the next smaller size would have done for a long time.
 *
 * <pre>
 *   1040 ---a quarter of a window is full---&gt; 8208 ---the same---&gt; 65552      bytes, by default
 *    ^                                       |   ^                  |
 *    +------8 windows without a longer one---+   +---the same-------+
 * </pre>
 *
 * Messages that fill a size exactly, one in each frame, make it grow in vain. So a growth after which no frame was
 * longer makes the next one need twice as many.
 */
final class ReceiveSizes {

    /** Windows full of frames that a smaller size would have taken, before the size becomes smaller. */
    private static final int CALM_WINDOWS = 8;
    /** Growths after which the number of frames that the next one needs stays the same. */
    private static final int MOST_USELESS = 8;

    private final SizeRule rule;
    /** Bytes, from the smallest to the largest. */
    private final int[] sizes;
    private int size;
    /** Frames of the present window, and those among them that filled a receive. */
    private int frames;
    private int full;
    /** Frames since one that the next smaller size would not have taken. */
    private int calm;
    /** Growths in a row that no longer frame has followed: each needs twice as many full frames as the one before. */
    private int useless;

    ReceiveSizes(SizeRule rule, int... sizes) {
        this.rule = rule;
        this.sizes = sizes;
    }

    /** The present size, an index. */
    int size() {
        return size;
    }

    /** The bytes of a receive of the present size. */
    int bytes() {
        return sizes[size];
    }

    /** The bytes of a receive. */
    int bytes(int ofSize) {
        return sizes[ofSize];
    }

    /** A frame of data has arrived. */
    void arrived(int payload) {
        int bytes = FrameHeader.SIZE + payload;
        frames++;
        // A sender with little memory, or with many small buffers, does not fill every frame.
        if (bytes >= sizes[size] / 4 * 3) {
            full++;
        }
        if (size > 0 && bytes <= sizes[size - 1]) {
            calm++;
        } else if (size > 0) {
            calm = 0;
            useless = 0;
        }
    }

    /**
     * The size that the next receives should have. Called after some frames.
     *
     * @param window receives at a time.
     */
    int wanted(int window) {
        if (rule != SizeRule.TRAFFIC) {
            return frames > 0 ? rule.next(size, sizes.length) : size;
        }
        if (size < sizes.length - 1 && full >= window / 4 << useless) {
            return size + 1;
        }
        if (frames >= window << useless) {
            frames = 0;
            full = 0;
        }
        return calm > CALM_WINDOWS * window ? size - 1 : size;
    }

    /** No frame has arrived for a long time: what was learned before does not count. */
    void restart() {
        useless = 0;
    }

    /** The size is changed. */
    void changed(int now) {
        useless = now < size ? Math.min(useless + 1, MOST_USELESS) : useless;
        size = now;
        frames = 0;
        full = 0;
        calm = 0;
    }
}
