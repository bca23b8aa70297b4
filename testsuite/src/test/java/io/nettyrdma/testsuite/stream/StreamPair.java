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
package io.nettyrdma.testsuite.stream;

import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.RdmaDevice;

import java.io.IOException;
import java.util.function.UnaryOperator;

/** Two connected ends of a stream in this process. The test's thread is the loop of both. */
final class StreamPair implements AutoCloseable {

    final StreamEnd left;
    final StreamEnd right;
    private final RcPair pair;

    StreamPair(StreamConfig both) throws Exception {
        this(both, both);
    }

    StreamPair(StreamConfig leftConfig, StreamConfig rightConfig) throws Exception {
        this(leftConfig, rightConfig, UnaryOperator.identity());
    }

    /** @param ofLeft changes what the right end hears of the left one. */
    StreamPair(StreamConfig leftConfig, StreamConfig rightConfig, UnaryOperator<ConnectData> ofLeft) throws Exception {
        pair = new RcPair(settings(leftConfig), settings(rightConfig));
        try {
            left = new StreamEnd(pair.left(), limited(leftConfig));
            right = new StreamEnd(pair.rightHere(), limited(rightConfig));
            ConnectData offer = left.offer();
            ConnectData ofRight = right.offer();
            left.stream.connected(ofRight, false);
            right.stream.connected(ofLeft.apply(offer), false);
        } catch (Throwable e) {
            pair.close();
            throw e;
        }
    }

    /** Limits a configuration to what the device under test supports. */
    static StreamConfig limited(StreamConfig config) {
        RdmaDevice device = TestDevice.get().device();
        return config.limitedTo(device.limits(), TestDevice.get().capabilities());
    }

    /** Runs both ends until the condition holds. */
    void until(String awaited, Deadline.Condition condition) throws Exception {
        Deadline deadline = Deadline.standard();
        while (!condition.holds()) {
            if (!turn()) {
                deadline.pause(() -> awaited + "; left: " + left.stream + ", right: " + right.stream);
            }
        }
    }

    /** Runs one turn of both ends. Returns whether either had anything to do. */
    boolean turn() throws IOException {
        return left.turn() | right.turn();
    }

    @Override
    public void close() throws IOException {
        pair.close();
    }

    private static RcSettings settings(StreamConfig config) {
        return RcSettings.of(ApiVariant.preferred()).withQueues(limited(config).queuePair());
    }
}
