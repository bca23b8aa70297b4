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

import io.netty.util.internal.SystemPropertyUtil;
import io.nettyrdma.jni.KernelDevices;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;

import java.nio.file.Path;

/**
 * Tells whether this process can use RDMA: the native library for this platform is on the class path, and there is a
 * device that this process may open. The system property {@code io.nettyrdma.device} selects the device:
 *
 * <table>
 * <caption>Values of {@code io.nettyrdma.device}</caption>
 * <tr><td>{@code auto}</td><td>the default: a real device if this process can use one, else the software device that
 *     this library brings along. The software device connects processes on this machine. The log reports this
 *     choice</td></tr>
 * <tr><td>{@code system}</td><td>a real device; requires rdma-core</td></tr>
 * <tr><td>{@code software}</td><td>the software device</td></tr>
 * <tr><td><i>name</i></td><td>only the device of this name: {@code mlx5_0}, {@code softhca0}</td></tr>
 * </table>
 *
 * <p>The libraries are loaded once and the result is cached. Devices are listed at every call, because they come and go
 * while a process runs. Each call reads a few kernel files, so do not call this once per message. Safe from any thread.
 */
public final class Rdma {

    private static final String NO_NATIVE = "io.netty.transport.noNative";
    private static final KernelDevices KERNEL = new KernelDevices(Path.of("/"));

    private Rdma() {
    }

    public static boolean isAvailable() {
        return unavailabilityCause() == null;
    }

    /** Throws an {@link UnsatisfiedLinkError} that names the reason and the cure, unless {@link #isAvailable}. */
    public static void ensureAvailability() {
        Throwable cause = unavailabilityCause();
        if (cause != null) {
            throw (Error) new UnsatisfiedLinkError("RDMA is not available: " + cause.getMessage()).initCause(cause);
        }
    }

    /** A throwable whose message says what is missing and how to get it; {@code null} if {@link #isAvailable}. */
    public static Throwable unavailabilityCause() {
        if (SystemPropertyUtil.getBoolean(NO_NATIVE, false)) {
            return new UnsupportedOperationException("native transports are disabled by -D" + NO_NATIVE + "=true");
        }
        Throwable library = NativeLibrary.verbsUnavailabilityCause();
        return library == null ? deviceUnavailabilityCause() : library;
    }

    private static Throwable deviceUnavailabilityCause() {
        boolean software = NativeLibrary.isSoftware();
        String name = NativeLibrary.deviceChoice().name();
        try {
            if (!RdmaDevice.list().isEmpty()) {
                return software ? null : because(KERNEL.whyNoneIsPermitted(), null);
            }
            if (name != null) {
                // The device was not listed, so open fails with a message that lists the devices that exist, unless the
                // device has appeared in the meantime.
                RdmaDevice.open(name).close();
                return null;
            }
            return because(software ? "the software device library lists no device" : KERNEL.whyNoneIsListed(), null);
        } catch (VerbsException e) {
            if (software || name != null && KERNEL.isAny()) {
                return because(e.getMessage(), e);
            }
            // libibverbs reports a kernel without RDMA as a failure to list.
            return because(KERNEL.whyNoneIsListed(), e);
        }
    }

    private static Throwable because(String reason, Throwable cause) {
        return reason == null ? null : new IllegalStateException(reason, cause);
    }
}
