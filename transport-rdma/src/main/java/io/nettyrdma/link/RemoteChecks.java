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
package io.nettyrdma.link;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.remote.RdmaAtomic;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.stream.RdmaStream;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;

/**
 * Finds remote operations that cannot work, when they are written: sent, they would end the connection. What only the
 * peer's device knows, such as a wrong key, does end it.
 */
final class RemoteChecks {

    private RemoteChecks() {
    }

    static void check(RemoteOperation operation, RdmaStream stream, RdmaDevice device) throws VerbsException {
        if (!stream.peerHas(ConnectData.REMOTE_ACCESS)) {
            throw new UnsupportedOperationException(operation + ": the peer allows no remote access, the option"
                    + " REMOTE_ACCESS of its channel");
        }
        if (operation instanceof RdmaWrite write) {
            if (write.hasImmediate() && write.immediate() < 0) {
                throw new IllegalArgumentException("an immediate has 31 bits on a connection, which needs the highest:"
                        + " " + write.immediate());
            }
            if (write.hasImmediate() && !device.capabilities().immediate()) {
                throw unsupported(device, "no immediates: write without one, and a message behind it");
            }
        } else if (operation instanceof RdmaRead read) {
            if (!device.capabilities().localReads()) {
                throw unsupported(device, "no reads into ordinary buffers: let the peer write");
            }
            checkRegistered(stream, read.into(), read.index(), read.length());
        } else {
            if (!device.capabilities().atomics()) {
                throw unsupported(device, "no atomics");
            }
            ByteBuf result = ((RdmaAtomic) operation).result();
            checkRegistered(stream, result, result.writerIndex(), RdmaAtomic.SIZE);
        }
    }

    private static void checkRegistered(RdmaStream stream, ByteBuf buffer, int index, int length) {
        if (!stream.isRegistered(buffer, index, length)) {
            throw new IllegalArgumentException("the device cannot write to " + buffer + ": use a buffer of an"
                    + " RdmaByteBufAllocator that is not composite");
        }
    }

    private static UnsupportedOperationException unsupported(RdmaDevice device, String what) {
        return new UnsupportedOperationException(device.name() + " has " + what);
    }
}
