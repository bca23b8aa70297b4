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

import io.nettyrdma.jni.NativeMemory;
import org.junit.jupiter.api.Test;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

/** The records that describe a device. */
class DeviceRecordsTest {

    @Test
    void guidHasTheFormatOfIbvDevinfo() {
        assertThat(device(0x020000fffe001234L, RdmaDeviceInfo.Kind.SYSTEM).guidText())
                .isEqualTo("0200:00ff:fe00:1234");
        assertThat(device(0xfedcba9876543210L, RdmaDeviceInfo.Kind.SYSTEM).guidText())
                .isEqualTo("fedc:ba98:7654:3210");
        assertThat(device(0, RdmaDeviceInfo.Kind.SYSTEM).guidText()).isEqualTo("0000:0000:0000:0000");
    }

    @Test
    void onlyTheSoftwareDeviceReachesNoOtherHost() {
        assertThat(device(0, RdmaDeviceInfo.Kind.SYSTEM).reachesOtherHosts()).isTrue();
        assertThat(device(0, RdmaDeviceInfo.Kind.SYSTEM)).hasToString("some0");
        assertThat(device(0, RdmaDeviceInfo.Kind.SOFTWARE).reachesOtherHosts()).isFalse();
        assertThat(device(0, RdmaDeviceInfo.Kind.SOFTWARE)).hasToString("some0 (software)");
    }

    private static RdmaDeviceInfo device(long guid, RdmaDeviceInfo.Kind kind) {
        return new RdmaDeviceInfo("some0", guid, RdmaDeviceInfo.Transport.INFINIBAND, kind);
    }

    /** Every 32-bit field of {@code struct nrdma_device_attr} holds its own offset. */
    @Test
    void everyLimitIsReadFromItsOffset() {
        NativeMemory record = new NativeMemory(184).putBytes(0, "20.31.1014".getBytes(US_ASCII))
                .putU64(80, 0x7fffffffffffL);
        for (int offset = 96; offset < 184; offset += 4) {
            record.putU32(offset, offset);
        }
        assertThat(DeviceLimits.read(record)).isEqualTo(new DeviceLimits("20.31.1014", 96, 100, 176, 0x7fffffffffffL,
                112, 116, 120, 124, 128, 132, 136, 140, 148, 144, true, 156, 160, 164, 168, 180));
    }

    @Test
    void onlyAtomicCapabilityNoneMeansNoAtomics() {
        NativeMemory record = new NativeMemory(184);
        assertThat(DeviceLimits.read(record).atomics()).isFalse();
        assertThat(DeviceLimits.read(record.putU32(152, 1)).atomics()).isTrue();
        assertThat(DeviceLimits.read(record.putU32(152, 2)).atomics()).isTrue();
    }
}
