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
package io.nettyrdma.datagram;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.io.RdmaLoop;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.util.List;

/**
 * The devices that exist when a channel is bound, for the choice of one. Belongs to the event loop.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class DatagramDevices {

    private final RdmaLoop loop;
    private final List<RdmaDeviceInfo> all;

    private DatagramDevices(RdmaLoop loop, List<RdmaDeviceInfo> all) {
        this.loop = loop;
        this.all = all;
    }

    static DatagramDevices of(RdmaLoop loop) throws IOException {
        return new DatagramDevices(loop, RdmaDevice.list());
    }

    /** {@return all devices} */
    public List<RdmaDeviceInfo> all() {
        return all;
    }

    /**
     * {@return what a device can do} The loop opens the device, and keeps it open.
     *
     * @param of one of {@link #all}.
     * @throws IOException if the device cannot be asked, with the reason.
     */
    public DeviceCapabilities capabilities(RdmaDeviceInfo of) throws IOException {
        return loop.device(of.name()).device().capabilities();
    }
}
