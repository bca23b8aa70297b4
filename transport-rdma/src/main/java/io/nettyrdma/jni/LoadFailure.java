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

import java.io.File;
import java.io.FileNotFoundException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Advice if a native library cannot be loaded. Loaders say little, and say it in the user's language, so this looks
 * at the circumstances. All texts are for the end of a message: they begin with "; ", or are empty.
 */
public final class LoadFailure {

    /** Of the file of a library of ours that is nowhere. */
    static final String MISSING = " is not on the class path: add the artifact netty-transport-rdma-native with "
            + "classifier linux-" + PlatformDependent.normalizedArch();
    /** No module requires those with native libraries: they may be on the module path and not in the program. */
    static final String UNRESOLVED = " is in no module of this program: add the artifact netty-transport-rdma-native "
            + "with classifier linux-" + PlatformDependent.normalizedArch() + " to the module path, and "
            + "--add-modules io.nettyrdma.natives.linux." + PlatformDependent.normalizedArch();

    private static final String MISSING_EPOLL = "; add the artifact io.netty:netty-transport-native-epoll with "
            + "classifier linux-" + PlatformDependent.normalizedArch() + ", of the same version as the rest of Netty";
    private static final String UNRESOLVED_EPOLL = MISSING_EPOLL + ", to the module path, and "
            + "--add-modules io.netty.transport.epoll.linux." + PlatformDependent.normalizedArch();

    private static final Pattern GLIBC = Pattern.compile("GLIBC_([0-9.]+)");
    /** How musl's loader begins; that of glibc has other words. */
    private static final Pattern MUSL = Pattern.compile("Error (?:relocating|loading shared library) ");

    private LoadFailure() {
    }

    /**
     * For a library of ours that is here.
     *
     * @param text what the loader says.
     */
    static String cure(LibraryFile library, String text) {
        String otherLibc = otherLibc(text);
        if (!otherLibc.isEmpty()) {
            return otherLibc;
        }
        if (isOnNoexecMount(library.path())) {
            Path directory = library.path().getParent();
            return "; " + directory + " is mounted noexec: " + (library.isTemporary()
                    ? "set -D" + LibraryFile.WORK_DIRECTORY + " to another directory" : "move the library");
        }
        if (text.contains("another classloader")) {
            return "; one class loader alone can have this file: leave the library in its jar, so that each unpacks "
                    + "its own, or put these classes where all applications share them";
        }
        return "";
    }

    /**
     * For the library of Netty's epoll transport, which Netty's own loader has not loaded.
     *
     * @param module the module of that loader.
     */
    public static String cureOfEpoll(Throwable failure, Module module) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof FileNotFoundException) {
                return module.isNamed() ? UNRESOLVED_EPOLL : MISSING_EPOLL;
            }
            if (cause instanceof IllegalCallerException) {
                return nativeAccess(module);
            }
        }
        return otherLibc(String.valueOf(failure.getMessage()));
    }

    private static String otherLibc(String text) {
        if (MUSL.matcher(text).find()) {
            return "; the C library of this system is musl, and it needs glibc: use a system with glibc";
        }
        Matcher version = GLIBC.matcher(text);
        return version.find() ? "; it needs glibc " + version.group(1) + ", and the C library of this system is older: "
                + "use a newer system" : "";
    }

    /** For programs that run with {@code --illegal-native-access=deny}, which JDK 24 has. */
    static String nativeAccess(Module module) {
        return "; permit it with --enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }

    /** A file that may be executed cannot be, even by root. */
    private static boolean isOnNoexecMount(Path path) {
        File file = path.toFile();
        return file.setExecutable(true) && !file.canExecute();
    }
}
