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

import java.util.Map;

/** Where this process runs, and so where a cure must be applied. */
public enum Container {

    /** On the machine itself, or on a virtual one. */
    NONE("", "pass them to the container", ""),
    /** In a container of docker, podman or the like. */
    RUNTIME("on the host: ", "run the container with --device=/dev/infiniband",
            "run the container with --ulimit memlock=-1 or --cap-add=IPC_LOCK"),
    /** In a pod. */
    KUBERNETES("on the node: ", "request the resource of a device plugin for RDMA in the pod's limits",
            "give the container the capability IPC_LOCK (securityContext.capabilities.add), or set "
                    + "LimitMEMLOCK=infinity in the unit of the node's container runtime");

    private final String where;
    private final String devices;
    private final String lockedMemory;

    Container(String where, String devices, String lockedMemory) {
        this.where = where;
        this.devices = devices;
        this.lockedMemory = lockedMemory;
    }

    static Container of(SystemFiles files, Map<String, String> environment) {
        if (environment.containsKey("KUBERNETES_SERVICE_HOST")) {
            return KUBERNETES;
        }
        boolean contained = files.exists(".dockerenv") || files.exists("run/.containerenv")
                || !files.text("run/systemd/container").isEmpty();
        return contained ? RUNTIME : NONE;
    }

    /** {@return the command, which only the host of a container can run} */
    String onHost(String command) {
        return where + command;
    }

    /** {@return the cure for files of devices that the host has and this container has not} */
    String passDevices() {
        return devices;
    }

    /** {@return the cure for a limit of locked memory} */
    String raiseLockedMemory() {
        return this == NONE ? "ulimit -l unlimited in the shell (memlock in /etc/security/limits.conf permits it), or "
                + "LimitMEMLOCK=infinity in the unit of a service" : lockedMemory;
    }
}
