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
package io.nettyrdma.agent.swap;

import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Set;

/** Opens packages of modules to the agent's classes, as {@code --add-opens} does. */
record ModuleAccess(Instrumentation instrumentation) {

    /** @param type of the package. */
    void open(Class<?> type, Module to) {
        open(type.getModule(), type.getPackageName(), to);
    }

    /** Where a module of the layer has the package. Netty's are in several. */
    void openInLayer(Module any, String name, Module to) {
        if (any.getLayer() != null) {
            any.getLayer().modules().forEach(module -> open(module, name, to));
        }
    }

    void open(Module module, String name, Module to) {
        if (module.isNamed() && module.getPackages().contains(name)) {
            instrumentation.redefineModule(module, Set.of(), Map.of(), Map.of(name, Set.of(to)), Set.of(), Map.of());
        }
    }
}
