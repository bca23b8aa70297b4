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
 * Tells whether RDMA can be used here: the native library of this platform is on the class path, and there is a device
 * that this process may open. The system property {@code io.nettyrdma.device} says which device may be used:
 *
 * <table>
 * <caption>Values of {@code io.nettyrdma.device}</caption>
 * <tr><td>{@code auto}</td><td>a real one if this process can use one, else the software device that comes with this
 *     library and connects processes of this machine; the log says so. The default</td></tr>
 * <tr><td>{@code system}</td><td>a real one; rdma-core must be installed</td></tr>
 * <tr><td>{@code software}</td><td>the software device</td></tr>
 * <tr><td><i>name</i></td><td>this one and no other: {@code mlx5_0}, {@code softhca0}</td></tr>
 * </table>
 *
 * <p>Libraries are looked for once, the answer stays. Devices are looked for at every call, because they come and go
 * while a process runs; that reads a few files of the kernel, so ask when deciding and not for every message. Any
 * thread.
 */
public final class Rdma {

    private static final String NO_NATIVE = "io.netty.transport.noNative";
    private static final KernelDevices KERNEL = new KernelDevices(Path.of("/"));

    private Rdma() {
    }

    public static boolean isAvailable() {
        return unavailabilityCause() == null;
    }

    /** Throws {@link UnsatisfiedLinkError} with the reason and the cure unless {@link #isAvailable}. */
    public static void ensureAvailability() {
        Throwable cause = unavailabilityCause();
        if (cause != null) {
            throw (Error) new UnsatisfiedLinkError("RDMA is not available: " + cause.getMessage()).initCause(cause);
        }
    }

    /** What is missing and how to get it, in the message; {@code null} if {@link #isAvailable}. */
    public static Throwable unavailabilityCause() {
        if (SystemPropertyUtil.getBoolean(NO_NATIVE, false)) {
            return new UnsupportedOperationException("native transports were switched off by -D" + NO_NATIVE + "=true");
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
                // It was not listed, so this fails and says what there is; unless it has come in between.
                RdmaDevice.open(name).close();
                return null;
            }
            return because(software ? "the software device lists none" : KERNEL.whyNoneIsListed(), null);
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
