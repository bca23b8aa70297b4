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

import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.CreditWindow;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.DeviceLimits;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;

/**
 * The resources that one stream may use.
 *
 * @param receiveBuffer bytes of each receive, including the header: the longest frame that the peer may send.
 * @param initialWindow receives that are posted at the beginning, {@link #MIN_WINDOW} or more. The peer may send 4 DATA
 *        frames less at once.
 * @param maxWindow maximum of posted receives, when there is much traffic.
 * @param sendQueue maximum of frames in flight.
 * @param sendSge SGEs of one frame, including the header's.
 * @param maxInline bytes of the longest frame that is sent inline. The device may grant more or none.
 * @param zeroCopyThreshold bytes from which registered memory is gathered; less is copied.
 * @param framesPerPost maximum of frames that one native call posts.
 * @param unsignaled whether the completion of a frame may retire those before it; otherwise each frame is signaled.
 * @param longestMessage bytes of the longest frame, RDMA write or read.
 * @param remoteAccess whether the peer may access exposed memory, and write with immediates.
 */
public record StreamConfig(int receiveBuffer, int initialWindow, int maxWindow, int sendQueue, int sendSge,
                           int maxInline, int zeroCopyThreshold, int framesPerPost, boolean unsignaled,
                           int longestMessage, boolean remoteAccess) {

    public static final int DEFAULT_RECEIVE_BUFFER = 8192;
    public static final int DEFAULT_INITIAL_WINDOW = 16;
    public static final int DEFAULT_MAX_WINDOW = 128;
    public static final int DEFAULT_SEND_QUEUE = 128;
    public static final int DEFAULT_SEND_SGE = 4;
    /** A message of 64 bytes with its header. Decision 0015 lists what this costs on each provider. */
    public static final int DEFAULT_MAX_INLINE = 80;
    public static final int DEFAULT_ZERO_COPY_THRESHOLD = 2048;
    public static final int DEFAULT_FRAMES_PER_POST = 16;

    public static final StreamConfig DEFAULT = new StreamConfig(DEFAULT_RECEIVE_BUFFER, DEFAULT_INITIAL_WINDOW,
            DEFAULT_MAX_WINDOW, DEFAULT_SEND_QUEUE, DEFAULT_SEND_SGE, DEFAULT_MAX_INLINE, DEFAULT_ZERO_COPY_THRESHOLD,
            DEFAULT_FRAMES_PER_POST, true, Integer.MAX_VALUE, false);

    /**
     * The protocol allows fewer receives. But of these, {@link CreditWindow#RESERVE} are not for data, as many may be
     * taken by control frames for which no CREDIT is due, and half of the rest wait until they are worth a frame.
     */
    public static final int MIN_WINDOW = 16;

    public StreamConfig {
        inRange("receiveBuffer", receiveBuffer, ConnectData.MIN_BUFFER, ConnectData.MAX_BUFFER);
        inRange("initialWindow", initialWindow, MIN_WINDOW, ConnectData.MAX_GRANTED);
        inRange("maxWindow", maxWindow, initialWindow, ConnectData.MAX_GRANTED);
        inRange("sendQueue", sendQueue, 1, 1 << 20);
        inRange("sendSge", sendSge, 1, 1 << 10);
        inRange("maxInline", maxInline, 0, ConnectData.MAX_BUFFER);
        inRange("zeroCopyThreshold", zeroCopyThreshold, 1, Integer.MAX_VALUE);
        inRange("framesPerPost", framesPerPost, 1, sendQueue);
        inRange("longestMessage", longestMessage, 1, Integer.MAX_VALUE);
    }

    /** Returns this configuration, limited to what the device supports. */
    public StreamConfig limitedTo(DeviceLimits limits, DeviceCapabilities capabilities) {
        int depth = limits.workRequests();
        int max = Math.min(maxWindow, depth);
        int sends = Math.min(sendQueue, depth);
        return new StreamConfig(receiveBuffer, Math.min(initialWindow, max), max, sends,
                Math.min(sendSge, capabilities.maxSendSge()), Math.min(maxInline, capabilities.maxInline()),
                zeroCopyThreshold, Math.min(framesPerPost, sends), unsignaled && capabilities.unsignaledSends(),
                longestMessage, remoteAccess);
    }

    /** Returns the configuration of a queue pair for such a stream. */
    public QueuePairConfig queuePair() {
        return new QueuePairConfig(QueuePairType.RC, sendQueue).withDepth(sendQueue, maxWindow).withSge(sendSge, 1)
                .withInline(maxInline);
    }

    public StreamConfig withReceiveBuffer(int bytes) {
        return new StreamConfig(bytes, initialWindow, maxWindow, sendQueue, sendSge, maxInline, zeroCopyThreshold,
                framesPerPost, unsignaled, longestMessage,
                remoteAccess);
    }

    public StreamConfig withWindow(int initial, int max) {
        return new StreamConfig(receiveBuffer, initial, max, sendQueue, sendSge, maxInline, zeroCopyThreshold,
                framesPerPost, unsignaled, longestMessage,
                remoteAccess);
    }

    /** Also limits the frames of one post to the size of the queue. */
    public StreamConfig withSendQueue(int frames) {
        return new StreamConfig(receiveBuffer, initialWindow, maxWindow, frames, sendSge, maxInline,
                zeroCopyThreshold, Math.min(framesPerPost, frames), unsignaled, longestMessage,
                remoteAccess);
    }

    public StreamConfig withSendSge(int max) {
        return new StreamConfig(receiveBuffer, initialWindow, maxWindow, sendQueue, max, maxInline,
                zeroCopyThreshold, framesPerPost, unsignaled, longestMessage,
                remoteAccess);
    }

    public StreamConfig withMaxInline(int bytes) {
        return new StreamConfig(receiveBuffer, initialWindow, maxWindow, sendQueue, sendSge, bytes,
                zeroCopyThreshold, framesPerPost, unsignaled, longestMessage,
                remoteAccess);
    }

    public StreamConfig withZeroCopyThreshold(int bytes) {
        return new StreamConfig(receiveBuffer, initialWindow, maxWindow, sendQueue, sendSge, maxInline, bytes,
                framesPerPost, unsignaled, longestMessage,
                remoteAccess);
    }

    public StreamConfig withFramesPerPost(int frames) {
        return new StreamConfig(receiveBuffer, initialWindow, maxWindow, sendQueue, sendSge, maxInline,
                zeroCopyThreshold, frames, unsignaled, longestMessage,
                remoteAccess);
    }

    public StreamConfig withUnsignaled(boolean may) {
        return new StreamConfig(receiveBuffer, initialWindow, maxWindow, sendQueue, sendSge, maxInline,
                zeroCopyThreshold, framesPerPost, may, longestMessage,
                remoteAccess);
    }

    public StreamConfig withRemoteAccess(boolean allowed, int longest) {
        return new StreamConfig(receiveBuffer, initialWindow, maxWindow, sendQueue, sendSge, maxInline,
                zeroCopyThreshold, framesPerPost, unsignaled, longest, allowed);
    }

    private static void inRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is between " + min + " and " + max + ", not " + value);
        }
    }
}
