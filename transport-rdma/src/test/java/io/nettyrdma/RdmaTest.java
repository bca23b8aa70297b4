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
package io.nettyrdma;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** On any machine the three methods agree. */
class RdmaTest {

    @Test
    void availabilityMethodsAgree() {
        Throwable cause = Rdma.unavailabilityCause();
        assertThat(Rdma.isAvailable()).isEqualTo(cause == null);
        if (cause == null) {
            assertThatCode(Rdma::ensureAvailability).doesNotThrowAnyException();
        } else {
            assertThatExceptionOfType(UnsatisfiedLinkError.class).isThrownBy(Rdma::ensureAvailability)
                    .withMessage("RDMA is not available: " + cause.getMessage());
        }
    }

    @Test
    void nettysNativeSwitchIsHonoured() {
        System.setProperty("io.netty.transport.noNative", "true");
        try {
            assertThat(Rdma.isAvailable()).isFalse();
            assertThat(Rdma.unavailabilityCause()).isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("-Dio.netty.transport.noNative=true");
        } finally {
            System.clearProperty("io.netty.transport.noNative");
        }
    }
}
