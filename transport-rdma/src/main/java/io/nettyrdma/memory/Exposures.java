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
package io.nettyrdma.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.buffer.HeldMemory;
import io.nettyrdma.buffer.RegisteredByteBuf;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.MemoryRegion;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/**
 * The memory that a channel's peers may access: a region of its own for each buffer, of exactly its bytes, so that a
 * key opens nothing else. Belongs to the event loop, but {@link #request}.
 *
 * <pre>
 *   EXPOSED ---close(), or the queue pair is destroyed---&gt; deregistered ---&gt; buffer released ---&gt; future done
 * </pre>
 */
public final class Exposures {

    /** Exposes a buffer, on the loop. */
    @FunctionalInterface
    public interface Request {

        ExposedMemory expose() throws Exception;
    }

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(Exposures.class);

    private final ProtectionDomain domain;
    private final EventExecutor loop;
    private final Set<Exposed> all = new LinkedHashSet<>();

    public Exposures(ProtectionDomain domain, EventExecutor loop) {
        this.domain = domain;
        this.loop = loop;
    }

    /**
     * Brings a request to expose a buffer to the loop. The caller keeps its own reference to the buffer. Any thread.
     */
    public static Future<ExposedMemory> request(EventExecutor loop, ByteBuf buffer, Request request) {
        Promise<ExposedMemory> promise = loop.newPromise();
        // Memory whose promise was cancelled could not be withdrawn.
        promise.setUncancellable();
        // Here and not on the loop: the caller may release its own reference, or write, as soon as this returns.
        HeldMemory held = HeldMemory.pinned(buffer);
        if (loop.inEventLoop()) {
            request(held, request, promise);
            return promise;
        }
        try {
            loop.execute(() -> request(held, request, promise));
        } catch (RejectedExecutionException e) {
            held.release();
            promise.setFailure(e);
        }
        return promise;
    }

    private static void request(HeldMemory held, Request request, Promise<ExposedMemory> promise) {
        ExposedMemory exposed;
        try {
            exposed = request.expose();
        } catch (Throwable e) {
            held.release();
            promise.setFailure(e);
            return;
        }
        held.release();
        promise.setSuccess(exposed);
    }

    /** The result has references of its own. */
    public ExposedMemory expose(ByteBuf buffer, MemoryAccess... access) throws IOException {
        Set<MemoryAccess> granted = EnumSet.noneOf(MemoryAccess.class);
        granted.addAll(List.of(access));
        if (!buffer.hasMemoryAddress() || isComposite(buffer)) {
            throw new IllegalArgumentException(buffer + " has no address: use a direct buffer that is not composite");
        }
        if (RegisteredByteBuf.isAllocators(buffer.memoryAddress())
                && RegisteredByteBuf.owner(buffer, 0, buffer.capacity()) == null) {
            throw new IllegalArgumentException(buffer + " hides whose memory it is, which could be used for something"
                    + " else meanwhile: use a buffer of the allocator itself, or a slice of it");
        }
        if (buffer.isReadOnly() && changes(granted)) {
            throw new IllegalArgumentException(buffer + " is read-only, and the peer may only read it");
        }
        // Checks the access, before anything is registered.
        RemoteMemory unregistered = new RemoteMemory(buffer.memoryAddress(), buffer.capacity(), 0, granted);
        HeldMemory held = HeldMemory.pinned(buffer);
        MemoryRegion region;
        try {
            region = domain.register(buffer.memoryAddress(), buffer.capacity(), buffer, flags(granted));
        } catch (VerbsException | RuntimeException e) {
            held.release();
            throw e;
        }
        Exposed exposed = new Exposed(buffer, held, region, new RemoteMemory(unregistered.address(),
                unregistered.length(), region.remoteKey(), granted));
        all.add(exposed);
        return exposed;
    }

    /** Also of one component, which it may drop while it is referenced itself. */
    private static boolean isComposite(ByteBuf buffer) {
        ByteBuf inner = buffer;
        while (inner != null && !(inner instanceof CompositeByteBuf)) {
            inner = inner.unwrap();
        }
        return inner != null;
    }

    private static boolean changes(Set<MemoryAccess> granted) {
        return granted.contains(MemoryAccess.REMOTE_WRITE) || granted.contains(MemoryAccess.REMOTE_ATOMIC);
    }

    /** The device needs LOCAL_WRITE for whatever the peer changes. */
    private static MemoryAccess[] flags(Set<MemoryAccess> granted) {
        Set<MemoryAccess> flags = EnumSet.copyOf(granted);
        if (changes(granted)) {
            flags.add(MemoryAccess.LOCAL_WRITE);
        }
        return flags.toArray(new MemoryAccess[0]);
    }

    /** The queue pair is destroyed. */
    public void closeAll() {
        for (Exposed each : List.copyOf(all)) {
            each.withdraw();
        }
    }

    private final class Exposed implements ExposedMemory {

        private final ByteBuf buffer;
        private final HeldMemory held;
        private final MemoryRegion region;
        private final RemoteMemory remote;
        private final Promise<Void> closed = loop.newPromise();

        Exposed(ByteBuf buffer, HeldMemory held, MemoryRegion region, RemoteMemory remote) {
            this.buffer = buffer;
            this.held = held;
            this.region = region;
            this.remote = remote;
        }

        @Override
        public ByteBuf buffer() {
            return buffer;
        }

        @Override
        public RemoteMemory remote() {
            return remote;
        }

        @Override
        public Future<Void> close() {
            if (loop.inEventLoop()) {
                withdraw();
            } else {
                // A loop that has ended has withdrawn it.
                LoopTasks.execute(loop, this::withdraw);
            }
            return closed;
        }

        private void withdraw() {
            if (!all.remove(this)) {
                return;
            }
            try {
                region.close();
            } catch (VerbsException e) {
                // The peer may still access it: it stays referenced, and is never used for anything else.
                LOGGER.warn("{} could not be withdrawn", remote, e);
                closed.setFailure(e);
                return;
            }
            held.release();
            closed.setSuccess(null);
        }
    }
}
