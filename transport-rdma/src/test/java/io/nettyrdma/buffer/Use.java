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
package io.nettyrdma.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ByteProcessor;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;

import static java.nio.charset.StandardCharsets.*;

/** A call of one method of a buffer that has readable and writable bytes. */
record Use(String name, Call call) {

    interface Call {
        void on(ByteBuf buffer) throws IOException;
    }

    @Override
    public String toString() {
        return name;
    }

    /** All methods that look at the bytes, or expose them, and change neither them nor the capacity. */
    static List<Use> reading(FileChannel file) {
        GatheringByteChannel channel = file;
        ByteBuf other = Unpooled.buffer(16);
        List<Use> uses = new ArrayList<>();
        for (Accessor accessor : Accessor.values()) {
            uses.add(new Use("get " + accessor, b -> accessor.get(b, 0)));
            uses.add(new Use("read " + accessor, accessor::read));
        }
        uses.addAll(List.of(
                new Use("getBytes(ByteBuf)", b -> b.getBytes(0, other.clear())),
                new Use("getBytes(ByteBuf, length)", b -> b.getBytes(0, other.clear(), 1)),
                new Use("getBytes(ByteBuf, index, length)", b -> b.getBytes(0, other, 0, 1)),
                new Use("getBytes(byte[])", b -> b.getBytes(0, new byte[8])),
                new Use("getBytes(byte[], index, length)", b -> b.getBytes(0, new byte[8], 0, 1)),
                new Use("getBytes(ByteBuffer)", b -> b.getBytes(0, ByteBuffer.allocate(8))),
                new Use("getBytes(direct ByteBuffer)", b -> b.getBytes(0, ByteBuffer.allocateDirect(8))),
                new Use("getBytes(OutputStream)", b -> b.getBytes(0, new ByteArrayOutputStream(), 1)),
                new Use("getBytes(channel)", b -> b.getBytes(0, channel, 1)),
                new Use("getBytes(file)", b -> b.getBytes(0, file, 0, 1)),
                new Use("getCharSequence", b -> b.getCharSequence(0, 1, US_ASCII)),
                new Use("readBytes(length)", b -> b.readBytes(1).release()),
                new Use("readBytes(ByteBuf)", b -> b.readBytes(other.clear().writerIndex(15))),
                new Use("readBytes(ByteBuf, length)", b -> b.readBytes(other.clear(), 1)),
                new Use("readBytes(ByteBuf, index, length)", b -> b.readBytes(other, 0, 1)),
                new Use("readBytes(byte[])", b -> b.readBytes(new byte[8])),
                new Use("readBytes(byte[], index, length)", b -> b.readBytes(new byte[8], 0, 1)),
                new Use("readBytes(ByteBuffer)", b -> b.readBytes(ByteBuffer.allocate(8))),
                new Use("readBytes(OutputStream)", b -> b.readBytes(new ByteArrayOutputStream(), 1)),
                new Use("readBytes(channel)", b -> b.readBytes(channel, 1)),
                new Use("readBytes(file)", b -> b.readBytes(file, 0, 1)),
                new Use("readCharSequence", b -> b.readCharSequence(1, US_ASCII)),
                new Use("readString", b -> b.readString(1, UTF_8)),
                new Use("toString", b -> b.toString(UTF_8)),
                new Use("indexOf", b -> b.indexOf(0, 8, (byte) 1)),
                new Use("bytesBefore", b -> b.bytesBefore((byte) 1)),
                new Use("forEachByte", b -> b.forEachByte(ByteProcessor.FIND_LF)),
                new Use("forEachByte(index, length)", b -> b.forEachByte(0, 1, ByteProcessor.FIND_LF)),
                new Use("forEachByteDesc", b -> b.forEachByteDesc(ByteProcessor.FIND_LF)),
                new Use("forEachByteDesc(index, length)", b -> b.forEachByteDesc(0, 1, ByteProcessor.FIND_LF)),
                new Use("skipBytes", b -> b.skipBytes(1))));
        uses.addAll(handingOut());
        return uses;
    }

    private static List<Use> handingOut() {
        return List.of(
                new Use("copy", b -> b.copy().release()),
                new Use("copy(index, length)", b -> b.copy(0, 1).release()),
                new Use("slice", ByteBuf::slice),
                new Use("slice(index, length)", b -> b.slice(0, 1)),
                new Use("retainedSlice", b -> b.retainedSlice().release()),
                new Use("retainedSlice(index, length)", b -> b.retainedSlice(0, 1).release()),
                new Use("readSlice", b -> b.readSlice(1)),
                new Use("readRetainedSlice", b -> b.readRetainedSlice(1).release()),
                new Use("duplicate", ByteBuf::duplicate),
                new Use("retainedDuplicate", b -> b.retainedDuplicate().release()),
                new Use("nioBuffer", ByteBuf::nioBuffer),
                new Use("nioBuffer(index, length)", b -> b.nioBuffer(0, 1)),
                new Use("nioBuffers", ByteBuf::nioBuffers),
                new Use("nioBuffers(index, length)", b -> b.nioBuffers(0, 1)),
                new Use("internalNioBuffer", b -> b.internalNioBuffer(0, 1)),
                new Use("memoryAddress", ByteBuf::memoryAddress));
    }

    /** All methods that change the bytes or the capacity. */
    static List<Use> writing(FileChannel file) {
        ScatteringByteChannel channel = file;
        List<Use> uses = new ArrayList<>();
        for (Accessor accessor : Accessor.values()) {
            uses.add(new Use("set " + accessor, b -> accessor.set(b, 0, 1)));
            uses.add(new Use("write " + accessor, b -> accessor.write(b, 1)));
        }
        for (Charset charset : new Charset[] { US_ASCII, ISO_8859_1, UTF_8, UTF_16 }) {
            uses.add(new Use("setCharSequence " + charset, b -> b.setCharSequence(0, "x", charset)));
            uses.add(new Use("writeCharSequence " + charset, b -> b.writeCharSequence("x", charset)));
        }
        uses.addAll(List.of(
                new Use("setBytes(ByteBuf)", b -> b.setBytes(0, source())),
                new Use("setBytes(ByteBuf, length)", b -> b.setBytes(0, source(), 1)),
                new Use("setBytes(ByteBuf, index, length)", b -> b.setBytes(0, source(), 0, 1)),
                new Use("setBytes(byte[])", b -> b.setBytes(0, new byte[8])),
                new Use("setBytes(byte[], index, length)", b -> b.setBytes(0, new byte[8], 0, 1)),
                new Use("setBytes(ByteBuffer)", b -> b.setBytes(0, ByteBuffer.allocate(8))),
                new Use("setBytes(InputStream)", b -> b.setBytes(0, new ByteArrayInputStream(new byte[8]), 1)),
                new Use("setBytes(channel)", b -> b.setBytes(0, channel, 1)),
                new Use("setBytes(file)", b -> b.setBytes(0, file, 0, 1)),
                new Use("setZero", b -> b.setZero(0, 1)),
                new Use("writeBytes(ByteBuf)", b -> b.writeBytes(source())),
                new Use("writeBytes(ByteBuf, length)", b -> b.writeBytes(source(), 1)),
                new Use("writeBytes(ByteBuf, index, length)", b -> b.writeBytes(source(), 0, 1)),
                new Use("writeBytes(byte[])", b -> b.writeBytes(new byte[8])),
                new Use("writeBytes(byte[], index, length)", b -> b.writeBytes(new byte[8], 0, 1)),
                new Use("writeBytes(ByteBuffer)", b -> b.writeBytes(ByteBuffer.allocate(8))),
                new Use("writeBytes(InputStream)", b -> b.writeBytes(new ByteArrayInputStream(new byte[8]), 1)),
                new Use("writeBytes(channel)", b -> b.writeBytes(channel, 1)),
                new Use("writeBytes(file)", b -> b.writeBytes(file, 0, 1)),
                new Use("writeZero", b -> b.writeZero(1)),
                new Use("ensureWritable", b -> b.ensureWritable(1)),
                new Use("ensureWritable(force)", b -> b.ensureWritable(1, true)),
                new Use("capacity", b -> b.capacity(b.capacity() / 2)),
                new Use("discardReadBytes", ByteBuf::discardReadBytes),
                new Use("discardSomeReadBytes", ByteBuf::discardSomeReadBytes)));
        return uses;
    }

    private static ByteBuf source() {
        return Unpooled.wrappedBuffer(new byte[8]);
    }
}
