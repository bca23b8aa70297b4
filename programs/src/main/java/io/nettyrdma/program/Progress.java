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
package io.nettyrdma.program;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeUnit;

/**
 * A last line on the terminal, rewritten each second: how long a program has run, and how long it still will. Nothing
 * of it gets into a pipe or a file. Threads may call it.
 *
 * <p>While it is open, {@link System#out} removes the line before it prints.
 */
public final class Progress implements AutoCloseable {

    /** To the first column, and without what is there. */
    private static final String CLEAR = "\r\033[K";
    private static final int NANOS_OF_SECOND = 1_000_000_000;

    private final PrintStream terminal;
    private final String name;
    private final long begin = System.nanoTime();
    private final Timer timer;
    private double share;
    private double expected;
    private boolean isDrawn;

    /** @param terminal where the line is drawn, {@code null} for none. */
    Progress(String name, PrintStream terminal) {
        this.name = name;
        this.terminal = terminal;
        timer = terminal == null ? null : new Timer("progress", true);
    }

    /**
     * {@return the line of this program, until it is closed}
     *
     * @param name of the program.
     */
    public static Progress start(String name) {
        Progress progress = new Progress(name, isTerminal() ? System.out : null);
        if (progress.terminal != null) {
            System.setOut(new PrintStream(progress.new Cleared(progress.terminal), true, StandardCharsets.UTF_8));
            long second = TimeUnit.SECONDS.toMillis(1);
            progress.timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    progress.draw();
                }
            }, second, second);
        }
        return progress;
    }

    /** What a JVM of every release says of a terminal differs; the kernel's link does not. */
    private static boolean isTerminal() {
        try {
            String file = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return System.getenv("CI") == null && (file.startsWith("/dev/pts/") || file.startsWith("/dev/tty"));
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /**
     * How much is done.
     *
     * @param done steps, or seconds.
     * @param all steps, or seconds.
     */
    public synchronized void done(double done, double all) {
        share = all > 0 ? Math.min(1, done / all) : 0;
    }

    /**
     * How long the rest takes, if that is known.
     *
     * @param seconds from now.
     */
    public synchronized void expect(double seconds) {
        expected = elapsed() + seconds;
    }

    private double elapsed() {
        return (System.nanoTime() - begin) / (double) NANOS_OF_SECOND;
    }

    /** The time that is left if the rest is as fast as what is done. */
    static String line(String name, double seconds, double share) {
        String left = share <= 0 ? "" : ", about " + time(seconds / share - seconds) + " left";
        return name + ": " + time(seconds) + " so far" + left;
    }

    private static String time(double seconds) {
        long rounded = Math.round(seconds);
        return String.format(Locale.ROOT, "%d:%02d", rounded / 60, rounded % 60);
    }

    synchronized void draw() {
        double seconds = elapsed();
        terminal.print(CLEAR + line(name, seconds, expected > 0 ? Math.min(1, seconds / expected) : share));
        terminal.flush();
        isDrawn = true;
    }

    private synchronized void clear() {
        if (isDrawn) {
            terminal.print(CLEAR);
            terminal.flush();
            isDrawn = false;
        }
    }

    @Override
    public void close() {
        if (terminal != null) {
            timer.cancel();
            clear();
            System.setOut(terminal);
        }
    }

    /** Output that begins where the line was. */
    final class Cleared extends FilterOutputStream {

        Cleared(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int value) throws IOException {
            synchronized (Progress.this) {
                clear();
                out.write(value);
            }
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            synchronized (Progress.this) {
                clear();
                out.write(bytes, offset, length);
            }
        }
    }
}
