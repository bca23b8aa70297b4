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

import java.util.ArrayList;
import java.util.List;

/** Whether the native library and those of rdma-core can be loaded. The reason of a failure ends with its cure. */
public final class LibrariesCheck implements Check {

    private static final String NAME = "libraries";
    private static final String BEFORE_CURE = "; ";

    private final List<Library> libraries;

    /**
     * A library and the result of loading it.
     *
     * @param name of the library.
     * @param required whether RDMA needs it on this machine.
     * @param problem why it cannot be used, {@code null} if it can.
     */
    public record Library(String name, boolean required, String problem) {
    }

    LibrariesCheck(List<Library> libraries) {
        this.libraries = libraries;
    }

    @Override
    public List<Finding> findings(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        List<String> usable = new ArrayList<>();
        for (Library library : libraries) {
            if (library.problem() == null) {
                usable.add(library.name());
            } else if (library.required()) {
                findings.add(failure(library));
            }
        }
        if (findings.isEmpty()) {
            findings.add(Finding.ok(NAME, usable.isEmpty() ? "none is needed" : String.join(", ", usable)
                    + (usable.size() == 1 ? " is loaded" : " are loaded")));
        }
        return findings;
    }

    private static Finding failure(Library library) {
        String problem = library.problem().replace('\n', ' ');
        int end = problem.lastIndexOf(BEFORE_CURE);
        // A machine without a device has that before the library, and the check of devices has it too.
        int begin = end < 0 ? -1 : problem.lastIndexOf(BEFORE_CURE, end - 1);
        problem = begin < 0 ? problem : problem.substring(begin + BEFORE_CURE.length());
        end = problem.lastIndexOf(BEFORE_CURE);
        return end < 0 ? Finding.problem(NAME, library.name() + ": " + problem, "see the other lines")
                : Finding.problem(NAME, library.name() + ": " + problem.substring(0, end),
                        problem.substring(end + BEFORE_CURE.length()));
    }
}
