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
package io.nettyrdma.verbs;

/**
 * A device that libibverbs lists; it need not be open.
 *
 * @param guid the node GUID as a number.
 */
public record RdmaDeviceInfo(String name, long guid, Transport transport, Kind kind) {

    /** Where a device comes from. */
    public enum Kind {
        /** This system, by rdma-core: a network card, or a software device of the kernel. */
        SYSTEM,
        /** This library: softhca, which reaches the programs of this user on this machine. */
        SOFTWARE
    }

    /** {@code enum ibv_transport_type}. */
    public enum Transport {
        INFINIBAND,
        /** The transport assumes no immediate data here. */
        IWARP,
        OTHER;

        static Transport of(int number) {
            return number == 0 ? INFINIBAND : number == 1 ? IWARP : OTHER;
        }
    }

    /** Whether the device may reach other machines. */
    public boolean reachesOtherHosts() {
        return kind == Kind.SYSTEM;
    }

    /** The name and, if it is one, that it is software: {@code mlx5_0}, {@code softhca0 (software)}. */
    @Override
    public String toString() {
        return kind == Kind.SOFTWARE ? name + " (software)" : name;
    }

    /** The GUID in the format of {@code ibv_devinfo}. */
    public String guidText() {
        return String.format("%04x:%04x:%04x:%04x", guid >>> 48, guid >>> 32 & 0xffff, guid >>> 16 & 0xffff,
                guid & 0xffff);
    }
}
