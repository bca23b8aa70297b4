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
package io.nettyrdma.testsuite.support;

import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** A file region that is backed by bytes in memory. A test may override what it reports about itself. */
public class ByteRegion extends AbstractReferenceCounted implements FileRegion {

    private final ByteBuffer bytes;

    public ByteRegion(byte[] bytes) {
        this(ByteBuffer.wrap(bytes));
    }

    /** @param bytes the bytes between its position and its limit. */
    public ByteRegion(ByteBuffer bytes) {
        this.bytes = bytes.slice();
    }

    @Override
    public long position() {
        return 0;
    }

    @Override
    @Deprecated
    public long transfered() {
        return transferred();
    }

    @Override
    public long transferred() {
        return bytes.position();
    }

    @Override
    public long count() {
        return bytes.limit();
    }

    /** The number of bytes that have not been transferred yet. */
    public final long left() {
        return bytes.remaining();
    }

    @Override
    public long transferTo(WritableByteChannel target, long position) throws IOException {
        return target.write(bytes);
    }

    /** {@link #transferTo} for subclasses that transfer one byte at a time. */
    protected final long transferOne(WritableByteChannel target) throws IOException {
        int written = target.write(bytes.slice(bytes.position(), 1));
        bytes.position(bytes.position() + written);
        return written;
    }

    @Override
    public FileRegion retain() {
        super.retain();
        return this;
    }

    @Override
    public FileRegion retain(int increment) {
        super.retain(increment);
        return this;
    }

    @Override
    public FileRegion touch() {
        return this;
    }

    @Override
    public FileRegion touch(Object hint) {
        return this;
    }

    @Override
    protected void deallocate() {
    }
}
