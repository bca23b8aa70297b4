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

import java.util.List;
import java.util.Map;

/**
 * A machine that is checked.
 *
 * @param files its files.
 * @param container where this process runs.
 * @param software whether this process uses the software device: then the kernel's devices do not matter.
 */
public record Machine(SystemFiles files, Container container, boolean software) {

    static final String DEVICES = "sys/class/infiniband";
    static final String AMAZON = "0x1d0f";

    /**
     * {@return the machine that these files describe}
     *
     * @param files the files.
     * @param environment the variables of the environment, some of which are those of a pod.
     * @param software whether the software device is used.
     */
    public static Machine of(SystemFiles files, Map<String, String> environment, boolean software) {
        return new Machine(files, Container.of(files, environment), software);
    }

    /** {@return names of the kernel's RDMA devices} */
    List<String> devices() {
        return files.names(DEVICES);
    }

    /** {@return names of those devices that are EFA, which has no connection manager and no RoCE} */
    List<String> efaDevices() {
        return devices().stream().filter(this::isEfa).toList();
    }

    boolean isEfa(String device) {
        return files.text(DEVICES + '/' + device + "/device/vendor").equals(AMAZON);
    }
}
