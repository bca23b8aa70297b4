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

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.Gid;

/**
 * Whose address handles have which number, of all handles of a loop on one device. Where {@link AddressHandle#number}
 * exists, a completion names the sender by it. All handles for a GID have the same number, and each channel has its
 * own, so they are counted. Belongs to the loop.
 */
public final class AddressNumbers {

    private static final class Entry {

        private final Gid gid;
        private int handles;

        Entry(Gid gid) {
            this.gid = gid;
        }
    }

    private final IntObjectMap<Entry> byNumber = new IntObjectHashMap<>();

    AddressNumbers() {
    }

    /** There is one more handle with this number. */
    public void add(int number, Gid gid) {
        Entry entry = byNumber.get(number);
        if (entry == null || !entry.gid.equals(gid)) {
            // The device has given the number of a handle that is destroyed to another.
            entry = new Entry(gid);
            byNumber.put(number, entry);
        }
        entry.handles++;
    }

    /** Call before a handle is destroyed: from then on the device may give its number to another GID. */
    public void remove(int number, Gid gid) {
        Entry entry = byNumber.get(number);
        if (entry != null && entry.gid.equals(gid) && --entry.handles == 0) {
            byNumber.remove(number);
        }
    }

    /** The GID of the handles with this number; {@code null} if there is none. */
    public Gid gid(int number) {
        Entry entry = byNumber.get(number);
        return entry == null ? null : entry.gid;
    }
}
