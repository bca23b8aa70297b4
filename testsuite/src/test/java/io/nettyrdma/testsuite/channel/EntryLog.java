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
package io.nettyrdma.testsuite.channel;

import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * What the instrumented methods of {@link InstrumentingLoader} report: the classes that a thread enters between two
 * points, and the number of calls of each method. A nested class counts as the one that it is nested in: a reader opens
 * files.
 */
public final class EntryLog {

    /** One poll of a loop, with all that it causes. */
    private static final String POLL = "io.nettyrdma.io.LoopWaiter.poll";
    private static final String INCOMING = "io.nettyrdma.stream.IncomingFrames";
    /** Data, and not only a CREDIT frame. */
    private static final String DATA = "io.nettyrdma.memory.ReceivedByteBuf";
    private static final String OUTGOING = "io.nettyrdma.stream.StreamSender";

    private static final ThreadLocal<EntryLog> LOGS = ThreadLocal.withInitial(EntryLog::new);
    private static final Map<String, AtomicLong> CALLS = new ConcurrentHashMap<>();
    /** The classes of each poll that found a frame, and of each write. */
    private static final ConcurrentLinkedQueue<TreeSet<String>> RECEIVED = new ConcurrentLinkedQueue<>();
    private static final ConcurrentLinkedQueue<TreeSet<String>> WRITTEN = new ConcurrentLinkedQueue<>();
    /** Clock readings within polls that found a frame. */
    private static final AtomicLong CLOCKS_OF_RECEIVED = new AtomicLong();

    /** {@code null} while nothing is recorded. */
    private TreeSet<String> classes;
    private boolean polls;
    private long clocks;

    private EntryLog() {
    }

    // ---- called by the instrumented methods ----

    /** @param method name of the class, a dot, name of the method. */
    public static void entered(String method) {
        count(method);
        EntryLog log = LOGS.get();
        if (method.equals(POLL)) {
            log.begin(true);
        }
        if (log.classes != null) {
            String type = method.substring(0, method.lastIndexOf('.'));
            int nested = type.indexOf('$');
            log.classes.add(nested < 0 ? type : type.substring(0, nested));
        }
    }

    public static void left(String method) {
        EntryLog log = LOGS.get();
        if (method.equals(POLL)) {
            TreeSet<String> found = log.end();
            if (found != null && found.contains(INCOMING)) {
                RECEIVED.add(found);
                CLOCKS_OF_RECEIVED.addAndGet(log.clocks);
            }
        } else if (!log.polls) {
            // The doorbell.
            TreeSet<String> found = log.end();
            if (found != null && found.contains(OUTGOING)) {
                WRITTEN.add(found);
            }
        }
    }

    public static void ended(String frame) {
        count("frame." + frame);
    }

    /** In place of a call. */
    public static long clock(LongSupplier clock) {
        countClock();
        return clock.getAsLong();
    }

    /** In place of a call. */
    public static long nanoTime() {
        countClock();
        return System.nanoTime();
    }

    private static void count(String call) {
        CALLS.computeIfAbsent(call, key -> new AtomicLong()).incrementAndGet();
    }

    private static void countClock() {
        count("clock.read");
        LOGS.get().clocks++;
    }

    // ---- called by the traffic ----

    /** This thread writes a message; the doorbell ends that. */
    static void beginWrite() {
        LOGS.get().begin(false);
    }

    static void clear() {
        CALLS.clear();
        RECEIVED.clear();
        WRITTEN.clear();
        CLOCKS_OF_RECEIVED.set(0);
    }

    /** The least classes that a message needed, of those that were received or written. */
    static TreeSet<String> fewestReceived() {
        return fewest(RECEIVED, DATA);
    }

    static TreeSet<String> fewestWritten() {
        return fewest(WRITTEN, OUTGOING);
    }

    static int received() {
        return RECEIVED.size();
    }

    static long clocksOfReceived() {
        return CLOCKS_OF_RECEIVED.get();
    }

    /** Calls of methods whose name, without package, begins with this. */
    static long calls(String method) {
        return CALLS.entrySet().stream().filter(each -> each.getKey().contains(method))
                .mapToLong(each -> each.getValue().get()).sum();
    }

    private static TreeSet<String> fewest(ConcurrentLinkedQueue<TreeSet<String>> from, String with) {
        return from.stream().filter(each -> each.contains(with)).min((a, b) -> Integer.compare(a.size(), b.size()))
                .orElseThrow();
    }

    private void begin(boolean poll) {
        classes = new TreeSet<>();
        polls = poll;
        clocks = 0;
    }

    private TreeSet<String> end() {
        TreeSet<String> found = classes;
        classes = null;
        polls = false;
        return found;
    }
}
