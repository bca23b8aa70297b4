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

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.jni.AbiLayout.DeviceAttributes;
import io.nettyrdma.jni.NativeMemory;

/**
 * Limits of a device ({@code struct ibv_device_attr}). A limit of 0 means that the device has no such objects.
 *
 * @since 0.1.0
 */
@UnstableApi
public record DeviceLimits(String firmware, int vendorId, int partId, int ports, long maxRegionBytes, int queuePairs,
                           int workRequests, int sge, int readSge, int completionQueues, int completionQueueEntries,
                           int memoryRegions, int protectionDomains, int readsOut, int readsIn, boolean atomics,
                           int addressHandles, int sharedReceiveQueues, int sharedReceiveRequests,
                           int sharedReceiveSge, int completionVectors) {

    private static final int FIRMWARE_LENGTH = 64;

    static DeviceLimits read(NativeMemory record) {
        return new DeviceLimits(
                record.string(DeviceAttributes.FW_VER, FIRMWARE_LENGTH),
                record.u32(DeviceAttributes.VENDOR_ID),
                record.u32(DeviceAttributes.VENDOR_PART_ID),
                record.u32(DeviceAttributes.PHYS_PORT_CNT),
                record.u64(DeviceAttributes.MAX_MR_SIZE),
                record.u32(DeviceAttributes.MAX_QP),
                record.u32(DeviceAttributes.MAX_QP_WR),
                record.u32(DeviceAttributes.MAX_SGE),
                record.u32(DeviceAttributes.MAX_SGE_RD),
                record.u32(DeviceAttributes.MAX_CQ),
                record.u32(DeviceAttributes.MAX_CQE),
                record.u32(DeviceAttributes.MAX_MR),
                record.u32(DeviceAttributes.MAX_PD),
                record.u32(DeviceAttributes.MAX_QP_INIT_RD_ATOM),
                record.u32(DeviceAttributes.MAX_QP_RD_ATOM),
                record.u32(DeviceAttributes.ATOMIC_CAP) != 0,
                record.u32(DeviceAttributes.MAX_AH),
                record.u32(DeviceAttributes.MAX_SRQ),
                record.u32(DeviceAttributes.MAX_SRQ_WR),
                record.u32(DeviceAttributes.MAX_SRQ_SGE),
                record.u32(DeviceAttributes.NUM_COMP_VECTORS));
    }
}
