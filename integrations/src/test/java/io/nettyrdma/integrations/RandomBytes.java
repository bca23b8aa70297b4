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
package io.nettyrdma.integrations;

import java.util.Random;

/** Random bytes that a failed run can reproduce: one seed, which is printed or set by a system property. */
final class RandomBytes {

    private static final String PROPERTY = "io.nettyrdma.testsuite.seed";
    private static final long SEED = Long.getLong(PROPERTY, System.nanoTime());

    static {
        System.out.println("random numbers: -D" + PROPERTY + '=' + SEED);
    }

    private final Random random = new Random(SEED);

    byte[] next(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Bytes of a random length up to this one. */
    byte[] nextUpTo(int length) {
        return next(random.nextInt(length + 1));
    }
}
