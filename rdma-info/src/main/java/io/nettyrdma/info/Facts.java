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

import io.nettyrdma.verbs.EfaLimits;

import java.util.List;

/**
 * All facts that are printed. The component names are the keys in JSON and, split into words, the labels in the text.
 * {@code null} means unknown or absent.
 *
 * @param missing why RDMA cannot be used, and the cure; {@code null} if it can.
 */
record Facts(String version, Host host, DeviceSource deviceSource, List<Library> libraries,
             ConnectionManager connectionManager, Memory memory, List<Device> devices, String missing) {

    record Host(String system, String architecture, String java) {
    }

    /**
     * @param kind whether rdma-core or the software device is used.
     * @param onlyDevice name of the only device to use, if the user named one.
     * @param reason why the software device was selected, if that was automatic.
     */
    record DeviceSource(String kind, String onlyDevice, String reason) {
    }

    /**
     * @param path the file that was opened; its name contains the version.
     * @param problem why the library cannot be used.
     */
    record Library(String name, boolean usable, String path, String problem) {
    }

    /** @param problem why connections by IP address are not possible. */
    record ConnectionManager(boolean usable, String problem) {
    }

    /**
     * @param lockedLimitBytes a number, "unlimited" or "unknown".
     * @param transparentHugePages {@code always}, {@code madvise} or {@code never}.
     */
    record Memory(Object lockedLimitBytes, String transparentHugePages, List<HugePages> hugePages) {
    }

    record HugePages(long pageBytes, long total, long free) {
    }

    /** @param problem why some facts of the device are missing. */
    record Device(String name, String transport, String nodeGuid, String problem, String firmware, String vendorId,
                  String partId, List<Port> ports, List<Feature> features, Limits limits, EfaLimits efa) {
    }

    record Port(int number, String state, String linkLayer, int activeMtu, int maxMtu, int lid, long maxMessageBytes,
                int gidTableLength, int partitionKeyTableLength, List<GidFact> gids) {
    }

    record GidFact(int index, String gid, String type, String networkInterface) {
    }

    /**
     * @param value yes, no, or a number.
     * @param detail what is used, and which property switched the capability off.
     */
    record Feature(String name, Object value, String detail) {
    }

    /** @param maxRegionBytes a number, or "unlimited". */
    record Limits(Object maxRegionBytes, int queuePairs, int workRequests, int sge, int readSge, int completionQueues,
                  int completionQueueEntries, int completionVectors, int memoryRegions, int protectionDomains,
                  int readsOut, int readsIn, int addressHandles, int sharedReceiveQueues, int sharedReceiveRequests,
                  int sharedReceiveSge) {
    }
}
