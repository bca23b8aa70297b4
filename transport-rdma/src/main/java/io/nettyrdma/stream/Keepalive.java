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
package io.nettyrdma.stream;

/**
 * Whether the peer is to be asked, or to be given up. Arithmetic only: times are nanoseconds of the caller's clock,
 * who also has the timer.
 *
 * <pre>
 *   heard              ASK                        DEAD
 *     |---- idle ------->|                         |
 *     |------------------ timeout ---------------->|
 * </pre>
 *
 * A frame costs no look at the clock: that something was heard is noticed at the next check, and dated then.
 */
public final class Keepalive {

    /** What a check found. */
    public enum Step {
        QUIET,
        /** A PING is due. */
        ASK,
        /** Nothing was heard for too long. */
        DEAD
    }

    private final long idle;
    private final long timeout;
    private long lastHeard;
    private boolean heard;

    /** Asked since it was last heard: at most one PING is unanswered. */
    private boolean asked;

    /**
     * @param idle silence after which the peer is asked.
     * @param timeout silence after which it is dead, more than {@code idle}.
     */
    public Keepalive(long idle, long timeout, long now) {
        if (idle <= 0 || timeout <= idle) {
            throw new IllegalArgumentException("a peer is asked after " + idle + " ns and dead after " + timeout
                    + " ns: both are positive and the second is longer");
        }
        this.idle = idle;
        this.timeout = timeout;
        lastHeard = now;
    }

    /** A frame came, whatever it was. */
    public void heard() {
        heard = true;
    }

    public Step check(long now) {
        if (heard) {
            heard = false;
            asked = false;
            lastHeard = now;
            return Step.QUIET;
        }
        if (now - lastHeard >= timeout) {
            return Step.DEAD;
        }
        if (!asked && now - lastHeard >= idle) {
            asked = true;
            return Step.ASK;
        }
        return Step.QUIET;
    }

    /** Nanoseconds from {@code now} until the next check can find something, at least 1. */
    public long nextCheck(long now) {
        return Math.max(1, lastHeard + (asked ? timeout : idle) - now);
    }
}
