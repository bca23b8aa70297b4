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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.SwappedByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.buffer.RdmaByteBufAllocator;

import java.nio.ByteOrder;

/** Wrappers that ignore references: the buffer in them is released by its owner alone. */
public enum Wrapper {

    UNRELEASABLE {
        @Override
        public ByteBuf of(ByteBuf buffer) {
            return Unpooled.unreleasableBuffer(buffer);
        }
    },
    SLICE_OF_UNRELEASABLE {
        @Override
        public ByteBuf of(ByteBuf buffer) {
            return Unpooled.unreleasableBuffer(buffer).slice();
        }
    },
    READ_ONLY_DUPLICATE {
        @Override
        public ByteBuf of(ByteBuf buffer) {
            return Unpooled.unreleasableBuffer(buffer.duplicate()).asReadOnly();
        }
    },
    SWAPPED {
        @Override
        @SuppressWarnings("deprecation")
        public ByteBuf of(ByteBuf buffer) {
            return Unpooled.unreleasableBuffer(buffer).order(ByteOrder.LITTLE_ENDIAN);
        }
    },
    COMPOSITE {
        @Override
        public ByteBuf of(ByteBuf buffer) {
            ByteBuf half = buffer.slice(buffer.readerIndex(), buffer.readableBytes() / 2);
            ByteBuf rest = buffer.slice(half.capacity(), buffer.readableBytes() - half.capacity());
            return ByteBufAllocator.DEFAULT.compositeDirectBuffer().addComponents(true,
                    Unpooled.unreleasableBuffer(half), Unpooled.unreleasableBuffer(rest).slice());
        }
    },
    OF_THE_APPLICATION {
        @Override
        public ByteBuf of(ByteBuf buffer) {
            return new Own(buffer);
        }
    },
    WITHOUT_UNWRAP {
        @Override
        public ByteBuf of(ByteBuf buffer) {
            return new Own(buffer) {
                @Override
                public ByteBuf unwrap() {
                    return null;
                }
            };
        }
    },
    WITH_ANOTHER_UNWRAPPED {
        @Override
        public ByteBuf of(ByteBuf buffer) {
            return new Own(buffer) {
                @Override
                public ByteBuf unwrap() {
                    return Another.BUFFER;
                }
            };
        }
    },
    WITHOUT_ADDRESS {
        @Override
        public ByteBuf of(ByteBuf buffer) {
            return new Own(buffer) {
                @Override
                public boolean hasMemoryAddress() {
                    return false;
                }

                @Override
                public long memoryAddress() {
                    throw new UnsupportedOperationException();
                }
            };
        }
    };

    /** Returns a wrapper of the buffer's readable bytes. */
    public abstract ByteBuf of(ByteBuf buffer);

    /** Whether the buffer that has the memory can be found in it. */
    public boolean unwraps() {
        return hasAddress() && this != WITHOUT_UNWRAP && this != WITH_ANOTHER_UNWRAPPED;
    }

    public boolean isReadOnly() {
        return this == READ_ONLY_DUPLICATE;
    }

    /** Whether a device can get the address of its memory. */
    public boolean hasAddress() {
        return this != WITHOUT_ADDRESS && this != COMPOSITE;
    }

    private static final class Another {
        static final ByteBuf BUFFER = RdmaByteBufAllocator.DEFAULT.directBuffer(1 << 20).writeZero(1 << 20);
    }

    /** Only the order of the bytes of its numbers differs. */
    @SuppressWarnings("deprecation")
    private static class Own extends SwappedByteBuf {

        Own(ByteBuf buffer) {
            super(buffer);
        }

        @Override
        public ByteBuf retain() {
            return this;
        }

        @Override
        public ByteBuf retain(int increment) {
            return this;
        }

        @Override
        public boolean release() {
            return false;
        }

        @Override
        public boolean release(int decrement) {
            return false;
        }
    }
}
