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
package io.nettyrdma.jni;

import io.netty.util.internal.SystemPropertyUtil;

/**
 * What the system property {@code io.nettyrdma.device} asks for.
 *
 * <pre>
 *   auto       a real device if this process can use one, else the software device; the default
 *   system     real devices only, by the rdma-core of this system
 *   software   the software device that this library ships, softhca
 *   NAME       this device and no other: of softhca if NAME starts so (softhca0), else of rdma-core (mlx5_0)
 * </pre>
 *
 * @param name the only device to see; {@code null} for all.
 */
public record DeviceChoice(Source source, String name) {

    public static final String PROPERTY = "io.nettyrdma.device";

    private static final String SOFTWARE_NAMES = "softhca";

    /** Whose libraries answer the calls. */
    public enum Source {
        AUTO,
        SYSTEM,
        SOFTWARE
    }

    static DeviceChoice configured() {
        return parse(SystemPropertyUtil.get(PROPERTY, "auto"));
    }

    static DeviceChoice parse(String text) {
        String word = text.trim();
        for (Source source : Source.values()) {
            if (word.equalsIgnoreCase(source.name())) {
                return new DeviceChoice(source, null);
            }
        }
        if (word.isEmpty()) {
            return new DeviceChoice(Source.AUTO, null);
        }
        return new DeviceChoice(word.startsWith(SOFTWARE_NAMES) ? Source.SOFTWARE : Source.SYSTEM, word);
    }

    /** Whether the device of that name is to be seen. */
    public boolean admits(String device) {
        return name == null || name.equals(device);
    }
}
