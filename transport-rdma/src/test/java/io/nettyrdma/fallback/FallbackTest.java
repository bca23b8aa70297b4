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
package io.nettyrdma.fallback;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;

import static org.assertj.core.api.Assertions.assertThat;

class FallbackTest {

    @Test
    void causeWithoutAMessageIsNamedByItsClass() {
        assertThat(new Fallback(FallbackReason.FAILED, new ClosedChannelException()).text())
                .isEqualTo("the attempt by RDMA failed: java.nio.channels.ClosedChannelException");
        assertThat(new Fallback(FallbackReason.FAILED, new IOException("no memory")).text())
                .isEqualTo("the attempt by RDMA failed: no memory");
    }

    @Test
    void answerOfThePeerFollows() {
        assertThat(new Fallback(FallbackReason.REFUSED, new IOException("RESOURCES, later")).text())
                .isEqualTo("the peer refused it by RDMA: RESOURCES, later");
    }

    @Test
    void causeOfAReasonThatSaysAllIsLeftOut() {
        Fallback fallback = new Fallback(FallbackReason.NO_ROUTE, new IOException("port 7"));
        assertThat(fallback.text()).isEqualTo(FallbackReason.NO_ROUTE.text());
        assertThat(fallback.textAndCause()).endsWith(": port 7");
    }
}
