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
package io.nettyrdma.integrations;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/**
 * Replaces the names of NIO's or epoll's loops and channels in the class files of programs that fix them. Only names in
 * the constant pool change, no instruction does.
 */
final class NioNames {

    private static final int UTF8 = 1;
    private static final Map<String, String> OURS = Map.of(
            "io/netty/channel/nio/NioEventLoopGroup", "io/nettyrdma/integrations/RdmaEventLoopGroup",
            "io/netty/channel/nio/NioIoHandle", "io/nettyrdma/io/RdmaIoHandle",
            "io/netty/channel/nio/NioIoHandler", "io/nettyrdma/integrations/RdmaLoops",
            "io/netty/channel/socket/nio/NioServerSocketChannel", "io/nettyrdma/channel/RdmaServerChannel",
            "io/netty/channel/socket/nio/NioSocketChannel", "io/nettyrdma/channel/RdmaChannel",
            "io/netty/channel/epoll/EpollEventLoopGroup", "io/nettyrdma/integrations/RdmaEventLoopGroup",
            "io/netty/channel/epoll/EpollIoHandler", "io/nettyrdma/integrations/RdmaLoops",
            "io/netty/channel/epoll/EpollServerSocketChannel", "io/nettyrdma/channel/RdmaServerChannel",
            "io/netty/channel/epoll/EpollSocketChannel", "io/nettyrdma/channel/RdmaChannel");

    private NioNames() {
    }

    /** The Java Virtual Machine Specification, 4.1 and 4.4. */
    static byte[] replace(byte[] classFile) {
        ByteArrayOutputStream replaced = new ByteArrayOutputStream(classFile.length);
        try {
            copy(new DataInputStream(new ByteArrayInputStream(classFile)), new DataOutputStream(replaced));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return replaced.toByteArray();
    }

    private static void copy(DataInputStream in, DataOutputStream out) throws IOException {
        out.write(in.readNBytes(8));
        int count = in.readUnsignedShort();
        out.writeShort(count);
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            if (tag == UTF8) {
                out.writeUTF(replace(in.readUTF()));
                continue;
            }
            int length = length(tag);
            out.write(in.readNBytes(length));
            // An eight-byte constant takes two entries.
            i += length == 8 ? 1 : 0;
        }
        in.transferTo(out);
    }

    /** A class name alone, or in descriptors and signatures, where it is between L and ;. */
    private static String replace(String constant) {
        String replaced = constant;
        for (Map.Entry<String, String> name : OURS.entrySet()) {
            replaced = replaced.equals(name.getKey()) ? name.getValue()
                    : replaced.replace('L' + name.getKey() + ';', 'L' + name.getValue() + ';');
        }
        return replaced;
    }

    private static int length(int tag) throws IOException {
        switch (tag) {
            case 7: case 8: case 16: case 19: case 20:
                return 2;
            case 15:
                return 3;
            case 3: case 4: case 9: case 10: case 11: case 12: case 17: case 18:
                return 4;
            case 5: case 6:
                return 8;
            default:
                throw new IOException("not a constant that the specification knows: " + tag);
        }
    }
}
