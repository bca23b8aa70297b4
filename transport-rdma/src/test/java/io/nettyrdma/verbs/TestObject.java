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

import java.util.concurrent.atomic.AtomicInteger;

/** An object without a device: its native calls are counted and answer what the test wants. */
final class TestObject extends VerbsObject {

    private static final int HANDLE = 0x1000;

    /** Calls of the native that destroys. */
    final AtomicInteger destroyed = new AtomicInteger();
    /** What the native that destroys answers. */
    volatile int answer;
    /** Runs while the native destroys. */
    volatile Runnable whileDestroying = () -> { };

    private final String name;

    TestObject(String name, VerbsObject... parents) throws VerbsException {
        this(name, HANDLE, self -> { }, parents);
    }

    /** One of which the native that creates answers {@code result}, after {@code whileOpening} ran. */
    TestObject(String name, long result, Opening whileOpening, VerbsObject... parents) throws VerbsException {
        super(parents);
        this.name = name;
        whileOpening.run(this);
        created(result, "test_create", name + " to be");
    }

    TestObject(String name, Tree tree) throws VerbsException {
        super(tree);
        this.name = name;
        created(HANDLE, "test_create", name);
    }

    /** Something to do in the constructor. */
    interface Opening {
        void run(TestObject self) throws VerbsException;
    }

    /** What a constructor does that finds its arguments wrong. */
    void abandon() {
        abandoned();
    }

    void hold(VerbsObject... parents) {
        attach(parents);
    }

    void release(VerbsObject parent) {
        detach(parent);
    }

    @Override
    protected int destroy(long handle) {
        destroyed.incrementAndGet();
        whileDestroying.run();
        return handle == HANDLE ? answer : -1;
    }

    @Override
    protected String destroyCall() {
        return "test_destroy";
    }

    @Override
    public String toString() {
        return name;
    }
}
