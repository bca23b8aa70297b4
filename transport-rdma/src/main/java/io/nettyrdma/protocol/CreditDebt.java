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
package io.nettyrdma.protocol;

/**
 * What the peer may send us, and what of it we have not told yet.
 *
 * <pre>
 *   received           told               posted
 *      | under way or    |  posted again,   |      all modulo 2^32
 *      | still to come   |  to be told      |
 * </pre>
 */
public final class CreditDebt {

    private int posted;
    private int told;
    private int received;
    /** Receives that are posted at a time, at most. */
    private int window;
    /** Frames of control that have come since the peer was told last: for their receives nobody waits. */
    private int control;

    /** @param granted receives that are posted, and told by the connection data. */
    public CreditDebt(int granted) {
        this(granted, 0);
    }

    /** As it is when so many frames have come: where the counters wrap around is 2^32 frames away. */
    CreditDebt(int granted, int received) {
        posted = granted;
        told = granted;
        window = granted - received;
        this.received = received;
    }

    /** So many more receives are posted. */
    public void posted(int count) {
        posted += count;
    }

    /** From now on there are so many at a time; of those that are posted, too many may still come to be used. */
    public void resized(int receives) {
        window = receives;
    }

    /** So many receives that frames have taken are not posted again, because there are to be fewer. */
    public void dropped(int count) {
        control = Math.max(0, control - count);
    }

    /** What the next frame says. */
    public int toTell() {
        return posted;
    }

    /** A frame that says so is posted. */
    public void told() {
        told = posted;
        control = 0;
    }

    /** Receives that were posted and not told. */
    public int untold() {
        return posted - told;
    }

    /**
     * Whether a frame of its own is due: half of the receives that DATA may take wait to be told, at the least one.
     * What frames of control had does not count: two ends that owed each other a CREDIT for each CREDIT would never be
     * quiet.
     */
    public boolean isDue() {
        return isDueWith(0);
    }

    /** Whether it is due as soon as so many more are posted. */
    public boolean isDueWith(int more) {
        return posted + more - told - control >= lot(window);
    }

    /** How many receives, of a window of so many, wait to be told before a frame of its own is due. */
    public static int lot(int window) {
        return Math.max(1, (window - CreditWindow.RESERVE) / 2);
    }

    /** A frame has come. */
    public void received(FrameType type) throws ProtocolException {
        received++;
        if (type != FrameType.DATA) {
            control++;
        }
        if (told - received < 0) {
            throw new ProtocolException("credit overrun: " + Integer.toUnsignedString(received) + " frames came, "
                    + Integer.toUnsignedString(told) + " were granted");
        }
    }

    /** Frames that may come without more being told. */
    public int outstanding() {
        return told - received;
    }
}
