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
package io.nettyrdma.testsuite.arch;

import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.ProjectTree;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** Every driver deviation that tests excuse is documented with its lines, and every documented one is excused. */
class DeviationsTest {

    private static final Pattern NAME = Pattern.compile("\\b(?:SIW|RXE)_[A-Z_]+\\b");

    @Test
    void everyDeviationIsDocumented() throws Exception {
        Set<String> written = new TreeSet<>();
        Matcher names = NAME.matcher(Files.readString(ProjectTree.directory("docs").resolve("drivers.md")));
        while (names.find()) {
            written.add(names.group());
        }
        // Names in the driver itself.
        written.removeAll(Set.of("SIW_INVAL_UOBJ_KEY", "SIW_RDMA_WRITE_ENABLED", "SIW_WQE_SIGNALLED"));
        assertThat(written).isEqualTo(Arrays.stream(Deviation.values()).map(Enum::name)
                .collect(Collectors.toCollection(TreeSet::new)));
    }
}
