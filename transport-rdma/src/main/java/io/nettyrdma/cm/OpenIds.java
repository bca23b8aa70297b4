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
package io.nettyrdma.cm;

import io.nettyrdma.jni.CmNative;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open ids of this process by their context numbers. There is one map for all channels, so that an event that was
 * taken from one channel just before its id migrated to another still finds the id. Any thread.
 */
final class OpenIds {

    private static final Map<Long, CmId> IDS = new ConcurrentHashMap<>();

    private OpenIds() {
    }

    static void add(CmId id) {
        IDS.put(id.context(), id);
    }

    static void remove(CmId id) {
        IDS.remove(id.context());
    }

    static boolean has(CmId id) {
        return IDS.get(id.context()) == id;
    }

    /** The open id with this context number, or {@code null}. */
    static CmId find(long context) {
        return IDS.get(context);
    }

    /** Rejects a connection request whose listening id is closed. Failures are ignored: there is no caller for them. */
    static void refuse(long request) {
        CmNative.reject(request, 0, 0);
        CmNative.destroyId(request);
    }
}
