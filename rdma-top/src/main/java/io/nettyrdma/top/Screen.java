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
package io.nettyrdma.top;

import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaGauge;

import java.util.Locale;
import java.util.Map;

/** The text of one screen: what has happened between two samples, and what there is at the second. */
final class Screen {

    private static final double SECOND = 1e9;
    private static final double MEGA = 1e6;
    private static final double MEBI = 1 << 20;
    private static final double PERCENT = 100;
    private static final int THREAD_WIDTH = 32;
    private static final String ROW = "%4s %-32s %5s %8s %9s %9s %10s %10s %6s %6s %6s\n";

    private final Sample before;
    private final Sample now;
    private final StringBuilder text = new StringBuilder();

    private Screen(Sample before, Sample now) {
        this.before = before;
        this.now = now;
    }

    static String of(String title, Sample before, Sample now) {
        Screen screen = new Screen(before, now);
        screen.text.append("process      ").append(title).append('\n');
        screen.connections();
        screen.traffic();
        screen.stalls();
        screen.memory();
        screen.loops();
        return screen.text.toString();
    }

    private void line(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private void connections() {
        line("connections  %,d open, %,d opening, %,d draining, %,d departing; %,d listeners, %,d datagram channels",
                now.sum(RdmaGauge.CONNECTIONS_OPEN), now.sum(RdmaGauge.CONNECTIONS_OPENING),
                now.sum(RdmaGauge.CONNECTIONS_DRAINING), now.sum(RdmaGauge.CONNECTIONS_DEPARTING),
                now.sum(RdmaGauge.LISTENERS), now.sum(RdmaGauge.DATAGRAM_CHANNELS));
        line("since begin  %,d connected, %,d accepted, %,d failed, %,d handshakes failed, %,d refused",
                now.sum(RdmaCounter.CONNECTIONS_MADE), now.sum(RdmaCounter.CONNECTIONS_ACCEPTED),
                now.sum(RdmaCounter.CONNECTIONS_FAILED), now.sum(RdmaCounter.HANDSHAKES_FAILED),
                now.sum(RdmaCounter.REQUESTS_REFUSED) + now.sum(RdmaCounter.REQUESTS_BEYOND_BACKLOG)
                        + now.sum(RdmaCounter.CHILDREN_REFUSED));
    }

    private void traffic() {
        double staged = rate(RdmaCounter.BYTES_STAGED);
        double gathered = rate(RdmaCounter.BYTES_GATHERED);
        double inline = rate(RdmaCounter.BYTES_INLINE);
        double out = staged + gathered + inline;
        line("out          %,.1f MB/s, %,.0f messages/s; copied %.0f %%, gathered %.0f %%, inline %.0f %%", out / MEGA,
                rate(RdmaCounter.MESSAGES_STAGED) + rate(RdmaCounter.MESSAGES_GATHERED)
                        + rate(RdmaCounter.MESSAGES_INLINE),
                share(staged, out), share(gathered, out), share(inline, out));
        line("in           %,.1f MB/s, %,.0f messages/s; windows of %,d receives, %,d sends in flight",
                rate(RdmaCounter.BYTES_RECEIVED) / MEGA, rate(RdmaCounter.MESSAGES_RECEIVED),
                now.sum(RdmaGauge.RECEIVES_UP_TO_1_KIB) + now.sum(RdmaGauge.RECEIVES_UP_TO_8_KIB)
                        + now.sum(RdmaGauge.RECEIVES_UP_TO_64_KIB) + now.sum(RdmaGauge.RECEIVES_LARGER),
                now.sum(RdmaGauge.SENDS_IN_FLIGHT));
        line("remote       written %,.1f MB/s, read %,.1f MB/s, %,.0f operations/s",
                rate(RdmaCounter.REMOTE_BYTES_WRITTEN) / MEGA, rate(RdmaCounter.REMOTE_BYTES_READ) / MEGA,
                rate(RdmaCounter.REMOTE_WRITES) + rate(RdmaCounter.REMOTE_READS)
                        + rate(RdmaCounter.REMOTE_ATOMICS));
    }

    /** A stall counts its time when it is over. */
    private void stalls() {
        line("stalls       now %,d for credits, %,d for the queue; %,.0f/s for credits, %,.0f/s for the queue;"
                + " those that ended lasted %,.0f ms",
                now.sum(RdmaGauge.CREDIT_STALLED), now.sum(RdmaGauge.QUEUE_STALLED),
                rate(RdmaCounter.CREDIT_STALLS), rate(RdmaCounter.QUEUE_STALLS),
                (change(RdmaCounter.CREDIT_STALL_NANOS) + change(RdmaCounter.QUEUE_STALL_NANOS)) / MEGA);
    }

    private void memory() {
        StringBuilder devices = new StringBuilder();
        for (Map.Entry<String, Long> each : now.registered().entrySet()) {
            devices.append(String.format(Locale.ROOT, ", %,.1f MiB registered with %s", each.getValue() / MEBI,
                    each.getKey()));
        }
        line("memory       %,.1f MiB from the system%s", now.committed() / MEBI, devices);
    }

    private void loops() {
        text.append('\n').append(String.format(Locale.ROOT, ROW, "loop", "thread", "open", "stalled", "out MB/s",
                "in MB/s", "out msg/s", "in msg/s", "work%", "spin%", "sleep%"));
        for (Sample.Loop loop : now.loops()) {
            Sample.Loop then = before.loop(loop.key());
            double out = rate(then, loop, RdmaCounter.BYTES_STAGED) + rate(then, loop, RdmaCounter.BYTES_GATHERED)
                    + rate(then, loop, RdmaCounter.BYTES_INLINE);
            double messages = rate(then, loop, RdmaCounter.MESSAGES_STAGED)
                    + rate(then, loop, RdmaCounter.MESSAGES_GATHERED) + rate(then, loop, RdmaCounter.MESSAGES_INLINE);
            text.append(String.format(Locale.ROOT, ROW, loop.index(), shortened(loop.thread()),
                    number(loop.get(RdmaGauge.CONNECTIONS_OPEN)),
                    number(loop.get(RdmaGauge.CREDIT_STALLED) + loop.get(RdmaGauge.QUEUE_STALLED)),
                    decimal(out / MEGA), decimal(rate(then, loop, RdmaCounter.BYTES_RECEIVED) / MEGA),
                    number(Math.round(messages)), number(Math.round(rate(then, loop, RdmaCounter.MESSAGES_RECEIVED))),
                    time(then, loop, RdmaCounter.NANOS_WORKING), time(then, loop, RdmaCounter.NANOS_SPINNING),
                    time(then, loop, RdmaCounter.NANOS_ASLEEP)));
        }
    }

    private static String shortened(String thread) {
        return thread.length() <= THREAD_WIDTH ? thread : "..." + thread.substring(thread.length() - THREAD_WIDTH + 3);
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%,.1f", value);
    }

    private String time(Sample.Loop then, Sample.Loop loop, RdmaCounter counter) {
        return String.format(Locale.ROOT, "%.0f", Math.min(PERCENT, rate(then, loop, counter) / SECOND * PERCENT));
    }

    private static double share(double part, double whole) {
        return whole == 0 ? 0 : part / whole * PERCENT;
    }

    private double seconds() {
        return (now.nanos() - before.nanos()) / SECOND;
    }

    /** A loop that has begun meanwhile counts from 0. One that has ended is left out. */
    private static long change(Sample.Loop then, Sample.Loop loop, RdmaCounter counter) {
        long past = then == null ? 0 : then.get(counter);
        // Another loop may have got the number.
        return loop.get(counter) >= past ? loop.get(counter) - past : loop.get(counter);
    }

    private double rate(Sample.Loop then, Sample.Loop loop, RdmaCounter counter) {
        return change(then, loop, counter) / seconds();
    }

    private long change(RdmaCounter counter) {
        return now.loops().stream().mapToLong(each -> change(before.loop(each.key()), each, counter)).sum();
    }

    private double rate(RdmaCounter counter) {
        return change(counter) / seconds();
    }
}
