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

import io.nettyrdma.jni.DeviceChoice.Source;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DeviceChoiceTest {

    @Test
    void threeKeywordsChooseTheSource() {
        assertThat(DeviceChoice.parse("system")).isEqualTo(new DeviceChoice(Source.SYSTEM, null));
        assertThat(DeviceChoice.parse("any")).isEqualTo(new DeviceChoice(Source.ANY, null));
        assertThat(DeviceChoice.parse(" Software ")).isEqualTo(new DeviceChoice(Source.SOFTWARE, null));
    }

    @Test
    void emptyValueChoosesTheSystem() {
        assertThat(DeviceChoice.parse("")).isEqualTo(new DeviceChoice(Source.SYSTEM, null));
    }

    @Test
    void aNameChoosesTheSourceThatHasIt() {
        assertThat(DeviceChoice.parse("softhca0")).isEqualTo(new DeviceChoice(Source.SOFTWARE, "softhca0"));
        assertThat(DeviceChoice.parse("mlx5_0")).isEqualTo(new DeviceChoice(Source.SYSTEM, "mlx5_0"));
    }

    @Test
    void deviceIsExpectedIfItIsNamedOrShipped() {
        assertThat(DeviceChoice.parse("").isExpected()).isFalse();
        assertThat(DeviceChoice.parse("any").isExpected()).isFalse();
        assertThat(DeviceChoice.parse("software").isExpected()).isTrue();
        assertThat(DeviceChoice.parse("mlx5_0").isExpected()).isTrue();
    }

    @Test
    void aNameAdmitsNoOtherDevice() {
        assertThat(DeviceChoice.parse("mlx5_0").admits("mlx5_0")).isTrue();
        assertThat(DeviceChoice.parse("mlx5_0").admits("mlx5_01")).isFalse();
        assertThat(DeviceChoice.parse("system").admits("mlx5_0")).isTrue();
    }
}
