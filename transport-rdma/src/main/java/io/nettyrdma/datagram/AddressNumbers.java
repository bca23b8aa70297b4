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
package io.nettyrdma.datagram;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.Gid;

/**
 * Whose address handles have which number, of all handles of a channel's protection domain. Where {@link
 * AddressHandle#number} exists, a completion names the sender by it. Belongs to the loop.
 */
final class AddressNumbers {

    private final IntObjectMap<Gid> byNumber = new IntObjectHashMap<>();

    /** There is a handle with this number. */
    void add(int number, Gid gid) {
        byNumber.put(number, gid);
    }

    /** Call before the handle is destroyed: from then on the device may give its number to another GID. */
    void remove(int number, Gid gid) {
        if (gid.equals(byNumber.get(number))) {
            byNumber.remove(number);
        }
    }

    /** The GID of the handle with this number; {@code null} if there is none. */
    Gid gid(int number) {
        return byNumber.get(number);
    }
}
