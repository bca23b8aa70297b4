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
 * @since 0.1.0
 */
public record RdmaDeviceInfo(String name, long guid, Transport transport, Kind kind) {

    /** Where a device comes from. */
    public enum Kind {
        /** This system, by rdma-core: a network card, or a software device of the kernel. */
        SYSTEM,
        /** This library: softhca, which reaches the programs of this user on this machine. */
        SOFTWARE
    }

    /**
     * {@code enum ibv_transport_type}. Verbs have no query for what iWARP lacks, so it is said here, and nowhere else:
     * {@link DeviceCapabilities} has the abilities of a device.
     */
    public enum Transport {
        /** InfiniBand. */
        INFINIBAND,
        /** iWARP: RDMA over TCP. */
        IWARP,
        /** Neither of them, such as EFA. */
        OTHER;

        /** {@return whether there may be queue pairs for datagrams} */
        public boolean hasDatagrams() {
            return this != IWARP;
        }

        /** Whether frames are acknowledged by the peer's device: iWARP's are by TCP, without a trace in verbs. */
        boolean confirmsDelivery() {
            return this != IWARP;
        }

        /** Whether the accepting side may send the first frame. With iWARP's MPA only the connecting side may. */
        boolean letsAcceptingSideBegin() {
            return this != IWARP;
        }

        /** Whether the peer needs no access to the memory that a read writes to. With iWARP it writes there. */
        boolean readsWithoutPeersAccess() {
            return this != IWARP;
        }

        /** Whether sends and writes have immediates. iWARP's standard got them late, in RFC 7306. */
        boolean hasImmediates() {
            return this != IWARP;
        }

        /** See {@link DeviceCapabilities#unsignaledSends}. */
        boolean retiresInOrder() {
            return this != IWARP;
        }

        /** See {@link DeviceCapabilities#nonBlockingConnect}. */
        boolean connectsInBackground() {
            return this != IWARP;
        }

        static Transport of(int number) {
            return number == 0 ? INFINIBAND : number == 1 ? IWARP : OTHER;
        }
    }

    /** {@return whether the device may reach other machines} */
    public boolean reachesOtherHosts() {
        return kind == Kind.SYSTEM;
    }

    /** The name and, if it is one, that it is software: {@code mlx5_0}, {@code softhca0 (software)}. */
    @Override
    public String toString() {
        return kind == Kind.SOFTWARE ? name + " (software)" : name;
    }

    /** {@return the GUID in the format of {@code ibv_devinfo}} */
    public String guidText() {
        return String.format("%04x:%04x:%04x:%04x", guid >>> 48, guid >>> 32 & 0xffff, guid >>> 16 & 0xffff,
                guid & 0xffff);
    }
}
