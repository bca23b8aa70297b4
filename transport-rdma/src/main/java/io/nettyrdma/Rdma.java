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

import io.netty.channel.epoll.Epoll;
import io.netty.util.internal.NativeLibraryLoader;
import io.netty.util.internal.SystemPropertyUtil;
import io.nettyrdma.jni.LoadFailure;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.VerbsException;

import java.util.List;

/**
 * Reports whether this process can use RDMA: the native libraries of this project and of Netty's epoll transport are on
 * the class path for this platform, and there is a device that this process can open. The system property
 * {@code io.nettyrdma.device} selects the device:
 *
 * <table>
 * <caption>Values of {@code io.nettyrdma.device}</caption>
 * <tr><td>{@code system}</td><td>the default: a device of this system, by its rdma-core. Without one RDMA is not
 *     available</td></tr>
 * <tr><td>{@code any}</td><td>a device of this system if this process can use one, else the software device that this
 *     library brings along. That one connects programs on this machine only</td></tr>
 * <tr><td>{@code software}</td><td>the software device</td></tr>
 * <tr><td><i>name</i></td><td>only the device of this name: {@code mlx5_0}, {@code softhca0}</td></tr>
 * </table>
 *
 * <p>The libraries are loaded once and the result is cached. Devices are listed at every call, because they come and go
 * while a process runs. Each call reads a few kernel files, so do not call this once per message. Safe from any thread.
 *
 * @since 0.1.0
 */
public final class Rdma {

    /**
     * Netty's: {@code true} disables all native transports, and so RDMA.
     *
     * @option.default false
     * @option.range true, false
     */
    private static final String NO_NATIVE = "io.netty.transport.noNative";

    private Rdma() {
    }

    /** {@return whether {@link #unavailabilityCause} is {@code null}} Any thread. */
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

    /**
     * {@return a throwable whose message says what is missing and how to get it; {@code null} if {@link #isAvailable}}
     */
    public static Throwable unavailabilityCause() {
        if (SystemPropertyUtil.getBoolean(NO_NATIVE, false)) {
            return new UnsupportedOperationException("native transports are disabled by -D" + NO_NATIVE + "=true");
        }
        Throwable library = NativeLibrary.verbsUnavailabilityCause();
        if (library != null) {
            return library;
        }
        Throwable netty = NettyCheck.cause();
        if (netty != null) {
            return netty;
        }
        return Epoll.isAvailable() ? DeviceCheck.cause() : withoutEpoll(Epoll.unavailabilityCause());
    }

    private static Throwable withoutEpoll(Throwable cause) {
        return new UnsatisfiedLinkError("the event loops wait by Netty's epoll transport, which cannot be used ("
                + cause.getMessage() + ')' + LoadFailure.cureOfEpoll(cause, NativeLibraryLoader.class.getModule()))
                .initCause(cause);
    }

    /**
     * {@return the devices that this process may use; each with its kind and whether it reaches other hosts} Empty
     * unless {@link #isAvailable}. {@code RdmaChannel.device} is the one that a connection uses.
     */
    public static List<RdmaDeviceInfo> devices() {
        if (!isAvailable()) {
            return List.of();
        }
        try {
            return RdmaDevice.list();
        } catch (VerbsException e) {
            // They have gone meanwhile.
            return List.of();
        }
    }
}
