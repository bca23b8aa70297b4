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
package io.nettyrdma.testsuite.differential;

import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** A message that is no buffer. Its count can be what is still to be sent, as that of Spark's encrypted ones is. */
final class ContentRegion extends AbstractReferenceCounted implements FileRegion {

    private final int id;
    private final int size;
    private final boolean shrinking;
    private int transferred;

    ContentRegion(int id, int size, boolean shrinking) {
        this.id = id;
        this.size = size;
        this.shrinking = shrinking;
    }

    @Override
    public long position() {
        return 0;
    }

    @Override
    @Deprecated
    public long transfered() {
        return transferred;
    }

    @Override
    public long transferred() {
        return transferred;
    }

    @Override
    public long count() {
        return shrinking ? size - transferred : size;
    }

    @Override
    public long transferTo(WritableByteChannel target, long position) throws IOException {
        ByteBuffer rest = Content.part(id, (int) position, size);
        int written = target.write(rest);
        transferred += Math.max(0, written);
        return written;
    }

    @Override
    protected void deallocate() {
        // There is nothing but the count.
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
}
