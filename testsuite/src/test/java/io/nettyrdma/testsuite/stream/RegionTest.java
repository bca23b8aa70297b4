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
package io.nettyrdma.testsuite.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.OneProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** A file region writes to a channel that is a frame being assembled. */
@Tag("device")
@OneProcess("both ends of a stream are inspected")
class RegionTest {

    private static final byte[] CONTENT = { 1, 2, 3, 4, 5 };

    @TempDir
    Path directory;

    /** The frame is a different one by then, or none. */
    @Test
    void targetChannelOfARegionRefusesLaterWrites() throws Exception {
        File file = Files.write(directory.resolve("file"), CONTENT).toFile();
        Keeper keeper = new Keeper(file);
        Late late = new Late(keeper);
        ByteArrayOutputStream came = new ByteArrayOutputStream();
        try (StreamPair pair = new StreamPair(StreamConfig.DEFAULT)) {
            pair.right.reader = buffer -> {
                came.writeBytes(bytes(buffer));
                buffer.release();
            };
            pair.left.write(keeper);
            pair.left.write(late);
            pair.left.flush();
            assertThat(keeper.writeLate()).as("after the flush").isZero();
            pair.left.writeAndFlush(Unpooled.wrappedBuffer(CONTENT));
            pair.until("the bytes", () -> came.size() >= 2 * CONTENT.length);
            assertThat(late.written).as("while the next message is sent").isZero();
            assertThat(came.toByteArray()).isEqualTo(new byte[] { 1, 2, 3, 4, 5, 1, 2, 3, 4, 5 });
        }
    }

    private static byte[] bytes(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes);
        return bytes;
    }

    private static final class Keeper extends DefaultFileRegion {

        private WritableByteChannel kept;

        private Keeper(File file) {
            super(file, 0, CONTENT.length);
        }

        @Override
        public long transferTo(WritableByteChannel target, long position) throws IOException {
            kept = target;
            return super.transferTo(target, position);
        }

        private int writeLate() throws IOException {
            return kept.write(ByteBuffer.wrap(new byte[] { 9, 9, 9 }));
        }
    }

    /** A region without bytes; something else is written while it is asked how many it has. */
    private static final class Late extends AbstractReferenceCounted implements FileRegion {

        private final Keeper keeper;
        private int written;

        private Late(Keeper keeper) {
            this.keeper = keeper;
        }

        @Override
        public long transferred() {
            if (keeper.kept != null) {
                try {
                    written += keeper.writeLate();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return 0;
        }

        @Override
        @Deprecated
        public long transfered() {
            return 0;
        }

        @Override
        public long position() {
            return 0;
        }

        @Override
        public long count() {
            return 0;
        }

        @Override
        public long transferTo(WritableByteChannel target, long position) {
            return 0;
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
}
