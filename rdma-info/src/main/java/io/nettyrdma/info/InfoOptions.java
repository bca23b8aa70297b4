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
package io.nettyrdma.info;

import io.nettyrdma.program.Options;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Options of {@code rdma-info}. */
@Command(name = "rdma-info", description = {
        "Shows the RDMA devices of this machine, their capabilities, which of these netty-transport-rdma uses, and "
                + "what is missing if there are no devices.",
        "Exit status: 0 if RDMA can be used, 1 if not, 2 for a usage error." })
final class InfoOptions extends Options {

    @Option(names = "--check", description = "shows what is wrong with this machine instead, and how to mend it")
    private boolean check;

    @Option(names = "--json", description = "prints JSON")
    private boolean json;

    boolean isCheck() {
        return check;
    }

    boolean isJson() {
        return json;
    }
}
