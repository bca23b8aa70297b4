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
package io.nettyrdma.testsuite.differential;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The configuration of one end of the connection, and what it does.
 *
 * @param autoRead whether it reads from the beginning.
 * @param halfClosure whether it continues when the peer has ended its direction.
 * @param highWater the high water mark of the write buffer in bytes; 0 keeps the transport's.
 * @param receiveBytes the size of a read; 0 leaves it to the transport.
 */
record Side(boolean autoRead, boolean halfClosure, int highWater, int receiveBytes, List<Script> scripts) {

    Side with(List<Script> others) {
        return new Side(autoRead, halfClosure, highWater, receiveBytes, others);
    }

    /** All writes that it may make. */
    List<Operation.Write> writes() {
        return all(Operation.Write.class);
    }

    long bytes() {
        return writes().stream().mapToLong(Operation.Write::size).sum();
    }

    boolean does(Class<? extends Operation> kind) {
        return !all(kind).isEmpty();
    }

    /** Whether it may end its output before its program is over. */
    boolean endsOutput() {
        return does(Operation.ShutdownOutput.class) || does(Operation.Close.class) || isBroken();
    }

    /** Whether it writes a message that ends its output. */
    boolean isBroken() {
        return writes().stream().anyMatch(write -> write.kind().isBroken());
    }

    <T extends Operation> List<T> all(Class<T> kind) {
        return scripts.stream().flatMap(script -> script.operations().stream()).filter(kind::isInstance)
                .map(kind::cast).filter(Objects::nonNull).collect(Collectors.toList());
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(autoRead ? "" : ", autoRead off").append(halfClosure ? ", half closure allowed" : "");
        text.append(highWater == 0 ? "" : ", high water mark " + highWater);
        text.append(receiveBytes == 0 ? "" : ", reads of " + receiveBytes).append('\n');
        for (Script script : scripts) {
            text.append("    on ").append(script.trigger()).append(":\n");
            script.operations().forEach(operation -> text.append("        ").append(operation).append('\n'));
        }
        return text.toString();
    }
}
