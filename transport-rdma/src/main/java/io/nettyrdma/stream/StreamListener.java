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

import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.recorder.ConnectionEnds;

import java.io.IOException;

/**
 * What a stream reports to its channel, on the loop's thread, from within {@link RdmaStream#completed}. At most one of
 * {@link #aborted} and {@link #failed} is called, once. Nothing is received after any of these calls. They must not
 * throw.
 */
public interface StreamListener extends ConnectionEnds {

    /** The peer has aborted the connection. */
    void aborted(AbortReason reason, String text);

    /**
     * A send has found that the peer, whose FIN came before, has left. The connection manager reports that too, before
     * or after. May be called several times.
     */
    void onPeerLeft();

    /**
     * The stream has more memory for receives than in the beginning: call {@link RdmaStream#calmDown} in intervals,
     * until it returns false. Called again and again until then.
     */
    void grown();

    /**
     * The connection cannot be used any more.
     *
     * @param cause a {@link io.nettyrdma.protocol.ProtocolException} if the peer violated the protocol, a
     *        {@link FailedCompletionException} if a work request failed, otherwise the exception of a verbs call.
     */
    void failed(IOException cause);
}
