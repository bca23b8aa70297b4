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
package io.nettyrdma.top;

import com.sun.tools.attach.VirtualMachineDescriptor;
import com.sun.tools.attach.spi.AttachProvider;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class TargetTest {

    private static final VirtualMachineDescriptor OWN = machine("7", "io.nettyrdma.top.RdmaTop");

    @Test
    void listLeavesItselfOut() {
        assertThat(Target.list(List.of(OWN, machine("8", "com.acme.Main --port 80"), machine("9", "")), 7))
                .isEqualTo("8 com.acme.Main\n9 (unknown)\n");
    }

    @Test
    void listWithoutAnotherJvmSaysSo() {
        assertThat(Target.list(List.of(OWN), 7)).isEqualTo("no other JVM of this user runs here\n");
        assertThat(Target.list(List.of(), 7)).isEqualTo("no other JVM of this user runs here\n");
    }

    private static VirtualMachineDescriptor machine(String id, String name) {
        return new VirtualMachineDescriptor(AttachProvider.providers().get(0), id, name);
    }
}
