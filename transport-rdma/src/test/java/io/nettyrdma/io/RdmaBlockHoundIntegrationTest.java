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
package io.nettyrdma.io;

import io.nettyrdma.io.RdmaBlockHoundIntegration.Wait;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.lang.reflect.Method;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** It names methods by text, and a name that is wrong allows nothing. */
class RdmaBlockHoundIntegrationTest {

    @ParameterizedTest
    @MethodSource("waits")
    void allowedMethodsExist(Wait wait) throws Exception {
        assertThat(Class.forName(wait.className()).getDeclaredMethods()).extracting(Method::getName)
                .contains(wait.method());
    }

    static List<Wait> waits() {
        return RdmaBlockHoundIntegration.WAITS;
    }
}
