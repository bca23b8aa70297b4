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
package io.nettyrdma.testsuite.support;

import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.verbs.VerbsException;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Ids that listen for connections at a port that the connection manager chooses. With siw TCP listens there, and may
 * use that port already: another id gets another port.
 */
public final class AnyPort {

    private static final int MOST_PORTS = 16;

    private AnyPort() {
    }

    public static CmId listen(CmEventChannel channel, InetAddress address, int backlog) throws VerbsException {
        for (int port = 1; ; port++) {
            CmId id = CmId.create(channel, CmPortSpace.TCP);
            try {
                id.bind(new InetSocketAddress(address, 0));
                id.listen(backlog);
                return id;
            } catch (VerbsException e) {
                id.close();
                if (!e.isAddressInUse() || port == MOST_PORTS) {
                    throw e;
                }
            }
        }
    }
}
