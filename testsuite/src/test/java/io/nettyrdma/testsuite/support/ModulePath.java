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
package io.nettyrdma.testsuite.support;

import java.io.File;
import java.io.IOException;
import java.lang.module.FindException;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a JVM with modules from this class path: Netty's and ours are named modules, the tests are in none. */
public final class ModulePath {

    private static final String OF_NETTY_AND_OURS = "io.netty";
    /** The modules that an application names: ours, and those of native libraries, which no module requires. */
    private static final List<String> ROOTS = List.of("io.nettyrdma", "io.nettyrdma.", "io.netty.transport.epoll.");

    private ModulePath() {
    }

    /** @param options further JVM options. */
    public static ChildProcess start(List<String> options, Class<?> main) throws IOException {
        return start(options, ROOTS, main);
    }

    /** @param rootNames of the modules that the application names; with a dot at the end, how such names begin. */
    public static ChildProcess start(List<String> options, List<String> rootNames, Class<?> main) throws IOException {
        List<String> modules = new ArrayList<>();
        List<String> others = new ArrayList<>();
        List<String> roots = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = moduleName(entry);
            (name.startsWith(OF_NETTY_AND_OURS) ? modules : others).add(entry);
            if (rootNames.stream().anyMatch(root -> name.equals(root)
                    || root.endsWith(".") && name.startsWith(root))) {
                roots.add(name);
            }
        }
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of("-p", String.join(File.pathSeparator, modules), "--add-modules", String.join(",", roots),
                "-cp", String.join(File.pathSeparator, others)));
        return ChildProcess.start(List.of(), all, main);
    }

    /** The name of the only module in a directory or a jar, if it declares one itself; otherwise empty. */
    private static String moduleName(String entry) {
        try {
            return ModuleFinder.of(Path.of(entry)).findAll().stream().map(found -> found.descriptor())
                    .filter(each -> !each.isAutomatic()).map(each -> each.name()).findFirst().orElse("");
        } catch (FindException e) {
            // Not one of the modules that are wanted.
            return "";
        }
    }
}
