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

import io.nettyrdma.support.Seed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class RegistrationTableTest {

    @RegisterExtension
    final Seed seed = new Seed();

    private final RegistrationTable table = new RegistrationTable();

    private RdmaIoRegistration add() {
        return table.add(id -> new RdmaIoRegistration(null, null, null, id));
    }

    @Test
    void findReturnsAddedRegistrations() {
        RdmaIoRegistration first = add();
        RdmaIoRegistration second = add();
        assertThat(table.find(first.id())).isSameAs(first);
        assertThat(table.find(second.id())).isSameAs(second);
        assertThat(table.size()).isEqualTo(2);
        assertThat(table.all()).containsExactly(first, second);
    }

    @Test
    void unknownIdFindsNothing() {
        RdmaIoRegistration only = add();
        assertThat(table.find(only.id() + 1)).isNull();
        assertThat(table.find(-1)).isNull();
        assertThat(table.find(only.id() + RegistrationTable.MAX_REGISTRATIONS + 1)).isNull();
    }

    @Test
    void reusedEntryHasAnotherId() {
        RdmaIoRegistration gone = add();
        table.remove(gone);
        assertThat(table.find(gone.id())).isNull();
        RdmaIoRegistration next = add();
        assertThat(next.id()).isNotEqualTo(gone.id());
        assertThat(table.find(gone.id())).isNull();
        assertThat(table.find(next.id())).isSameAs(next);
    }

    /** An id is reused after 4096 generations, later than any completion arrives. */
    @Test
    void idsRepeatAfterAllGenerations() {
        Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < 4096; i++) {
            RdmaIoRegistration registration = add();
            assertThat(seen.add(registration.id())).isTrue();
            table.remove(registration);
        }
        assertThat(seen).contains(add().id());
    }

    @Test
    void fullTableRefusesAnotherRegistration() {
        for (int i = 0; i < RegistrationTable.MAX_REGISTRATIONS; i++) {
            add();
        }
        assertThatIllegalStateException().isThrownBy(this::add).withMessageContaining("1048575");
        table.remove(table.find(5));
        assertThat(table.find(add().id())).isNotNull();
    }

    @Test
    void failedRegistrationUsesNoEntry() {
        assertThatIllegalStateException().isThrownBy(() -> table.add(id -> {
            throw new IllegalStateException("no");
        }));
        assertThat(table.size()).isZero();
        assertThat(table.all()).isEmpty();
        assertThat(add().id()).isZero();
    }

    @Test
    void addAndRemoveInRandomOrder() {
        Random random = seed.newRandom();
        List<RdmaIoRegistration> model = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            if (model.isEmpty() || random.nextInt(100) < 52) {
                model.add(add());
            } else {
                table.remove(model.remove(random.nextInt(model.size())));
            }
            if (i % 1000 == 0) {
                assertThat(table.all()).as("-Dio.nettyrdma.test.seed=%s", seed)
                        .containsExactlyInAnyOrderElementsOf(model);
            }
        }
        for (RdmaIoRegistration each : model) {
            assertThat(table.find(each.id())).isSameAs(each);
        }
    }
}
