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
package io.nettyrdma.info.check;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The C library of this process. */
final class LibcCheck implements Check {

    private static final String NAME = "C library";
    /** {@code oldest_glibc} in {@code transport-rdma-native/CMakeLists.txt}. */
    private static final int OLDEST_MINOR = 17;
    private static final Pattern FILE = Pattern.compile("/\\S*/(libc[.-]\\S*|ld-musl-\\S*)$");
    private static final Pattern VERSION = Pattern.compile("GNU C Library [^\\n]* version 2\\.(\\d{1,3})");

    @Override
    public List<Finding> findings(Machine machine) {
        for (String mapping : machine.files().lines("proc/self/maps")) {
            Matcher file = FILE.matcher(mapping);
            if (file.find()) {
                return List.of(finding(machine.files(), file.group().substring(1)));
            }
        }
        return List.of(Finding.note(NAME, "no file of it is mapped, so its version is unknown",
                "the native library needs glibc 2." + OLDEST_MINOR + " or newer"));
    }

    private static Finding finding(SystemFiles files, String path) {
        if (path.contains("musl")) {
            return Finding.problem(NAME, "musl, and the native library is linked with glibc",
                    "use a JVM and an image with glibc, such as one of Debian instead of Alpine");
        }
        Matcher version = VERSION.matcher(files.text(path));
        if (!version.find()) {
            return Finding.note(NAME, "/" + path + " names no version",
                    "the native library needs glibc 2." + OLDEST_MINOR + " or newer");
        }
        int minor = Integer.parseInt(version.group(1));
        String text = "glibc 2." + minor + " of at least 2." + OLDEST_MINOR;
        return minor >= OLDEST_MINOR ? Finding.ok(NAME, text)
                : Finding.problem(NAME, "glibc 2." + minor + ", older than 2." + OLDEST_MINOR, "use a newer system");
    }
}
