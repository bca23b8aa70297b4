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
package io.nettyrdma;

import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.jni.DeviceChoice;
import io.nettyrdma.jni.KernelDevices;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.VerbsException;

import java.nio.file.Path;
import java.util.List;

/** Why this process can use no device, though the libraries can be called. */
final class DeviceCheck {

    private static final DeviceChoice CHOICE = NativeLibrary.deviceChoice();
    private static final KernelDevices KERNEL = new KernelDevices(Path.of("/"), CHOICE);

    /** Opening takes time, and some drivers leak by it: nothing is tried again after a success. */
    private static volatile boolean hasOpened;

    private DeviceCheck() {
    }

    /** {@code null} if a device can be opened, and connections to it. */
    static Throwable cause() {
        try {
            List<RdmaDeviceInfo> devices = RdmaDevice.list();
            return devices.isEmpty() ? because(whyNoneIsListed(), null) : hasOpened ? null : open(devices);
        } catch (VerbsException e) {
            // libibverbs reports a kernel without RDMA as a failure to list.
            return because(NativeLibrary.isSoftware() ? e.getMessage() : KERNEL.whyNoneIsListed(), e);
        }
    }

    /** Any device will do. The first failure is the one to report: without permission all fail alike. */
    private static Throwable open(List<RdmaDeviceInfo> devices) {
        VerbsException failure = null;
        for (RdmaDeviceInfo info : devices) {
            try {
                RdmaDevice.open(info.name()).close();
                return openConnectionManager(info);
            } catch (VerbsException e) {
                failure = failure == null ? e : failure;
            }
        }
        String kernel = NativeLibrary.isSoftware() ? null : KERNEL.whyNoneIsPermitted();
        return because(kernel == null ? failure.getMessage() : kernel, failure);
    }

    /** EFA has no connections. Containers often have the file of a device and not that of the connection manager. */
    private static Throwable openConnectionManager(RdmaDeviceInfo device) {
        if (device.transport() != RdmaDeviceInfo.Transport.OTHER) {
            try {
                CmEventChannel.open().close();
            } catch (VerbsException | UnsatisfiedLinkError e) {
                return because(e.getMessage(), e);
            }
        }
        hasOpened = true;
        return null;
    }

    private static String whyNoneIsListed() {
        if (!NativeLibrary.isSoftware()) {
            return KERNEL.whyNoneIsListed();
        }
        return CHOICE.name() == null ? "the software device was removed" : "-D" + DeviceChoice.PROPERTY + '='
                + CHOICE.name() + " is no device: the software device is called softhca0";
    }

    private static Throwable because(String reason, Throwable cause) {
        return new IllegalStateException(reason, cause);
    }
}
