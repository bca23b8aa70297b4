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
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.DeviceLimits;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;

import java.util.Arrays;

/**
 * The resources that one stream may use.
 *
 * @param receiveBuffer bytes of each of the first receives, including the header: the longest frame that they take.
 * @param maxReceiveBuffer bytes to which receives grow with the frames that arrive; {@code receiveBuffer} if they keep
 *        their size.
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
public record StreamConfig(int receiveBuffer, int maxReceiveBuffer, int initialWindow, int maxWindow, int sendQueue,
                           int sendSge, int maxInline, int zeroCopyThreshold, int framesPerPost, boolean unsignaled,
                           int longestMessage, boolean remoteAccess) {

    /**
     * 1 KiB with its header. Programs expect that a short message is read as a whole, as Netty's testsuite does of 1
     * KiB. The first receives and the slot of a connection's own frames take 16 KiB.
     */
    public static final int DEFAULT_RECEIVE_BUFFER = 1024 + FrameHeader.SIZE;
    /** A message of 64 KiB with its header. */
    public static final int DEFAULT_MAX_RECEIVE_BUFFER = (64 << 10) + FrameHeader.SIZE;
    public static final int DEFAULT_INITIAL_WINDOW = 14;
    public static final int DEFAULT_MAX_WINDOW = 128;
    public static final int DEFAULT_SEND_QUEUE = 128;
    public static final int DEFAULT_SEND_SGE = 4;
    /** A message of 64 bytes with its header. Decision 0015 lists what this costs on each provider. */
    public static final int DEFAULT_MAX_INLINE = 80;
    public static final int DEFAULT_ZERO_COPY_THRESHOLD = 2048;
    public static final int DEFAULT_FRAMES_PER_POST = 16;

    /** Between the payloads of one size of receives and the next. */
    private static final int SIZE_STEP = 8;
    private static final int BYTES_PER_RECEIVE = 8 << 10;

    public static final StreamConfig DEFAULT = new StreamConfig(DEFAULT_RECEIVE_BUFFER,
            DEFAULT_MAX_RECEIVE_BUFFER, DEFAULT_INITIAL_WINDOW, DEFAULT_MAX_WINDOW, DEFAULT_SEND_QUEUE,
            DEFAULT_SEND_SGE, DEFAULT_MAX_INLINE, DEFAULT_ZERO_COPY_THRESHOLD, DEFAULT_FRAMES_PER_POST, true,
            Integer.MAX_VALUE, false);

    /**
     * The protocol allows fewer receives. But of these, {@link CreditWindow#RESERVE} are not for data, as many may be
     * taken by control frames for which no CREDIT is due, and half of the rest wait until they are worth a frame.
     */
    public static final int MIN_WINDOW = 14;

    public StreamConfig {
        inRange("receiveBuffer", receiveBuffer, ConnectData.MIN_BUFFER, ConnectData.MAX_BUFFER);
        inRange("maxReceiveBuffer", maxReceiveBuffer, receiveBuffer, ConnectData.MAX_BUFFER);
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
        return new StreamConfig(receiveBuffer, maxReceiveBuffer, Math.min(initialWindow, max), max, sends,
                Math.min(sendSge, capabilities.maxSendSge()), Math.min(maxInline, capabilities.maxInline()),
                zeroCopyThreshold, Math.min(framesPerPost, sends), unsignaled && capabilities.unsignaledSends(),
                longestMessage, remoteAccess);
    }

    /**
     * The sizes that receives can have, from the first one to the largest that {@link #maxReceiveBuffer} and
     * {@link #longestMessage} allow. A window of the largest has no more bytes than {@link #windowBytes}.
     */
    public int[] receiveSizes() {
        long max = Math.min(Math.min(maxReceiveBuffer, longestMessage),
                FrameHeader.SIZE + windowBytes() / initialWindow);
        int[] sizes = { receiveBuffer };
        for (long size = receiveBuffer; size < max;) {
            long next = FrameHeader.SIZE + SIZE_STEP * (size - FrameHeader.SIZE);
            size = 2 * next > max ? max : next;
            sizes = Arrays.copyOf(sizes, sizes.length + 1);
            sizes[sizes.length - 1] = (int) size;
        }
        return sizes;
    }

    /** The most receives of this size that may be posted. */
    public int maxWindow(int size) {
        long fitting = windowBytes() / (size - FrameHeader.SIZE);
        return maxReceiveBuffer == receiveBuffer ? maxWindow
                : (int) Math.max(initialWindow, Math.min(maxWindow, fitting));
    }

    /** Bytes of a window: as many as receives of 8 KiB would have. */
    private long windowBytes() {
        return (long) maxWindow * BYTES_PER_RECEIVE;
    }

    /** Returns the configuration of a queue pair for such a stream. */
    public QueuePairConfig queuePair() {
        return new QueuePairConfig(QueuePairType.RC, sendQueue).withDepth(sendQueue, maxWindow).withSge(sendSge, 1)
                .withInline(maxInline);
    }

    /** All receives have this size. */
    public StreamConfig withReceiveBuffer(int bytes) {
        return withReceiveBuffers(bytes, bytes);
    }

    /** The size of receives follows the traffic, from the present one to {@code max} bytes. */
    public StreamConfig withMaxReceiveBuffer(int max) {
        return withReceiveBuffers(receiveBuffer, max);
    }

    /** The same, from {@code first} bytes. */
    public StreamConfig withReceiveBuffers(int first, int max) {
        return new StreamConfig(first, max, initialWindow, maxWindow, sendQueue, sendSge, maxInline, zeroCopyThreshold,
                framesPerPost, unsignaled, longestMessage, remoteAccess);
    }

    public StreamConfig withWindow(int initial, int max) {
        return new StreamConfig(receiveBuffer, maxReceiveBuffer, initial, max, sendQueue, sendSge, maxInline,
                zeroCopyThreshold, framesPerPost, unsignaled, longestMessage, remoteAccess);
    }

    /** Also limits the frames of one post to the size of the queue. */
    public StreamConfig withSendQueue(int frames) {
        return new StreamConfig(receiveBuffer, maxReceiveBuffer, initialWindow, maxWindow, frames, sendSge, maxInline,
                zeroCopyThreshold, Math.min(framesPerPost, frames), unsignaled, longestMessage, remoteAccess);
    }

    public StreamConfig withSendSge(int max) {
        return new StreamConfig(receiveBuffer, maxReceiveBuffer, initialWindow, maxWindow, sendQueue, max, maxInline,
                zeroCopyThreshold, framesPerPost, unsignaled, longestMessage, remoteAccess);
    }

    public StreamConfig withMaxInline(int bytes) {
        return new StreamConfig(receiveBuffer, maxReceiveBuffer, initialWindow, maxWindow, sendQueue, sendSge, bytes,
                zeroCopyThreshold, framesPerPost, unsignaled, longestMessage, remoteAccess);
    }

    public StreamConfig withZeroCopyThreshold(int bytes) {
        return new StreamConfig(receiveBuffer, maxReceiveBuffer, initialWindow, maxWindow, sendQueue, sendSge,
                maxInline, bytes, framesPerPost, unsignaled, longestMessage, remoteAccess);
    }

    public StreamConfig withFramesPerPost(int frames) {
        return new StreamConfig(receiveBuffer, maxReceiveBuffer, initialWindow, maxWindow, sendQueue, sendSge,
                maxInline, zeroCopyThreshold, frames, unsignaled, longestMessage, remoteAccess);
    }

    public StreamConfig withUnsignaled(boolean may) {
        return new StreamConfig(receiveBuffer, maxReceiveBuffer, initialWindow, maxWindow, sendQueue, sendSge,
                maxInline, zeroCopyThreshold, framesPerPost, may, longestMessage, remoteAccess);
    }

    public StreamConfig withRemoteAccess(boolean allowed, int longest) {
        return new StreamConfig(receiveBuffer, maxReceiveBuffer, initialWindow, maxWindow, sendQueue, sendSge,
                maxInline, zeroCopyThreshold, framesPerPost, unsignaled, longest, allowed);
    }

    private static void inRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is between " + min + " and " + max + ", not " + value);
        }
    }
}
