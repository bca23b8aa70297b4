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

import io.nettyrdma.info.check.MtuCheck.RocePort;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Ports: state, GIDs, MTU. */
class PortChecksTest {

    private static final String PORT = "sys/class/infiniband/mlx5_0/ports/1/";
    private static final String UNSET = "0000:0000:0000:0000:0000:0000:0000:0000";

    @TempDir
    private Path root;
    private Tree tree;

    @BeforeEach
    void makePort() {
        tree = new Tree(root).device("mlx5_0").file(PORT + "state", "4: ACTIVE")
                .file(PORT + "link_layer", "Ethernet").file(PORT + "gid_attrs/ndevs/0", "eth1");
        gid(0, "fe80:0000:0000:0000:0202:c9ff:fe00:0001", "RoCE v2");
        gid(1, "0000:0000:0000:0000:0000:ffff:0a00:0001", "IB/RoCE v1");
        gid(2, UNSET, "RoCE v2");
    }

    @Test
    void portThatIsDownNamesItsInterface() {
        tree.file(PORT + "state", "1: DOWN");
        assertThat(ports()).isEqualTo("WARNING mlx5_0 port 1 is not active (1: DOWN) -> "
                + "ip link set dev eth1 up, and connect its cable");
    }

    @Test
    void linkLocalGidAloneNeedsAnAddress() {
        assertThat(ports()).isEqualTo("WARNING mlx5_0 port 1 has no GID of an IP address -> "
                + "ip address add ADDRESS/BITS dev eth1");
    }

    @Test
    void portWithOldGidsAloneCannotBeRouted() {
        gid(0, "fe80:0000:0000:0000:0202:c9ff:fe00:0001", "IB/RoCE v1");
        assertThat(ports()).startsWith("WARNING mlx5_0 port 1 has no GID of RoCE v2");
    }

    @Test
    void versionOfConnectionsIsThatOfTheConnectionManager() {
        gid(3, "0000:0000:0000:0000:0000:ffff:0a00:0001", "RoCE v2");
        assertThat(ports()).isEqualTo("OK mlx5_0 port 1 is active, with 2 GIDs of RoCE v2");
        String mode = "sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode";
        tree.file(mode, "IB/RoCE v1");
        assertThat(ports()).startsWith("WARNING mlx5_0 port 1 connects by IB/RoCE v1")
                .endsWith(" -> echo 'RoCE v2' > /" + mode);
        tree.file(mode, "RoCE v2");
        assertThat(ports()).startsWith("OK");
    }

    @Test
    void iwarpAndInfiniBandHaveNoVersionOfRoce() {
        tree.file("sys/class/infiniband/mlx5_0/node_type", "4: RNIC");
        assertThat(ports()).isEqualTo("OK mlx5_0 port 1 is active");
        tree.file("sys/class/infiniband/mlx5_0/node_type", "1: CA").file(PORT + "link_layer", "InfiniBand");
        assertThat(ports()).isEqualTo("OK mlx5_0 port 1 is active");
    }

    @Test
    void usualMtuOfInterfacesMakesSmallPackets() {
        tree.file("sys/class/net/eth1/mtu", "1500");
        assertThat(mtu(1024)).startsWith("NOTE mlx5_0 port 1 sends packets of 1024 bytes, and its interface eth1 has "
                + "an MTU of 1500 -> ip link set dev eth1 mtu 4200");
    }

    @Test
    void interfaceThatPermitsMoreIsTakenOver() {
        tree.file("sys/class/net/eth1/mtu", "9000");
        assertThat(mtu(1024)).startsWith("WARNING ").contains("which permits 4096 -> ip link set dev eth1 down");
        assertThat(mtu(4096)).startsWith("OK ");
    }

    @Test
    void headersOfRoceCount() {
        tree.file("sys/class/net/eth1/mtu", String.valueOf(4096 + 95));
        assertThat(mtu(2048)).startsWith("NOTE ");
        tree.file("sys/class/net/eth1/mtu", String.valueOf(4096 + 96));
        assertThat(mtu(2048)).startsWith("WARNING ");
    }

    private void gid(int index, String gid, String type) {
        tree.file(PORT + "gids/" + index, gid).file(PORT + "gid_attrs/types/" + index, type);
    }

    private String ports() {
        return Tree.only(new PortsCheck().findings(tree.machine()));
    }

    private String mtu(int active) {
        return Tree.only(new MtuCheck(List.of(new RocePort("mlx5_0", 1, active, 4096, "eth1")))
                .findings(tree.machine()));
    }
}
