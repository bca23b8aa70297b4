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

import io.netty.util.internal.SystemPropertyUtil;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Which of its sizes a connection posts next. A system property forces another rule than the traffic, for tests. A
 * connection begins with the smallest size in any case, and a growth needs memory.
 */
enum SizeRule {

    /** {@link ReceiveSizes} decides. */
    TRAFFIC,
    /** Another size whenever it may be changed: the next larger one, and the smallest after the largest. */
    ALTERNATE,
    SMALLEST,
    MIDDLE,
    LARGEST;

    /**
     * For tests: the sizes of receives that follow the traffic.
     *
     * @option.default traffic
     * @option.range traffic, alternate, smallest, middle, largest
     */
    static final String PROPERTY = "io.nettyrdma.receiveSizes";

    /** @throws IllegalArgumentException if the property names no rule. */
    static SizeRule configured() {
        return parse(SystemPropertyUtil.get(PROPERTY, TRAFFIC.text()));
    }

    static SizeRule parse(String text) {
        for (SizeRule rule : values()) {
            if (rule.text().equals(text)) {
                return rule;
            }
        }
        throw new IllegalArgumentException("-D" + PROPERTY + '=' + text + " is none of "
                + Arrays.stream(values()).map(SizeRule::text).collect(Collectors.joining(", ")));
    }

    private String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The index of the next size, if a test forces it. A connection may have fewer sizes than three. */
    int next(int present, int count) {
        return switch (this) {
            case TRAFFIC -> present;
            case ALTERNATE -> (present + 1) % count;
            case SMALLEST -> 0;
            case MIDDLE -> count / 2;
            case LARGEST -> count - 1;
        };
    }
}
