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

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.IOException;

/**
 * The libraries in use: the three of rdma-core, or the single one of the software device instead.
 *
 * @param software whether this is the software device.
 * @param reason why the choice {@code any} has led to the software device; {@code null} if it was chosen by name.
 * @param origin where the library of the software device came from; {@code null} for rdma-core.
 * @param verbsCause why verbs are unavailable; {@code null} if they are available.
 * @param cmCause the same for the connection manager.
 * @param efaCause the same for EFA.
 */
record RdmaLibraries(boolean software, String reason, String origin, Throwable verbsCause, Throwable cmCause,
                     Throwable efaCause) {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaLibraries.class);

    private static final String INSTALL = "; install rdma-core (Debian and Ubuntu: apt-get install rdma-core "
            + "ibverbs-providers, Fedora and RHEL: dnf install rdma-core libibverbs librdmacm)";

    /** {@link LibraryNative#open}. */
    @FunctionalInterface
    interface Opener {
        String open(int which, String path);
    }

    /** {@link LibraryFile#software}. */
    @FunctionalInterface
    interface Locator {
        LibraryFile locate() throws IOException;
    }

    /** No libraries, all three for the same reason. */
    static RdmaLibraries none(boolean software, Throwable cause) {
        return new RdmaLibraries(software, null, null, cause, cause, cause);
    }

    static RdmaLibraries open(DeviceChoice choice, KernelDevices kernel, Opener opener, Locator locator) {
        return switch (choice.source()) {
        case SYSTEM -> system(kernel, opener);
        case SOFTWARE -> software(opener, locator, null);
        case ANY -> systemOrSoftware(kernel, opener, locator);
        };
    }

    private static RdmaLibraries systemOrSoftware(KernelDevices kernel, Opener opener, Locator locator) {
        String reason = kernel.whyNoneIsUsable();
        if (reason == null) {
            RdmaLibraries system = system(kernel, opener);
            if (system.verbsCause == null) {
                return system;
            }
            reason = system.verbsCause.getMessage();
        }
        // Without a card, the instructions to install one are of no use.
        RdmaLibraries software = software(opener, locator, kernel.isAny() ? reason : "there is no RDMA device here");
        if (software.verbsCause != null) {
            return none(true, new UnsatisfiedLinkError(reason + "; the software device cannot be used either: "
                    + software.verbsCause.getMessage()).initCause(software.verbsCause));
        }
        // Without a card the software device is what `any` is for.
        if (kernel.isAny()) {
            LOGGER.warn("RDMA uses the software device and none of this system, because {}", reason);
        }
        return software;
    }

    private static RdmaLibraries system(KernelDevices kernel, Opener opener) {
        Throwable verbs = open(opener, LibraryNative.VERBS, "libibverbs.so.1");
        if (verbs != null) {
            // Without a device the missing library is not the cause to report.
            return none(false, kernel.isAny() ? verbs
                    : new UnsatisfiedLinkError(kernel.whyNoneIsUsable() + "; " + verbs.getMessage()));
        }
        return new RdmaLibraries(false, null, null, null, open(opener, LibraryNative.CM, "librdmacm.so.1"),
                open(opener, LibraryNative.EFA, "libefa.so.1"));
    }

    private static RdmaLibraries software(Opener opener, Locator locator, String reason) {
        try (LibraryFile library = locator.locate()) {
            Throwable verbs = open(opener, LibraryNative.VERBS, library);
            return verbs != null ? none(true, verbs) : new RdmaLibraries(true, reason, library.origin(), null,
                    open(opener, LibraryNative.CM, library), open(opener, LibraryNative.EFA, library));
        } catch (IOException e) {
            return none(true, new UnsatisfiedLinkError(e.getMessage()).initCause(e));
        }
    }

    private static Throwable open(Opener opener, int which, LibraryFile library) {
        String failure = opener.open(which, library.path().toString());
        return failure == null ? null : new UnsatisfiedLinkError("the software device " + library.origin()
                + " could not be loaded (" + failure + ')' + LoadFailure.cure(library, failure));
    }

    /** The dynamic linker names the file if it has found one, and else what was asked for. */
    private static Throwable open(Opener opener, int which, String soname) {
        String failure = opener.open(which, soname);
        if (failure == null) {
            return null;
        }
        if (failure.startsWith("symbol ")) {
            return new UnsatisfiedLinkError(failure + "; it is too old: install a newer rdma-core");
        }
        return new UnsatisfiedLinkError(failure + (failure.startsWith("/")
                ? "; " + soname + " is installed, but cannot be used: repair or reinstall it" : INSTALL));
    }
}
