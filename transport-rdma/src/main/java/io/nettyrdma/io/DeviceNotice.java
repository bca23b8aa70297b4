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
package io.nettyrdma.io;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.Rdma;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Says once, for each device that event loops use, which it is and how far it reaches. */
final class DeviceNotice {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(Rdma.class);
    private static final Set<String> GIVEN = ConcurrentHashMap.newKeySet();

    private DeviceNotice() {
    }

    /** Any thread. */
    static void give(RdmaDeviceInfo device) {
        if (GIVEN.add(device.name())) {
            LOGGER.info("RDMA uses the device {}{}", device.name(), device.reachesOtherHosts() ? " of this system"
                    : ", which is software and reaches programs on this machine only");
        }
    }
}
