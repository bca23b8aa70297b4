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

import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.io.RdmaLoop;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * An id of the connection manager that is bound and does nothing else yet.
 *
 * @param id not attached to a registration.
 */
record CmBoundAddress(CmId id) implements BoundAddress {

    /** @throws IOException if the address is in use, or is not an address of this machine. */
    static CmBoundAddress bind(RdmaLoop loop, boolean reuses, InetSocketAddress local) throws IOException {
        CmId id = CmId.create(loop.cmEventChannel(), CmPortSpace.TCP);
        try {
            id.reuseAddress(reuses);
            id.bind(local);
            return new CmBoundAddress(id);
        } catch (VerbsException e) {
            LinkErrors.closeQuietly(id);
            throw LinkErrors.addressFailure(e);
        } catch (RuntimeException e) {
            LinkErrors.closeQuietly(id);
            throw e;
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /** Its events go to another loop from now on. If the loop that it was bound on has ended, the id is gone. */
    void move(RdmaLoop loop) throws IOException {
        id.migrate(loop.cmEventChannel());
    }

    @Override
    public void close() {
        LinkErrors.closeQuietly(id);
    }
}
