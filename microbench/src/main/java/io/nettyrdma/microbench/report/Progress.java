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
package io.nettyrdma.microbench.report;

import java.util.Locale;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;

/**
 * Shows what runs, for how long already, and how long the rest will take: a line that changes on a terminal, and else a
 * line from time to time. The rest is the plan, corrected by how long the sections took that have ended.
 */
final class Progress implements AutoCloseable {

    private static final int WIDTH = 110;

    private final boolean isTerminal = System.console() != null;
    private final Timer timer = new Timer("progress", true);
    private final double planned;
    private final long begin = System.nanoTime();
    private String subject = "";
    private String detail = "";
    private double plannedBefore;
    private double plannedNow;
    private long sectionBegin = begin;

    /** @param planned seconds of all sections. */
    Progress(double planned) {
        this.planned = planned;
        long period = TimeUnit.SECONDS.toMillis(isTerminal ? 1 : 15);
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                show();
            }
        }, period, period);
    }

    /** @param seconds planned for this section. */
    synchronized void begin(String section, double seconds) {
        plannedBefore += plannedNow;
        plannedNow = seconds;
        sectionBegin = System.nanoTime();
        subject = section;
        detail = "";
        show();
    }

    /** A line of output that says how far the section is. */
    synchronized void detail(String text) {
        detail = text;
    }

    /** A line that stays. */
    synchronized void say(String text) {
        System.err.println((isTerminal ? "\r\033[K" : "") + text);
    }

    private synchronized void show() {
        long left = Math.round(left(elapsed(begin), elapsed(sectionBegin)));
        String line = String.format(Locale.ROOT, "report: %s%s: %s so far, about %s left", subject,
                detail.isEmpty() ? "" : ", " + detail, time(Math.round(elapsed(begin))), time(left));
        if (isTerminal) {
            System.err.print("\r\033[K" + line.substring(0, Math.min(line.length(), WIDTH)));
        } else {
            System.err.println(line);
        }
    }

    private double left(double elapsed, double inSection) {
        double slower = plannedBefore == 0 ? 1 : (elapsed - inSection) / plannedBefore;
        return Math.max(0, plannedNow * slower - inSection) + (planned - plannedBefore - plannedNow) * slower;
    }

    private static double elapsed(long since) {
        return (System.nanoTime() - since) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    static String time(long seconds) {
        return String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60);
    }

    @Override
    public void close() {
        timer.cancel();
        if (isTerminal) {
            System.err.print("\r\033[K");
        }
    }
}
