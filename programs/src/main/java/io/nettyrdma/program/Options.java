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
package io.nettyrdma.program;

import picocli.CommandLine.Option;

/** Options of a program: annotated fields, and rules that no annotation has. */
public abstract class Options {

    /** The largest port of a host. */
    protected static final int MOST_PORT = 0xffff;

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "prints this")
    private boolean help;

    /**
     * Checks the fields, which are read.
     *
     * @throws IllegalArgumentException if they are wrong; the message names the option and the cure.
     */
    protected void check() {
        // Most have nothing to check.
    }

    /**
     * Refuses a number out of its range.
     *
     * @param option name of the option.
     * @param value its value.
     * @param least the smallest that is permitted.
     * @param most the largest that is permitted.
     */
    protected static void range(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(option + " is " + value + ", not within " + least + " to " + most);
        }
    }
}
