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
package io.nettyrdma.microbench.operations;

import java.util.concurrent.TimeUnit;

/** Arithmetic with times. */
final class Rate {

    private static final double MIB = 1 << 20;

    private Rate() {
    }

    static double mibPerSecond(double bytes, double micros) {
        return perSecond(bytes / MIB, micros);
    }

    static double perSecond(double count, double micros) {
        return count / micros * TimeUnit.SECONDS.toMicros(1);
    }
}
