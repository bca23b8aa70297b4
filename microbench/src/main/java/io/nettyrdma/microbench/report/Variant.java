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
package io.nettyrdma.microbench.report;

import java.util.List;

/**
 * The look of a variant: the same in all drawings.
 *
 * @param name as in the results.
 */
record Variant(String name) {

    /** In the order of legends. Two that are often compared have different colours and shapes. */
    private static final List<String> KNOWN = List.of("rdma-busy", "rdma-adaptive", "rdma-event", "epoll", "epoll-busy",
            "io-uring", "nio", "local");

    private static final int COLOURS = 8;
    private static final int SHAPES = 4;

    /** Others have the colour of RDMA if they use it, and else that of the baseline. */
    private int index() {
        int known = KNOWN.indexOf(name);
        return known >= 0 ? known : switch (name) {
        case "tcp", "TCP", "UDP", "none", "pooled allocator" -> 3;
        case "adaptive allocator" -> 5;
        case "binding alone", "memcpy" -> 7;
        case "event", "no device" -> 2;
        default -> 1;
        };
    }

    int order() {
        int known = KNOWN.indexOf(name);
        return known >= 0 ? known : KNOWN.size();
    }

    int shape() {
        return index() % SHAPES;
    }

    /** The class in the style sheet. */
    String style() {
        return "c" + index() % COLOURS;
    }
}
