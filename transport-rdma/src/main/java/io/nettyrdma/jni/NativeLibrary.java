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
package io.nettyrdma.jni;

import io.netty.util.internal.NativeLibraryLoader;
import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Loads the native library out of its jar, checks that it and this code mean the same records, and lets it open
 * rdma-core's libraries. All of it happens once, when this class is initialised; what failed is kept with its reason
 * and cure. Any thread.
 */
public final class NativeLibrary {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(NativeLibrary.class);

    private static final String INSTALL = "; install rdma-core (Debian and Ubuntu: apt-get install rdma-core "
            + "ibverbs-providers, Fedora and RHEL: dnf install rdma-core libibverbs librdmacm)";

    private static final Throwable SHIM_CAUSE;
    private static final Throwable VERBS_CAUSE;
    private static final Throwable CM_CAUSE;
    private static final Throwable EFA_CAUSE;

    static {
        SHIM_CAUSE = loadShim();
        VERBS_CAUSE = openAfter(SHIM_CAUSE, LibraryNative.VERBS, "libibverbs.so.1");
        CM_CAUSE = openAfter(VERBS_CAUSE, LibraryNative.CM, "librdmacm.so.1");
        EFA_CAUSE = openAfter(VERBS_CAUSE, LibraryNative.EFA, "libefa.so.1");
        LOGGER.debug("libibverbs: {}, librdmacm: {}, libefa: {}", state(VERBS_CAUSE), state(CM_CAUSE),
                state(EFA_CAUSE));
    }

    private NativeLibrary() {
    }

    /** Why nothing works here: no native library for this platform, or no libibverbs; {@code null} if all is well. */
    public static Throwable verbsUnavailabilityCause() {
        return VERBS_CAUSE;
    }

    /** Why there are no connections by address here; {@code null} if librdmacm was opened. */
    public static Throwable cmUnavailabilityCause() {
        return CM_CAUSE;
    }

    /** Why EFA devices cannot be used here; {@code null} if libefa was opened. */
    public static Throwable efaUnavailabilityCause() {
        return EFA_CAUSE;
    }

    /** Throws {@link UnsatisfiedLinkError} with the reason unless our own natives can be called. */
    static void ensureShim() {
        ensure(SHIM_CAUSE);
    }

    /** Throws {@link UnsatisfiedLinkError} with the reason unless libibverbs can be called. */
    public static void ensureVerbs() {
        ensure(VERBS_CAUSE);
    }

    /** Throws {@link UnsatisfiedLinkError} with the reason unless librdmacm can be called. */
    public static void ensureCm() {
        ensure(CM_CAUSE);
    }

    private static void ensure(Throwable cause) {
        if (cause != null) {
            // A new error each time: its stack trace tells who asked, the cause where it failed first.
            throw (Error) new UnsatisfiedLinkError(cause.getMessage()).initCause(cause);
        }
    }

    private static Throwable loadShim() {
        String platform = PlatformDependent.normalizedOs() + '-' + PlatformDependent.normalizedArch();
        if (!"linux".equals(PlatformDependent.normalizedOs())) {
            return new UnsatisfiedLinkError("RDMA needs Linux, this is " + platform);
        }
        String name = "netty_transport_rdma_" + PlatformDependent.normalizedArch();
        try {
            NativeLibraryLoader.load(name, NativeLibrary.class.getClassLoader());
            List<String> differences = AbiLayout.verify(parse(LibraryNative.layout()));
            if (!differences.isEmpty()) {
                return new UnsatisfiedLinkError("the native library " + name + " is of another version than this code; "
                        + "use both jars of the same version: " + String.join("; ", differences));
            }
            return null;
        } catch (Throwable cause) {
            return new UnsatisfiedLinkError("the native library " + name + " could not be loaded (" + cause.getMessage()
                    + "); add the artifact netty-transport-rdma-native with classifier " + platform
                    + " to the class path").initCause(cause);
        }
    }

    /** Opens a library unless what it builds on is missing, which is then the reason for it too. */
    private static Throwable openAfter(Throwable cause, int which, String path) {
        if (cause != null) {
            return cause;
        }
        String missing = LibraryNative.open(which, path);
        return missing == null ? null : new UnsatisfiedLinkError(missing + INSTALL);
    }

    static Map<String, Integer> parse(String layout) {
        Map<String, Integer> offsets = new HashMap<>();
        for (String line : layout.split("\n")) {
            int equals = line.indexOf('=');
            offsets.put(line.substring(0, equals), Integer.parseInt(line.substring(equals + 1)));
        }
        return offsets;
    }

    private static String state(Throwable cause) {
        return cause == null ? "opened" : cause.getMessage();
    }
}
