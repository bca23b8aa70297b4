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
package io.nettyrdma.testsuite.support;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * The time limit that every wait of a test has. Times are those of a native machine; the system property {@code
 * io.nettyrdma.testsuite.timeoutScale} multiplies them on slower ones.
 */
public final class Deadline {

    private static final double SCALE =
            Double.parseDouble(System.getProperty("io.nettyrdma.testsuite.timeoutScale", "1"));
    /** Nothing here takes as long. But where machines are shared, a whole process may stand still for 4 seconds. */
    private static final int STANDARD_SECONDS = 30;
    private static final int IMPATIENT_PAUSES = 20;
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private final long end;
    private int pauses;

    private Deadline(long nanos) {
        end = System.nanoTime() + nanos;
    }

    /** A condition whose evaluation may throw. */
    @FunctionalInterface
    public interface Condition {
        boolean holds() throws Exception;
    }

    /** Enough for any operation of a healthy device. */
    public static Deadline standard() {
        return ofSeconds(STANDARD_SECONDS);
    }

    public static Deadline ofSeconds(double nativeSeconds) {
        return new Deadline((long) (nativeSeconds * SCALE * TimeUnit.SECONDS.toNanos(1)));
    }

    /** Never negative. */
    public long remainingNanos() {
        return Math.max(0, end - System.nanoTime());
    }

    /** Scales a timeout, in milliseconds, that the device or the connection manager applies. */
    public static int scaledMillis(int nativeMillis) {
        return (int) (nativeMillis * SCALE);
    }

    /**
     * Yields the CPU for a moment, or fails the test when the time is up. If the kernel itself is the device and CPUs
     * are few, a loop without this would starve what it waits for.
     */
    public void pause(Supplier<String> awaited) {
        if (remainingNanos() == 0) {
            throw new AssertionError("waited in vain for " + awaited.get());
        }
        if (++pauses <= IMPATIENT_PAUSES) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Pauses until the condition holds. */
    public void until(String awaited, Condition condition) throws Exception {
        while (!condition.holds()) {
            pause(() -> awaited);
        }
    }
}
