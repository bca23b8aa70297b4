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
package io.nettyrdma.agent.swap;

import java.util.List;
import java.util.regex.Pattern;

/** The form of {@code allowAddress} and {@code denyAddress}; {@code beside} gives it its meaning. */
final class AddressSyntax {

    /** {@code 10.1.0.0/16:9000-9100}, {@code [fd00::]/8}, {@code :2181}. */
    private static final Pattern RULE = Pattern.compile(
            "[+-]((\\d+\\.\\d+\\.\\d+\\.\\d+|\\[[0-9a-fA-F:.]+\\])(/\\d{1,3})?)?(:\\d{1,5}(-\\d{1,5})?)?");

    private AddressSyntax() {
    }

    static void check(List<String> rules) {
        for (String rule : rules) {
            if (!RULE.matcher(rule).matches()) {
                throw new IllegalArgumentException("the address " + rule.substring(1) + " is none like 10.1.0.0/16, "
                        + "10.1.2.3:9000-9100, [fd00::1]:9000 or :9000");
            }
        }
    }
}
