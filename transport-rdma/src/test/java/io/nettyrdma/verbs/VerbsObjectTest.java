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

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class VerbsObjectTest {

    private static final int THREADS = 4;
    private static final int ROUNDS = 300;
    private static final int ENOMEM = 12;
    private static final int EBUSY = 16;

    private final TestObject parent;

    VerbsObjectTest() throws VerbsException {
        parent = new TestObject("parent");
    }

    @Test
    void repeatedCloseDestroysOnce() throws VerbsException {
        assertThat(parent.isOpen()).isTrue();
        assertThat(parent.handle()).isEqualTo(0x1000);
        parent.close();
        parent.close();
        assertThat(parent.destroyed).hasValue(1);
        assertThat(parent.isOpen()).isFalse();
    }

    @Test
    void aClosedObjectNamesItself() throws VerbsException {
        parent.close();
        assertThatIllegalStateException().isThrownBy(parent::handle).withMessage("parent is closed");
    }

    @Test
    void aParentNamesItsLiveChildrenAndStaysOpen() throws VerbsException {
        TestObject first = new TestObject("first", parent);
        TestObject second = new TestObject("second", parent);
        assertThatIllegalStateException().isThrownBy(parent::close)
                .withMessageStartingWith("parent cannot be closed: still open are ")
                .withMessageContaining("first").withMessageContaining("second");
        first.close();
        assertThatIllegalStateException().isThrownBy(parent::close)
                .withMessage("parent cannot be closed: still open are [second]");
        assertThat(parent.isOpen()).isTrue();
        assertThat(parent.destroyed).hasValue(0);
        second.close();
        parent.close();
        assertThat(parent.destroyed).hasValue(1);
    }

    @Test
    void anObjectHoldsAllItsParents() throws VerbsException {
        TestObject other = new TestObject("other", parent);
        TestObject child = new TestObject("child", parent, other);
        assertThatIllegalStateException().isThrownBy(other::close).withMessageContaining("[child]");
        child.close();
        other.close();
        parent.close();
        assertThat(parent.destroyed).hasValue(1);
    }

    @Test
    void aDeviceThatRefusesToDestroyLeavesTheObjectOpen() throws VerbsException {
        TestObject child = new TestObject("child", parent);
        child.answer = -EBUSY;
        assertThatExceptionOfType(VerbsException.class).isThrownBy(child::close)
                .withMessage("test_destroy failed for child: EBUSY (16)");
        assertThat(child.isOpen()).isTrue();
        assertThat(child.handle()).isEqualTo(0x1000);
        assertThatIllegalStateException().isThrownBy(parent::close).withMessageContaining("[child]");
        child.answer = 0;
        child.close();
        parent.close();
        assertThat(child.destroyed).hasValue(2);
    }

    @Test
    void failedCreationFreesTheParents() throws VerbsException {
        TestObject other = new TestObject("other", parent);
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> new TestObject("child", -ENOMEM, self -> { }, parent, other))
                .withMessageStartingWith("test_create failed for child to be: ENOMEM (12)");
        other.close();
        parent.close();
        assertThat(parent.destroyed).hasValue(1);
    }

    @Test
    void throwingConstructorFreesTheParents() throws VerbsException {
        assertThatIllegalArgumentException().isThrownBy(() -> new TestObject("child", 1, self -> {
            self.abandon();
            throw new IllegalArgumentException("wrong");
        }, parent)).withMessage("wrong");
        parent.close();
        assertThat(parent.destroyed).hasValue(1);
    }

    @Test
    void closedParentIsRefusedAndOtherParentsAreFree() throws VerbsException {
        TestObject closed = new TestObject("closed", parent);
        closed.close();
        assertThatIllegalStateException().isThrownBy(() -> new TestObject("child", parent, closed))
                .withMessage("closed is closed");
        parent.close();
        assertThat(parent.destroyed).hasValue(1);
    }

    @Test
    void anObjectCannotBeUsedOrClosedBeforeItIsCreated() throws VerbsException {
        TestObject child = new TestObject("child", 0x1000, self -> {
            assertThat(self.isOpen()).isFalse();
            assertThatIllegalStateException().isThrownBy(self::handle).withMessage("child is not open yet");
            assertThatIllegalStateException().isThrownBy(self::close).withMessage("child is not open yet");
            assertThatIllegalStateException().isThrownBy(() -> new TestObject("grandchild", self))
                    .withMessage("child is not open yet");
            assertThatIllegalStateException().isThrownBy(parent::close).withMessageContaining("[child]");
        }, parent);
        assertThat(child.isOpen()).isTrue();
    }

    @Test
    void anObjectThatIsBeingDestroyedIsClosedAlready() throws VerbsException {
        List<Throwable> thrown = new ArrayList<>();
        TestObject child = new TestObject("child", parent);
        child.whileDestroying = () -> {
            assertThat(child.isOpen()).isFalse();
            assertThatIllegalStateException().isThrownBy(child::handle).satisfies(thrown::add);
            assertThatIllegalStateException().isThrownBy(() -> new TestObject("late", child)).satisfies(thrown::add);
            // The parent is needed until the native has returned.
            assertThatIllegalStateException().isThrownBy(parent::close).satisfies(thrown::add);
        };
        child.close();
        assertThat(thrown).extracting(Throwable::getMessage).containsExactly("child is closed", "child is closed",
                "parent cannot be closed: still open are [child]");
        parent.close();
    }

    @Test
    void parentsOfDifferentTreesAreRefused() throws VerbsException {
        TestObject stranger = new TestObject("stranger");
        assertThatIllegalArgumentException().isThrownBy(() -> new TestObject("child", parent, stranger))
                .withMessage("stranger belongs to another device than parent");
        parent.close();
        stranger.close();
        assertThat(parent.destroyed).hasValue(1);
        assertThat(stranger.destroyed).hasValue(1);
    }

    @Test
    void aParentOfAnotherTreeCannotBeAddedLater() throws VerbsException {
        TestObject stranger = new TestObject("stranger");
        TestObject child = new TestObject("child", parent);
        assertThatIllegalArgumentException().isThrownBy(() -> child.hold(stranger))
                .withMessage("stranger belongs to another device than child");
        stranger.close();
        assertThat(stranger.destroyed).hasValue(1);
    }

    @Test
    void childMovesToAnotherRootOfItsTree() throws VerbsException {
        VerbsObject.Tree tree = new VerbsObject.Tree();
        TestObject from = new TestObject("from", tree);
        TestObject to = new TestObject("to", tree);
        TestObject child = new TestObject("child", from);
        child.hold(to);
        assertThatIllegalStateException().isThrownBy(from::close).withMessageContaining("[child]");
        assertThatIllegalStateException().isThrownBy(to::close).withMessageContaining("[child]");
        child.release(from);
        from.close();
        assertThatIllegalStateException().isThrownBy(to::close).withMessageContaining("[child]");
        child.close();
        to.close();
        assertThat(from.destroyed).hasValue(1);
        assertThat(to.destroyed).hasValue(1);
    }

    @Test
    void parentsAreAddedAllOrNone() throws VerbsException {
        TestObject open = new TestObject("open", parent);
        TestObject closed = new TestObject("closed", parent);
        closed.close();
        TestObject child = new TestObject("child", parent);
        assertThatIllegalStateException().isThrownBy(() -> child.hold(open, closed)).withMessage("closed is closed");
        open.close();
        assertThat(open.destroyed).hasValue(1);
    }

    @Test
    void noTwoObjectsHaveTheSameContext() throws Exception {
        Set<Long> contexts = new HashSet<>();
        List<List<Long>> made = together(() -> {
            List<Long> own = new ArrayList<>();
            for (int i = 0; i < ROUNDS; i++) {
                try (TestObject each = new TestObject("each")) {
                    own.add(each.context());
                }
            }
            return own;
        });
        made.forEach(contexts::addAll);
        // The device's own events carry 0.
        assertThat(contexts).hasSize(THREADS * ROUNDS).doesNotContain(0L, parent.context());
    }

    @Test
    void concurrentClosesDestroyOnce() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            TestObject contended = new TestObject("contended", parent);
            together(() -> {
                contended.close();
                return contended.isOpen();
            });
            assertThat(contended.destroyed).as("round %d", round).hasValue(1);
        }
        parent.close();
    }

    /** The first call wins, and there is never an open child of a closed parent. */
    @Test
    void parentClosesWhileItsChildIsCreated() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            TestObject contended = new TestObject("contended");
            CyclicBarrier start = new CyclicBarrier(2);
            ExecutorService other = Executors.newSingleThreadExecutor();
            try {
                Future<Boolean> closed = other.submit(() -> {
                    start.await();
                    return succeeds(() -> {
                        contended.close();
                        return null;
                    });
                });
                start.await();
                boolean created = succeeds(() -> new TestObject("child", contended));
                assertThat(created).as("round %d", round).isNotEqualTo(closed.get(1, TimeUnit.MINUTES));
                assertThat(contended.isOpen()).as("round %d", round).isEqualTo(created);
            } finally {
                other.shutdownNow();
            }
        }
    }

    private static boolean succeeds(Callable<?> call) throws Exception {
        try {
            call.call();
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /** Starts a call on all threads at once and waits for their results. */
    private static <T> List<T> together(Callable<T> call) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        CyclicBarrier start = new CyclicBarrier(THREADS);
        try {
            List<Future<T>> pending = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                pending.add(threads.submit(() -> {
                    start.await();
                    return call.call();
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> each : pending) {
                results.add(each.get(1, TimeUnit.MINUTES));
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }
}
