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
package io.nettyrdma.memory;

import java.util.Arrays;

/**
 * A set of small numbers: a tree of bits, 64 to a word, that finds the lowest number, or the highest, level by level,
 * whatever its size.
 *
 * <pre>
 *   level 1   a bit for each word below that is not 0        | 1 0 1 ... |
 *                                                              |   |
 *   level 0   a bit for each number                 | 0 1 ... |     | 1 1 ... |
 * </pre>
 */
final class NumberSet {

    static final int NONE = -1;

    private static final int SHIFT = 6;

    /** The last level has one word. */
    private long[][] levels = { new long[1] };

    void add(int number) {
        while (number >>> SHIFT >= levels[0].length) {
            grow();
        }
        int index = number;
        for (long[] level : levels) {
            int word = index >>> SHIFT;
            long before = level[word];
            level[word] = before | 1L << index;
            if (before != 0) {
                return;
            }
            index = word;
        }
    }

    void remove(int number) {
        int index = number;
        for (long[] level : levels) {
            int word = index >>> SHIFT;
            if (word >= level.length) {
                return;
            }
            level[word] &= ~(1L << index);
            if (level[word] != 0) {
                return;
            }
            index = word;
        }
    }

    /** The lowest number, or {@link #NONE}. */
    int lowest() {
        int top = levels.length - 1;
        if (levels[top][0] == 0) {
            return NONE;
        }
        int index = 0;
        for (int i = top; i >= 0; i--) {
            index = index << SHIFT | Long.numberOfTrailingZeros(levels[i][index]);
        }
        return index;
    }

    /** The highest number, or {@link #NONE}. */
    int highest() {
        int top = levels.length - 1;
        if (levels[top][0] == 0) {
            return NONE;
        }
        int index = 0;
        for (int i = top; i >= 0; i--) {
            index = index << SHIFT | Long.SIZE - 1 - Long.numberOfLeadingZeros(levels[i][index]);
        }
        return index;
    }

    /** The old top keeps its single word and gets new ones, so at most one bit of the new top is set. */
    private void grow() {
        int height = levels.length;
        long[][] taller = Arrays.copyOf(levels, height + 1);
        for (int i = 0; i < height; i++) {
            taller[i] = Arrays.copyOf(levels[i], levels[i].length << SHIFT);
        }
        taller[height] = new long[] { levels[height - 1][0] == 0 ? 0 : 1 };
        levels = taller;
    }
}
