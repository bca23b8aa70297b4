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

/** This JVM's class path for a JVM with modules: those of Netty and ours are named ones, and the tests are in none. */
public final class ModulePath {

    private static final String OF_NETTY_AND_OURS = "io.netty";

    private ModulePath() {
    }

    /** @param options more of the JVM. */
    public static ChildProcess start(List<String> options, Class<?> main, String... arguments) throws IOException {
        List<String> modules = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            (isModule(entry) ? modules : others).add(entry);
        }
        List<String> all = new ArrayList<>(options);
        // Nobody requires those that have nothing but a library.
        all.addAll(List.of("-p", String.join(File.pathSeparator, modules), "--add-modules", "ALL-MODULE-PATH",
                "-cp", String.join(File.pathSeparator, others)));
        return ChildProcess.start(List.of(), all, main, arguments);
    }

    private static boolean isModule(String entry) {
        try {
            return ModuleFinder.of(Path.of(entry)).findAll().stream().map(found -> found.descriptor())
                    .anyMatch(each -> !each.isAutomatic() && each.name().startsWith(OF_NETTY_AND_OURS));
        } catch (FindException e) {
            // Of others.
            return false;
        }
    }
}
