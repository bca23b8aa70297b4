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

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A program of this project to run.
 *
 * @param environment variables in addition to those of this process.
 * @param words the path from the top of the tree, and the arguments.
 */
record Command(Map<String, String> environment, List<String> words) {

    static Command of(Object... words) {
        return new Command(Map.of(), Arrays.stream(words).map(Object::toString).toList());
    }

    Command with(String variable, String value) {
        return new Command(Map.of(variable, value), words);
    }

    /** As a user types it. */
    @Override
    public String toString() {
        return environment.entrySet().stream().map(each -> each.getKey() + '=' + each.getValue() + ' ')
                .collect(Collectors.joining()) + String.join(" ", words);
    }
}
