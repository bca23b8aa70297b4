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

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;

/**
 * The part of a direct buffer that messages do not use on their way: copies from and to streams and channels, and the
 * array that there is none of.
 */
abstract class DirectByteBuf extends AbstractReferenceCountedByteBuf {

    /** Size in bytes of the array for copies to a stream. */
    private static final int STREAM_BYTES = 8192;

    DirectByteBuf(int maxCapacity) {
        super(maxCapacity);
    }

    @Override
    @Deprecated
    public ByteOrder order() {
        return ByteOrder.BIG_ENDIAN;
    }

    @Override
    public byte[] array() {
        throw new UnsupportedOperationException("direct buffer");
    }

    @Override
    public int arrayOffset() {
        throw new UnsupportedOperationException("direct buffer");
    }

    @Override
    public ByteBuf getBytes(int index, OutputStream out, int count) throws IOException {
        checkIndex(index, count);
        byte[] bytes = new byte[Math.min(count, STREAM_BYTES)];
        for (int done = 0; done < count;) {
            int part = Math.min(bytes.length, count - done);
            getBytes(index + done, bytes, 0, part);
            out.write(bytes, 0, part);
            done += part;
        }
        return this;
    }

    @Override
    public int getBytes(int index, GatheringByteChannel out, int count) throws IOException {
        return out.write(nioBuffer(index, count));
    }

    @Override
    public int getBytes(int index, FileChannel out, long position, int count) throws IOException {
        return out.write(nioBuffer(index, count), position);
    }

    /** Reads from the stream once, as the contract requires. It may return fewer bytes than requested. */
    @Override
    public int setBytes(int index, InputStream in, int count) throws IOException {
        checkIndex(index, count);
        byte[] bytes = new byte[count];
        int read = in.read(bytes);
        if (read > 0) {
            setBytes(index, bytes, 0, read);
        }
        return read;
    }

    @Override
    public int setBytes(int index, ScatteringByteChannel in, int count) throws IOException {
        try {
            return in.read(nioBuffer(index, count));
        } catch (ClosedChannelException e) {
            return -1;
        }
    }

    @Override
    public int setBytes(int index, FileChannel in, long position, int count) throws IOException {
        try {
            return in.read(nioBuffer(index, count), position);
        } catch (ClosedChannelException e) {
            return -1;
        }
    }

    @Override
    public ByteBuffer[] nioBuffers(int index, int count) {
        return new ByteBuffer[] { nioBuffer(index, count) };
    }
}
