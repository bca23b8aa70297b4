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

import org.junit.jupiter.api.Test;

import java.lang.reflect.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/** A stable type can be used without an unstable one: none is in what a program sees of it. */
class PublicSignaturesTest {

    private final Set<String> stable = PublicApi.stable();

    @Test
    void membersOfStableTypesNameStableTypesAlone() {
        List<String> violations = new ArrayList<>();
        for (String type : stable) {
            for (Member member : VisibleMembers.of(PublicApi.load(type))) {
                if (!VisibleMembers.isUnstable(member)) {
                    addUnstable(violations, member.toString(), VisibleMembers.signature(member));
                }
            }
        }
        assertThat(violations).isEmpty();
    }

    @Test
    void supertypesOfStableTypesAreStable() {
        List<String> violations = new ArrayList<>();
        stable.forEach(type -> addUnstable(violations, type, VisibleMembers.supertypes(PublicApi.load(type))));
        assertThat(violations).isEmpty();
    }

    private void addUnstable(List<String> violations, String where, Set<Class<?>> types) {
        types.removeIf(type -> stable.contains(type.getName()));
        if (!types.isEmpty()) {
            violations.add(where + ": " + types);
        }
    }
}
