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

import io.nettyrdma.verbs.WorkRequestId;

import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Finds a registration by the id that its completions carry:
 *
 * <pre>
 *   31         20 19                 0
 *   | generation |       index       |
 * </pre>
 *
 * The generation changes when an index is used again. So a completion that arrives after its queue pair was destroyed,
 * which some devices allow, finds nothing instead of the registration that has the index now. The last index is never
 * used: with the last generation it would be {@link WorkRequestId#BY_QUEUE_PAIR}.
 */
final class RegistrationTable {

    private static final int INDEXES = 1 << 20;
    private static final int INDEX_MASK = INDEXES - 1;
    static final int MAX_REGISTRATIONS = INDEXES - 1;

    private static final int INITIAL = 64;

    private RdmaIoRegistration[] registrations = new RdmaIoRegistration[INITIAL];
    /** The id of the next registration at an index. */
    private int[] nextIds = new int[INITIAL];
    private int[] free = new int[INITIAL];
    private int freeCount;
    /** Indexes from here on were never used. */
    private int used;

    /** @param factory creates the registration with an id. */
    RdmaIoRegistration add(IntFunction<RdmaIoRegistration> factory) {
        int index = freeCount > 0 ? free[freeCount - 1] : used;
        if (index == MAX_REGISTRATIONS) {
            throw new IllegalStateException("a loop takes at most " + MAX_REGISTRATIONS + " handles");
        }
        if (index == registrations.length) {
            grow();
        }
        if (index == used) {
            nextIds[index] = index;
        }
        RdmaIoRegistration registration = factory.apply(nextIds[index]);
        registrations[index] = registration;
        if (index == used) {
            used++;
        } else {
            freeCount--;
        }
        return registration;
    }

    /** The registration with this id, or {@code null} if it is gone. */
    RdmaIoRegistration find(int id) {
        int index = id & INDEX_MASK;
        if (index >= used) {
            return null;
        }
        RdmaIoRegistration registration = registrations[index];
        return registration != null && registration.id() == id ? registration : null;
    }

    void remove(RdmaIoRegistration registration) {
        int index = registration.id() & INDEX_MASK;
        assert registrations[index] == registration;
        registrations[index] = null;
        // Wraps around within the bits above the index.
        nextIds[index] = registration.id() + INDEXES;
        free[freeCount++] = index;
    }

    int size() {
        return used - freeCount;
    }

    /** A copy, because callbacks may add and remove registrations. */
    RdmaIoRegistration[] all() {
        RdmaIoRegistration[] all = new RdmaIoRegistration[size()];
        int count = 0;
        for (int index = 0; index < used; index++) {
            if (registrations[index] != null) {
                all[count++] = registrations[index];
            }
        }
        return all;
    }

    private void grow() {
        int room = registrations.length * 2;
        registrations = Arrays.copyOf(registrations, room);
        nextIds = Arrays.copyOf(nextIds, room);
        free = Arrays.copyOf(free, room);
    }
}
