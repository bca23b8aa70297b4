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
package io.nettyrdma.grpc;

import io.nettyrdma.fallback.RdmaOrTcp;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Whether the providers work with the grpc-java and the Netty that are here. If not, grpc uses its own. Any thread.
 */
final class Usability {

    /** grpc's own provider for Netty has 5. */
    static final int PRIORITY = 6;

    private static final Logger LOGGER = Logger.getLogger(RdmaChannelProvider.class.getName());
    private static final boolean IS_USABLE = check();

    private Usability() {
    }

    static boolean isUsable() {
        return IS_USABLE;
    }

    private static boolean check() {
        try {
            RdmaOrTcp.newIoHandlerFactory();
            RdmaServers.newBuilder(0);
            RdmaChannels.newBuilder("localhost", 1);
            return true;
        } catch (RuntimeException | LinkageError e) {
            LOGGER.log(Level.WARNING, "gRPC does not use RDMA: grpc-netty or Netty 4.2 is missing, or this grpc-java"
                    + " is of an unknown version", e);
            return false;
        }
    }
}
