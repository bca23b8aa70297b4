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
package io.nettyrdma.verbs;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.jni.AbiLayout;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.jni.VerbsNative;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The asynchronous events of a device. One native call copies and acknowledges events, so destroying an object never
 * waits for an acknowledgement. The cost is that an object may be gone when its event is delivered. Events identify
 * their object by a number that is never reused, not by a pointer, so such an event cannot be mistaken for an event of
 * another object. Only one thread may call {@link #poll}.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class AsyncEvents {

    private static final int BATCH = 16;

    private final RdmaDevice device;
    private final Map<Long, VerbsObject> sources = new ConcurrentHashMap<>();
    private final NativeMemory records = new NativeMemory(BATCH * AbiLayout.AsyncEvent.SIZE);

    AsyncEvents(RdmaDevice device) {
        this.device = device;
    }

    /** {@return a non-blocking file descriptor that is readable while events are pending} The device owns it. */
    public int fd() {
        return VerbsNative.asyncEventFd(device.handle());
    }

    /**
     * Passes all pending events to {@code listener}.
     *
     * @param listener called for each event.
     * @return the number of events.
     * @throws VerbsException if the call fails, with the reason.
     */
    public int poll(Consumer<AsyncEvent> listener) throws VerbsException {
        int total = 0;
        int count;
        do {
            count = VerbsNative.nextAsyncEvents(device.handle(), records.address(), BATCH);
            VerbsException.check(count, "ibv_get_async_event", device);
            for (int i = 0; i < count; i++) {
                listener.accept(event(i * AbiLayout.AsyncEvent.SIZE));
            }
            total += count;
        } while (count == BATCH);
        return total;
    }

    void register(VerbsObject source) {
        sources.put(source.context(), source);
    }

    void unregister(VerbsObject source) {
        sources.remove(source.context());
    }

    private AsyncEvent event(int base) {
        long context = records.u64(base + AbiLayout.AsyncEvent.CONTEXT);
        return new AsyncEvent(AsyncEventType.of(records.u32(base + AbiLayout.AsyncEvent.TYPE)),
                context == 0 ? device : sources.get(context), records.u32(base + AbiLayout.AsyncEvent.PORT_NUM));
    }
}
