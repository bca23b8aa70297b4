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

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Base class of all objects of rdma-core: a native handle, parents that must outlive the object, children that it must
 * outlive, and a close that takes effect exactly once.
 *
 * <pre>
 *   OPENING --created--> OPEN --close()--> CLOSED
 *      |                   ^                 |
 *      +---failed--> CLOSED +---call failed--+
 * </pre>
 *
 * Objects can be created and closed on any thread. Before closing an object, make sure that no other thread posts to
 * it, polls it or arms it: these paths take no lock. Calls on a closed object throw {@link IllegalStateException}, and
 * so does closing an object that has open children.
 *
 * @since 0.1.0
 */
@UnstableApi
public abstract class VerbsObject implements AutoCloseable {

    /** The lock of a tree of objects. Roots whose children can move between them share one. */
    protected static final class Tree {
        /** Creates a tree without objects. */
        public Tree() {
        }
    }

    private enum State { OPENING, OPEN, CLOSED }

    private static final int MOST_PARENTS = 4;
    /** Most objects never have a child. */
    private static final Set<VerbsObject> NONE = Set.of();
    private static final AtomicLong CONTEXTS = new AtomicLong();

    /** Guards the state, parents and children of all objects of the tree. Never held during a native call. */
    private final Tree tree;
    private final Set<VerbsObject> parents = Collections.newSetFromMap(new IdentityHashMap<>(MOST_PARENTS));
    private Set<VerbsObject> children = NONE;
    private final long context = CONTEXTS.incrementAndGet();
    private State state = State.OPENING;
    private long handle;

    /**
     * Attaches the object to its parents, so that they cannot be closed while it is being created.
     *
     * @param parents what this object needs.
     */
    protected VerbsObject(VerbsObject... parents) {
        tree = parents.length == 0 ? new Tree() : parents[0].tree;
        attach(parents);
    }

    /**
     * Creates a root of a tree that has several roots.
     *
     * @param tree the tree.
     */
    protected VerbsObject(Tree tree) {
        this.tree = tree;
    }

    /**
     * Attaches the object to more parents, to all of them or none. Call before its native object moves to them.
     *
     * @param added what this object needs, too.
     */
    protected final void attach(VerbsObject... added) {
        synchronized (tree) {
            for (VerbsObject parent : added) {
                if (parent.tree != tree) {
                    // In the constructor, the tree is that of the first parent, and toString() does not work yet.
                    throw new IllegalArgumentException(parent + " belongs to another device than "
                            + (parent == added[0] ? this : added[0]));
                }
                if (parent.state != State.OPEN) {
                    throw parent.closed();
                }
            }
            for (VerbsObject parent : added) {
                parents.add(parent);
                parent.addChild(this);
            }
        }
    }

    private void addChild(VerbsObject child) {
        if (children == NONE) {
            children = Collections.newSetFromMap(new IdentityHashMap<>(MOST_PARENTS));
        }
        children.add(child);
    }

    /**
     * Undoes {@link #attach}, after the native object moved away from the parent or failed to move to it.
     *
     * @param parent what this object does not need any more.
     */
    protected final void detach(VerbsObject parent) {
        synchronized (tree) {
            parents.remove(parent);
            parent.children.remove(this);
        }
    }

    /**
     * Completes the constructor: stores the handle that the native call returned, or detaches the object and throws if
     * the call failed.
     *
     * @param result the handle, or {@code -errno}.
     * @param call the function of rdma-core.
     * @param described what was to be created, for the message.
     * @throws VerbsException if it is refused, with the reason.
     */
    protected final void created(long result, String call, Object described) throws VerbsException {
        created(result, call, described, null);
    }

    /**
     * @param result the handle, or {@code -errno}.
     * @param call the function of rdma-core.
     * @param described what was to be created, for the message.
     * @param within what it is a part of; a text of both is made only for a failure.
     * @throws VerbsException if it is refused, with the reason.
     */
    protected final void created(long result, String call, Object described, VerbsObject within)
            throws VerbsException {
        if (result < 0) {
            end();
            throw new VerbsException(call, within == null ? described : described + " in " + within, (int) result);
        }
        synchronized (tree) {
            handle = result;
            state = State.OPEN;
        }
    }

    /** Undoes the constructor; for constructors that throw before {@link #created}. */
    protected final void abandoned() {
        end();
    }

    /** {@return the objects that depend on this one now} */
    protected final List<VerbsObject> children() {
        synchronized (tree) {
            return List.copyOf(children);
        }
    }

    /**
     * Waits until no object depends on this one. An object that another thread is closing counts until that call ends.
     *
     * @param nanos the longest time to wait.
     * @return false if the time ran out.
     * @throws InterruptedException if the thread is interrupted meanwhile.
     */
    protected final boolean awaitNoChildren(long nanos) throws InterruptedException {
        long start = System.nanoTime();
        synchronized (tree) {
            long remainingNanos = nanos;
            while (!children.isEmpty() && remainingNanos > 0) {
                TimeUnit.NANOSECONDS.timedWait(tree, remainingNanos);
                remainingNanos = nanos - (System.nanoTime() - start);
            }
            return children.isEmpty();
        }
    }

    /**
     * Destroys the native object. Called again only after a failure.
     *
     * @param handle what the native call that created it has returned.
     * @return {@code -errno} on failure.
     */
    protected abstract int destroy(long handle);

    /** {@return the C function that {@link #destroy} calls, for error messages} */
    protected abstract String destroyCall();

    /** {@return the native handle} Throws {@link IllegalStateException} if the object is closed. */
    public final long handle() {
        long current = handle;
        if (current == 0) {
            throw closed();
        }
        return current;
    }

    /** {@return a number that is unique in this process and never reused} Events carry it instead of a pointer. */
    public final long context() {
        return context;
    }

    /** {@return whether it is neither closed nor being closed} Any thread. */
    public final boolean isOpen() {
        return handle != 0;
    }

    /**
     * Destroys the native object. Closing a closed object does nothing.
     *
     * @throws IllegalStateException if open objects depend on this one; the message names them, and nothing changes.
     * @throws VerbsException if the device refuses; the object then stays open.
     */
    @Override
    public final void close() throws VerbsException {
        long closing;
        synchronized (tree) {
            if (state == State.CLOSED) {
                return;
            }
            if (state == State.OPENING) {
                throw closed();
            }
            if (!children.isEmpty()) {
                throw new IllegalStateException(this + " cannot be closed: still open are " + children);
            }
            state = State.CLOSED;
            closing = handle;
            handle = 0;
        }
        int result = destroy(closing);
        if (result < 0) {
            synchronized (tree) {
                state = State.OPEN;
                handle = closing;
            }
            throw new VerbsException(destroyCall(), this, result);
        }
        end();
    }

    private void end() {
        synchronized (tree) {
            state = State.CLOSED;
            for (VerbsObject parent : parents) {
                parent.children.remove(this);
            }
            tree.notifyAll();
        }
    }

    private IllegalStateException closed() {
        return new IllegalStateException(this + (state == State.OPENING ? " is not open yet" : " is closed"));
    }
}
