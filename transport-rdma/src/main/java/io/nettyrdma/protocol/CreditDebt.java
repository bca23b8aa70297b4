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
 * The credits that the peer has, and those that are not advertised yet.
 *
 * <pre>
 *   received          advertised         posted
 *      | in flight or    |  posted again,   |      all modulo 2^32
 *      | still to come   |  to advertise    |
 * </pre>
 */
public final class CreditDebt {

    private int posted;
    private int advertised;
    private int received;
    /** Maximum of receives that are posted at a time. */
    private int window;
    /** Control frames since the last advertisement: the peer does not wait for the receives that these have used. */
    private int control;
    /** Whether the last frame that advertised was DATA, and so the next one may be, too. */
    private boolean answers;
    /** Whether something was sent since the last advertisement that takes a receive of the peer and has no header. */
    private boolean silent;
    /** Whether the peer takes announcements of sizes. */
    private boolean announces;
    /** Bytes of the receives that are advertised next. */
    private int bytes;
    /** Whether the receives from {@link #boundary} on have another size: two sizes take two frames. */
    private boolean hasBoundary;
    private int boundary;
    private int bytesBehind;

    /** The peer has no credits before {@link #begin}. */
    public CreditDebt() {
        this(0, 0);
    }

    /** The state after a number of frames: the counters wrap around only after 2^32 of them. */
    CreditDebt(int granted, int received) {
        posted = granted;
        advertised = granted;
        window = granted - received;
        this.received = received;
    }

    /**
     * The first receives are posted, as many as there may be at a time. The connection data advertises them.
     *
     * @param size bytes of each.
     */
    public void begin(int receives, int size) {
        bytes = size;
        posted = receives;
        advertised = receives;
        window = receives;
    }

    /** The peer takes announcements of sizes. */
    public void announce() {
        announces = true;
    }

    /** Whether receives of another size may be posted: not before those of the size before are advertised. */
    public boolean mayChangeSize() {
        return announces && !hasBoundary;
    }

    /** {@code count} further receives are posted, of so many bytes each. */
    public void posted(int count, int size) {
        if (size != (hasBoundary ? bytesBehind : bytes)) {
            if (hasBoundary) {
                throw new IllegalStateException("receives of a third size before the first are advertised");
            }
            if (unadvertised() == 0) {
                bytes = size;
            } else {
                hasBoundary = true;
                boundary = posted;
                bytesBehind = size;
            }
        }
        posted += count;
    }

    /** Sets the number of receives at a time. If it shrinks, more may stay posted until frames have used them. */
    public void resized(int receives) {
        window = receives;
    }

    /** {@code count} receives that frames have used are not posted again, because the window has shrunk. */
    public void dropped(int count) {
        control = Math.max(0, control - count);
    }

    /** The credits that the next frame advertises. */
    public int toAdvertise() {
        return hasBoundary ? boundary : posted;
    }

    /** What the next frame announces: the bytes of each receive that it advertises; 0 if the peer takes no sizes. */
    public int toAnnounce() {
        return announces ? bytes : 0;
    }

    /** A frame that advertises {@link #toAdvertise} is posted. */
    public void advertised(FrameType by) {
        answers = by == FrameType.DATA;
        advertised = toAdvertise();
        if (hasBoundary) {
            hasBoundary = false;
            bytes = bytesBehind;
        }
        control = 0;
        silent = false;
    }

    /**
     * An immediate was sent. It has no header to advertise anything, and the peer answers many of them with CREDIT
     * frames: it would run out of receives for these if nothing else were sent.
     */
    public void sentImmediate() {
        silent = true;
    }

    /** Receives that are posted and not advertised yet. */
    public int unadvertised() {
        return posted - advertised;
    }

    /**
     * Whether a CREDIT frame is due: half of the receives that DATA may take, at least one, are not advertised, and the
     * peer runs low. Those that control frames have used do not count: two ends that owed each other a CREDIT for each
     * CREDIT would never be quiet. They do count while only immediates are sent.
     */
    public boolean isDue() {
        return isDueWith(0) && isLow() || silent && unadvertised() >= CreditWindow.RESERVE / 2;
    }

    /**
     * Whether the peer runs low: it has fewer than half of the credits that DATA may take. Before, a CREDIT frame can
     * wait for a DATA frame that carries the credits: the peer sends more, or needs none. If the last ones went with
     * DATA, an answer may follow from another thread, and half of that half suffices; at least one does.
     */
    public boolean isLow() {
        int enough = answers ? Math.max(1, batch(window) / 2) : batch(window);
        return outstanding() < CreditWindow.RESERVE + enough;
    }

    /** Whether so many receives are not advertised as soon as {@code more} are posted that it is worth a frame. */
    public boolean isDueWith(int more) {
        return posted + more - advertised - control >= batch(window);
    }

    /** The credit batch: how many receives, of a window of this size, are not advertised when a CREDIT frame is due. */
    public static int batch(int window) {
        return Math.max(1, (window - CreditWindow.RESERVE) / 2);
    }

    /** Receives that the application must leave of a window of this size, or the peer may stall. */
    public static int needed(int window) {
        return Math.min(window, batch(window) + 2 * CreditWindow.RESERVE);
    }

    /** A frame has arrived. */
    public void received(FrameType type) throws ProtocolException {
        received++;
        if (type != FrameType.DATA) {
            control++;
        }
        if (advertised - received < 0) {
            throw new ProtocolException("credit overrun: " + Integer.toUnsignedString(received) + " frames came, "
                    + Integer.toUnsignedString(advertised) + " were granted");
        }
    }

    /** Whether the peer has no credit for DATA, as far as its frames have arrived. */
    public boolean isUsedUp() {
        return outstanding() <= CreditWindow.RESERVE;
    }

    /** Frames that may arrive before more credits are advertised. */
    public int outstanding() {
        return advertised - received;
    }
}
