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

import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Loads the native library from its jar, checks that both agree on the layout of the shared records, and opens the
 * libraries of rdma-core or of the software device, as {@link DeviceChoice} selects. This happens once, when the class
 * is initialised. A failure is kept with its reason and cure. Safe from any thread.
 */
public final class NativeLibrary {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(NativeLibrary.class);

    private static final DeviceChoice CHOICE;
    private static final Throwable SHIM_CAUSE;
    private static final RdmaLibraries LIBRARIES;

    static {
        CHOICE = DeviceChoice.configured();
        SHIM_CAUSE = loadShim();
        LIBRARIES = SHIM_CAUSE != null ? RdmaLibraries.none(false, SHIM_CAUSE)
                : RdmaLibraries.open(CHOICE, new KernelDevices(Path.of("/"), CHOICE), LibraryNative::open,
                        () -> LibraryFile.software(NativeLibrary.class.getClassLoader()));
        LOGGER.debug("-D{}: {}; software device: {}, libibverbs: {}, librdmacm: {}, libefa: {}", DeviceChoice.PROPERTY,
                CHOICE, LIBRARIES.software(), state(LIBRARIES.verbsCause()), state(LIBRARIES.cmCause()),
                state(LIBRARIES.efaCause()));
    }

    private NativeLibrary() {
    }

    /** The devices that the user selected. */
    public static DeviceChoice deviceChoice() {
        return CHOICE;
    }

    /** Whether the software device is selected, even if its library could not be opened. */
    public static boolean isSoftware() {
        return LIBRARIES.software();
    }

    /** Why the software device was selected automatically; {@code null} if it was not. */
    public static String softwareReason() {
        return LIBRARIES.reason();
    }

    /**
     * Why the last call of this thread failed with this error number, in the software device's words; {@code null} if
     * there are none.
     */
    public static String softwareFailure(int errno) {
        return LIBRARIES.verbsCause() == null && LIBRARIES.software() ? LibraryNative.reason(errno) : null;
    }

    /** The file or URL of the software device's library; {@code null} if rdma-core is used. */
    public static String softwareOrigin() {
        return LIBRARIES.origin();
    }

    /** Why verbs are unavailable: no native library for this platform, or no libibverbs; {@code null} if available. */
    public static Throwable verbsUnavailabilityCause() {
        return LIBRARIES.verbsCause();
    }

    /** Why the connection manager is unavailable; {@code null} if librdmacm was opened. */
    public static Throwable cmUnavailabilityCause() {
        return LIBRARIES.cmCause();
    }

    /** Why EFA features are unavailable; {@code null} if libefa was opened. */
    public static Throwable efaUnavailabilityCause() {
        return LIBRARIES.efaCause();
    }

    /** Throws {@link UnsatisfiedLinkError} with the reason unless the native library of this project is loaded. */
    public static void ensureShim() {
        ensure(SHIM_CAUSE);
    }

    /** Throws {@link UnsatisfiedLinkError} with the reason unless libibverbs can be called. */
    public static void ensureVerbs() {
        ensure(LIBRARIES.verbsCause());
    }

    /** Throws {@link UnsatisfiedLinkError} with the reason unless librdmacm can be called. */
    public static void ensureCm() {
        ensure(LIBRARIES.cmCause());
    }

    private static void ensure(Throwable cause) {
        if (cause != null) {
            // A new error for each call: its stack trace shows the caller, that of the cause the original failure.
            throw (Error) new UnsatisfiedLinkError(cause.getMessage()).initCause(cause);
        }
    }

    private static Throwable loadShim() {
        String platform = PlatformDependent.normalizedOs() + '-' + PlatformDependent.normalizedArch();
        if (!"linux".equals(PlatformDependent.normalizedOs())) {
            return new UnsatisfiedLinkError("RDMA needs Linux, but this is " + platform);
        }
        try (LibraryFile library = LibraryFile.shim(NativeLibrary.class.getClassLoader())) {
            return load(library);
        } catch (IOException e) {
            return because(e.getMessage(), e);
        }
    }

    /** The JVM asks for the permission of the module whose class calls: this one. */
    @SuppressWarnings("restricted")
    private static Throwable load(LibraryFile library) {
        String failed = "the native library " + library.origin() + " could not be loaded (";
        try {
            System.load(library.path().toString());
            List<String> differences = AbiLayout.verify(parse(LibraryNative.layout()));
            return differences.isEmpty() ? null : because(otherVersion(library) + String.join("; ", differences), null);
        } catch (UnsatisfiedLinkError e) {
            return because(failed + e.getMessage() + ')' + LoadFailure.cure(library, e.getMessage()), e);
        } catch (IllegalCallerException e) {
            return because(failed + e.getMessage() + ')'
                    + LoadFailure.nativeAccess(NativeLibrary.class.getModule()), e);
        } catch (LinkageError e) {
            // It has found none of its classes, or not all of their methods.
            return because(otherVersion(library) + e, e);
        }
    }

    private static String otherVersion(LibraryFile library) {
        return "the native library " + library.origin() + " is of another version than this code; use the same version "
                + "of both jars, and keep what they contain: ";
    }

    private static Throwable because(String reason, Throwable cause) {
        return new UnsatisfiedLinkError(reason).initCause(cause);
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
