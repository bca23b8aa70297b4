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
package io.nettyrdma.testsuite.netty;

import java.util.Comparator;

/**
 * The result of one run of a method of Netty's tests. In a file it is a line of the fields in order, separated by tabs.
 *
 * @param type the simple name of Netty's class.
 * @param permutation empty for tests without permutations.
 */
record ConformanceRecord(String type, String method, String permutation, Ending ending)
        implements Comparable<ConformanceRecord> {

    private static final String SEPARATOR = "\t";
    private static final int PARTS = 4;
    private static final Comparator<ConformanceRecord> ORDER = Comparator.comparing(ConformanceRecord::type)
            .thenComparing(ConformanceRecord::method).thenComparing(ConformanceRecord::permutation)
            .thenComparing(ConformanceRecord::ending);

    enum Ending {
        PASSED,
        /** Passed, with other assertions than Netty's: {@link Deviates}. */
        DEVIATES,
        SKIPPED,
        FAILED
    }

    static ConformanceRecord parse(String line) {
        String[] parts = line.split(SEPARATOR, -1);
        if (parts.length != PARTS) {
            throw new IllegalArgumentException("no record of a test: " + line);
        }
        return new ConformanceRecord(parts[0], parts[1], parts[2], Ending.valueOf(parts[3]));
    }

    String line() {
        return String.join(SEPARATOR, type, method, permutation, ending.name());
    }

    @Override
    public int compareTo(ConformanceRecord other) {
        return ORDER.compare(this, other);
    }
}
