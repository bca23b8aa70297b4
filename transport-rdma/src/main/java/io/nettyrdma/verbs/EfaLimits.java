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
import io.nettyrdma.jni.AbiLayout.EfaAttributes;
import io.nettyrdma.jni.EfaNative;
import io.nettyrdma.jni.Errno;
import io.nettyrdma.jni.NativeMemory;

/**
 * Limits that only EFA devices have ({@code struct efadv_device_attr}).
 *
 * @param capabilities bits of {@code EFADV_DEVICE_ATTR_CAPS_*}.
 * @since 0.1.0
 */
@UnstableApi
public record EfaLimits(int sendRequests, int receiveRequests, int sendSge, int receiveSge, int inlineBytes,
                        int capabilities, int maxRdmaBytes) {

    /** Its MTU is none of the values that an MTU can have, so it says 4096. */
    static final DatagramCapabilities DATAGRAMS = new DatagramCapabilities(true, false, true, 0xffff);

    private static final int RDMA_READ = 1;
    private static final int RNR_RETRY = 1 << 1;
    private static final int RDMA_WRITE = 1 << 3;

    /** {@return whether device and library have RDMA reads} */
    public boolean hasReads() {
        return (capabilities & RDMA_READ) != 0;
    }

    /** {@return whether device and library have RDMA writes, with and without immediate data} */
    public boolean hasWrites() {
        return (capabilities & RDMA_WRITE) != 0;
    }

    /**
     * {@return whether a queue pair can say how often it repeats a message for which its receiver has no receive
     * posted}
     */
    public boolean hasRnrRetry() {
        return (capabilities & RNR_RETRY) != 0;
    }

    /** The limits, or {@code null} if the device is not an EFA device or libefa is not installed. */
    static EfaLimits query(RdmaDevice device) throws VerbsException {
        NativeMemory record = new NativeMemory(EfaAttributes.SIZE);
        int result = EfaNative.queryDevice(device.handle(), record.address());
        if (result == -Errno.EOPNOTSUPP || result == -Errno.ENOSYS) {
            return null;
        }
        VerbsException.check(result, "efadv_query_device", device);
        return new EfaLimits(
                record.u32(EfaAttributes.MAX_SQ_WR),
                record.u32(EfaAttributes.MAX_RQ_WR),
                record.u16(EfaAttributes.MAX_SQ_SGE),
                record.u16(EfaAttributes.MAX_RQ_SGE),
                record.u16(EfaAttributes.INLINE_BUF_SIZE),
                record.u32(EfaAttributes.DEVICE_CAPS),
                record.u32(EfaAttributes.MAX_RDMA_SIZE));
    }
}
