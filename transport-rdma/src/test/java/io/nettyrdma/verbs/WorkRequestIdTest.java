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
package io.nettyrdma.verbs;

import io.nettyrdma.verbs.WorkRequestId.Kind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class WorkRequestIdTest {

    private static final int[] OWNERS = { 0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, WorkRequestId.BY_QUEUE_PAIR };
    private static final int[] NUMBERS = { 0, 1, 12345, WorkRequestId.MAX_NUMBER };

    @ParameterizedTest
    @EnumSource
    void idRoundTrips(Kind kind) {
        for (int owner : OWNERS) {
            for (int number : NUMBERS) {
                long id = WorkRequestId.of(WorkRequestId.ofOwner(owner), kind, number);
                assertThat(WorkRequestId.owner(id)).isEqualTo(owner);
                assertThat(WorkRequestId.kind(id)).isEqualTo(kind);
                assertThat(WorkRequestId.number(id)).isEqualTo(number);
            }
        }
    }

    /** The frame counter has no end: when it wraps around, neither kind nor owner changes. */
    @ParameterizedTest
    @EnumSource
    void aCounterWrapsAround(Kind kind) {
        for (int number : new int[] { WorkRequestId.MAX_NUMBER + 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -1 }) {
            long id = WorkRequestId.of(WorkRequestId.ofOwner(7), kind, number);
            assertThat(WorkRequestId.owner(id)).isEqualTo(7);
            assertThat(WorkRequestId.kind(id)).isEqualTo(kind);
            assertThat(WorkRequestId.number(id)).isEqualTo(number & WorkRequestId.MAX_NUMBER);
        }
    }
}
