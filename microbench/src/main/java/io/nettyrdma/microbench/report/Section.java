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
package io.nettyrdma.microbench.report;

import java.util.List;

/**
 * A part of the report.
 *
 * @param name in file names and options.
 * @param about what is measured, for readers of the page.
 * @param share of the time of all sections.
 * @param fewestSeconds without which it is left out of a quick report; 0 for a section that is always there.
 */
record Section(String name, String title, String about, double share, double fewestSeconds, Plan plan) {

    /** Finds the commands that fit a time. */
    @FunctionalInterface
    interface Plan {

        List<Command> commands(Budget budget);
    }
}
