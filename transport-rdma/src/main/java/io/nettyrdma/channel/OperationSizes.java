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
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.MessageSizeEstimator;
import io.nettyrdma.remote.RemoteOperation;

/** Counts remote operations for writability by the bytes that they move, also those of reads. */
final class OperationSizes implements MessageSizeEstimator {

    static final MessageSizeEstimator INSTANCE = new OperationSizes();

    private OperationSizes() {
    }

    @Override
    public Handle newHandle() {
        Handle others = DefaultMessageSizeEstimator.DEFAULT.newHandle();
        return message -> !(message instanceof ByteBuf) && message instanceof RemoteOperation operation
                ? operation.length() : others.size(message);
    }
}
