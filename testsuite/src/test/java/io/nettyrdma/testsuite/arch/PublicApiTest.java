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

import io.nettyrdma.annotation.UnstableApi;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

/** docs/api.md and the annotation {@link UnstableApi} say the same of every public type of an exported package. */
class PublicApiTest {

    @Test
    void everyPublicTypeIsOnOneList() {
        Set<String> listed = new TreeSet<>(PublicApi.stable());
        Set<String> both = new HashSet<>(PublicApi.unstable());
        both.retainAll(listed);
        assertThat(both).isEmpty();
        listed.addAll(PublicApi.unstable());
        assertThat(listed).isEqualTo(PublicApi.exported().keySet());
    }

    @Test
    void unstableTypesAreAnnotated() {
        Set<String> annotated = PublicApi.exported().keySet().stream()
                .filter(name -> isUnstable(PublicApi.load(name))).collect(toCollection(TreeSet::new));
        assertThat(annotated).isEqualTo(PublicApi.unstable());
    }

    /** Then a reader of the package's page sees it, and not only one of a type's. */
    @Test
    void packagesOfUnstableTypesAloneAreAnnotated() {
        PublicApi.exported().keySet().stream().map(PublicApi::load).collect(groupingBy(Class::getPackage))
                .forEach((owner, types) -> assertThat(owner.isAnnotationPresent(UnstableApi.class)).as(owner.getName())
                        .isEqualTo(types.stream().allMatch(PublicApiTest::isUnstable)));
    }

    @Test
    void unstableMembersOfStableTypesAreListed() {
        Set<String> annotated = new TreeSet<>();
        for (String type : PublicApi.stable()) {
            VisibleMembers.of(PublicApi.load(type)).stream().filter(VisibleMembers::isUnstable)
                    .forEach(member -> annotated.add(type + '.' + VisibleMembers.name(member)));
        }
        assertThat(annotated).isEqualTo(PublicApi.unstableMembers());
    }

    private static boolean isUnstable(Class<?> type) {
        return type.isAnnotationPresent(UnstableApi.class);
    }
}
