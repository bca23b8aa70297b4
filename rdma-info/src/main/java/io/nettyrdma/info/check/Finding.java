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

/**
 * What a check has found, in one line.
 *
 * @param level how much it matters.
 * @param check name of the check.
 * @param text the finding.
 * @param cure what to do; {@code null} if there is nothing to do.
 */
public record Finding(Level level, String check, String text, String cure) {

    /** How much a finding matters. */
    public enum Level {
        /** As it should be. */
        OK,
        /** RDMA works. The cure is for more speed, or for something that cannot be seen from here. */
        NOTE,
        /** RDMA works up to a limit, or slower than this machine could. */
        WARNING,
        /** RDMA cannot be used. */
        PROBLEM
    }

    static Finding ok(String check, String text) {
        return new Finding(Level.OK, check, text, null);
    }

    static Finding note(String check, String text, String cure) {
        return new Finding(Level.NOTE, check, text, cure);
    }

    static Finding warning(String check, String text, String cure) {
        return new Finding(Level.WARNING, check, text, cure);
    }

    static Finding problem(String check, String text, String cure) {
        return new Finding(Level.PROBLEM, check, text, cure);
    }
}
