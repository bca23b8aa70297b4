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

/** An object without a device. Its native calls are counted and return what the test sets. */
final class TestObject extends VerbsObject {

    private static final int HANDLE = 0x1000;

    /** The number of calls of the destroying native. */
    final AtomicInteger destroyed = new AtomicInteger();
    /** What the destroying native returns. */
    volatile int answer;
    /** Runs during the destroying native. */
    volatile Runnable whileDestroying = () -> { };

    private final String name;

    TestObject(String name, VerbsObject... parents) throws VerbsException {
        this(name, HANDLE, self -> { }, parents);
    }

    /** An object whose creating native returns {@code result} after running {@code whileOpening}. */
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

    /** An action in the constructor. */
    interface Opening {
        void run(TestObject self) throws VerbsException;
    }

    /** What a constructor does with invalid arguments. */
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
