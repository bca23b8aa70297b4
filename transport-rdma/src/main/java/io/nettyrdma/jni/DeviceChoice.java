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
 * The value of the system property {@code io.nettyrdma.device}.
 *
 * <pre>
 *   system     devices of this system alone, through its rdma-core; the default
 *   any        a device of this system if this process can use one, else the software device
 *   software   the software device that this library ships, softhca
 *   NAME       only this device: of softhca if NAME starts with that (softhca0), else of rdma-core (mlx5_0)
 * </pre>
 *
 * @param name name of the only device to use; {@code null} for all devices.
 */
public record DeviceChoice(Source source, String name) {

    /**
     * The devices to use. {@code system}: devices of this system alone, through its rdma-core. {@code any}: a device of
     * this system if this process can use one, else the software device. {@code software}: the software device. A name:
     * only this device.
     *
     * @option.default system
     * @option.range system, any, software, the name of a device
     */
    public static final String PROPERTY = "io.nettyrdma.device";

    private static final String SOFTWARE_NAMES = "softhca";

    /** The libraries to use. */
    public enum Source {
        SYSTEM,
        ANY,
        SOFTWARE
    }

    /** {@return the choice of the system property} Loads nothing. */
    public static DeviceChoice configured() {
        return parse(SystemPropertyUtil.get(PROPERTY, ""));
    }

    static DeviceChoice parse(String text) {
        String value = text.trim();
        for (Source source : Source.values()) {
            if (value.equalsIgnoreCase(source.name())) {
                return new DeviceChoice(source, null);
            }
        }
        if (value.isEmpty()) {
            return new DeviceChoice(Source.SYSTEM, null);
        }
        return new DeviceChoice(value.startsWith(SOFTWARE_NAMES) ? Source.SOFTWARE : Source.SYSTEM, value);
    }

    /** Whether there is a device if all is well: the software device, or one by name. */
    public boolean isExpected() {
        return source == Source.SOFTWARE || name != null;
    }

    /** Whether the choice permits the device of that name. */
    public boolean admits(String device) {
        return name == null || name.equals(device);
    }
}
