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
package io.nettyrdma.cm;

import io.nettyrdma.jni.AbiLayout.SocketAddress;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.jni.NativeMemory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class AddressRecordTest {

    private static final byte[] LINK_LOCAL = { (byte) 0xfe, (byte) 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, (byte) 0xff,
            (byte) 0xfe, 0, 0, 1 };

    @BeforeAll
    static void loadNativeLibrary() {
        NativeLibrary.verbsUnavailabilityCause();
    }

    @Test
    void addressesRoundTrip() throws UnknownHostException {
        for (InetAddress ip : new InetAddress[] {
                InetAddress.getByAddress(new byte[] { 10, 9, 0, (byte) 254 }),
                InetAddress.getByAddress(new byte[4]),
                InetAddress.getByAddress(new byte[16]),
                Inet6Address.getByAddress(null, LINK_LOCAL, 7) }) {
            for (int port : new int[] { 0, 1, 0x1234, 0xffff }) {
                InetSocketAddress address = new InetSocketAddress(ip, port);
                InetSocketAddress back = AddressRecord.read(AddressRecord.write("local", address));
                assertThat(back).isEqualTo(address);
                assertThat(back.getAddress()).isInstanceOf(ip.getClass());
            }
        }
    }

    @Test
    void scopeOfALinkLocalAddressIsKept() throws UnknownHostException {
        InetAddress ip = Inet6Address.getByAddress(null, LINK_LOCAL, 7);
        InetSocketAddress back = AddressRecord.read(AddressRecord.write("local", new InetSocketAddress(ip, 1)));
        assertThat(((Inet6Address) back.getAddress()).getScopeId()).isEqualTo(7);
    }

    @Test
    void mappedAddressBecomesItsIpv4Address() {
        byte[] mapped = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 9, 0, 1 };
        NativeMemory record = new NativeMemory(SocketAddress.SIZE)
                .putBytes(SocketAddress.ADDR, mapped).putU8(SocketAddress.FAMILY, 6);
        assertThat(AddressRecord.read(record).getAddress()).isInstanceOf(Inet4Address.class)
                .hasToString("/10.9.0.1");
    }

    @Test
    void recordWithoutFamilyHasNoAddress() {
        assertThat(AddressRecord.read(new NativeMemory(SocketAddress.SIZE))).isNull();
    }

    @Test
    void invalidAddressIsRefused() {
        assertThatNullPointerException().isThrownBy(() -> AddressRecord.write("source", null))
                .withMessage("the source address is null");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AddressRecord.write("local", InetSocketAddress.createUnresolved("db", 1)))
                .withMessageStartingWith("the local address db").withMessageContaining("not resolved");
    }
}
