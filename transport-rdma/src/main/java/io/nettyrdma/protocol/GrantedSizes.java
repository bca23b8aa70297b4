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
package io.nettyrdma.protocol;

/**
 * The sizes of the peer's receives, by their numbers. A frame uses them in order, so runs of equal sizes are enough:
 *
 * <pre>
 *   receives   1 ... 16 | 17 ... 32 | 33 ...        modulo 2^32
 *   bytes        1040    |   8208    |  65552
 * </pre>
 *
 * A peer may change the size with every frame. When there is no entry for another run, the last one gets the receives
 * and the smaller of both sizes: a shorter frame always fits.
 */
final class GrantedSizes {

    private static final int RUNS = 8;

    /** The number of the last receive before each run, and the bytes of its receives: a ring. */
    private final int[] before = new int[RUNS];
    private final int[] bytes = new int[RUNS];
    private int first;
    private int count;

    /** The receives behind number {@code granted} have so many bytes, until others are announced. */
    void announced(int granted, int receive) {
        if (count == 0) {
            set(0, granted, receive);
            count = 1;
        } else if (receive != bytes[at(count - 1)]) {
            if (count == RUNS) {
                int last = at(count - 1);
                bytes[last] = Math.min(bytes[last], receive);
            } else {
                set(at(count), granted, receive);
                count++;
            }
        }
    }

    private void set(int at, int granted, int receive) {
        before[at] = granted;
        bytes[at] = receive;
    }

    /** The bytes of the receive with this number. No lower number may be asked for later. */
    int of(int number) {
        while (count > 1 && number - before[at(1)] > 0) {
            first = at(1);
            count--;
        }
        return bytes[first];
    }

    private int at(int index) {
        return first + index & RUNS - 1;
    }
}
