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
package io.nettyrdma.micrometer;

import java.util.Locale;

/** Numbers of a picture, in the units that a dashboard names. */
final class Units {

    private static final int THOUSAND = 1000;
    private static final String[] PREFIXES = { "", "k", "M", "G", "T" };

    private Units() {
    }

    static String text(double value, String unit) {
        if (unit.equals("percentunit")) {
            return number(100 * value) + " %";
        }
        int prefix = 0;
        double scaled = value;
        while (scaled >= THOUSAND) {
            scaled /= THOUSAND;
            prefix++;
        }
        return (number(scaled) + ' ' + PREFIXES[prefix] + switch (unit) {
            case "bytes" -> "B";
            case "Bps" -> "B/s";
            case "ops" -> "/s";
            default -> "";
        }).trim();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value).replaceAll("\\.?0+$", "");
    }
}
