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
 * The frames that we may send: one for each receive that the peer has granted, and of DATA four fewer.
 *
 * <pre>
 *   sent              granted
 *     |  DATA may     | R R R R |      all modulo 2^32
 * </pre>
 */
public final class CreditWindow {

    /** Receives that DATA leaves to control frames. */
    public static final int RESERVE = 4;
    /** The most that a peer may grant at a time: more is an error in its arithmetic. */
    public static final int MAX_AHEAD = 1 << 16;

    private final GrantedSizes sizes = new GrantedSizes();
    private int granted;
    private int sent;

    /** Nothing may be sent before {@link #begin}. */
    public CreditWindow() {
        this(0, 0);
    }

    /** The state after a number of frames: the counters wrap around only after 2^32 of them. */
    CreditWindow(int granted, int sent) {
        this.granted = granted;
        this.sent = sent;
    }

    /** The peer's connection data has arrived, and grants this number of receives, of so many bytes each. */
    public void begin(int receives, int bytes) {
        sizes.announced(sent, bytes);
        granted = receives;
    }

    /** Bytes of the receive that the next frame uses: the longest that it may have. */
    public int limit() {
        return sizes.of(sent + 1);
    }

    public boolean maySendData() {
        return granted - sent > RESERVE;
    }

    public boolean maySendControl() {
        return granted - sent > 0;
    }

    /** Frames of any type that may be sent. */
    public int available() {
        return granted - sent;
    }

    /** A frame is posted. */
    public void sent() {
        sent++;
    }

    /**
     * @param absolute receives that the peer has posted since the beginning, as one of its frames says.
     * @param receive bytes of each that is new; 0 if they are as long as those before.
     */
    public void granted(int absolute, int receive) throws ProtocolException {
        if (absolute - granted < 0) {
            throw new ProtocolException("credit goes back: " + Integer.toUnsignedString(absolute) + " granted, it was "
                    + Integer.toUnsignedString(granted));
        }
        // Not less than sent, but the difference may exceed an int.
        if (Integer.compareUnsigned(absolute - sent, MAX_AHEAD) > 0) {
            throw new ProtocolException("credit leaps: " + Integer.toUnsignedString(absolute) + " granted, "
                    + Integer.toUnsignedString(sent) + " sent");
        }
        if (receive != 0 && absolute != granted) {
            sizes.announced(granted, receive);
        }
        granted = absolute;
    }
}
