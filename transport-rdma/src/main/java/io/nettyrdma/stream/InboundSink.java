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

import io.netty.buffer.ByteBuf;
import io.nettyrdma.protocol.AbortReason;

import java.io.IOException;

/**
 * What a stream tells its channel, on the loop's thread, from within {@link RdmaStream#completed}. The methods must not
 * throw. After {@link #abort} or {@link #failed}, of which there is at most one, nothing comes any more.
 */
public interface InboundSink {

    /**
     * Bytes of the stream. The reference is the sink's; until it is released, the peer can send one frame less. Before
     * the application gets them, whole or in parts, they go through {@link RdmaStream#deliver}.
     */
    void data(ByteBuf bytes);

    /** The peer will send no more bytes. At most once. */
    void fin();

    /** The peer gave the connection up. */
    void abort(AbortReason reason, String text);

    /**
     * The connection cannot be used any more.
     *
     * @param cause a {@link io.nettyrdma.protocol.ProtocolException} if the peer broke the protocol, a
     *        {@link FailedCompletionException} if a work request failed, else what a call of verbs said.
     */
    void failed(IOException cause);
}
