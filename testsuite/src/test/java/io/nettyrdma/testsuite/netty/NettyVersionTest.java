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

import io.netty.util.Version;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A lane for another Netty version than the one compiled against really uses that version. */
@Tag("netty")
class NettyVersionTest {

    private static final String WANTED = System.getProperty("io.nettyrdma.testsuite.netty");
    private static final List<String> CORE = List.of("netty-common", "netty-buffer", "netty-resolver",
            "netty-transport", "netty-handler", "netty-codec-base", "netty-codec-http");

    @Test
    void nettyHasTheRequestedVersion() {
        assumeTrue(WANTED != null, "any will do");
        Map<String, Version> all = Version.identify();
        assertThat(CORE).extracting(each -> all.get(each).artifactVersion()).containsOnly(WANTED);
    }
}
