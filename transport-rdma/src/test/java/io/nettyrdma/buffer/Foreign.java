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

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** The buffers at the other end of a copy, as applications use them. */
enum Foreign {

    OURS {
        @Override
        ByteBuf make(byte[] content) {
            return fill(TestAllocator.get().directBuffer(content.length, content.length), content);
        }
    },
    OURS_HEAP {
        @Override
        ByteBuf make(byte[] content) {
            return fill(TestAllocator.get().heapBuffer(content.length, content.length), content);
        }
    },
    OURS_SLICE {
        @Override
        ByteBuf make(byte[] content) {
            ByteBuf whole = TestAllocator.get().directBuffer(content.length + 9);
            return whole.setBytes(6, content).slice(6, content.length);
        }
    },
    POOLED_HEAP {
        @Override
        ByteBuf make(byte[] content) {
            return fill(PooledByteBufAllocator.DEFAULT.heapBuffer(content.length, content.length), content);
        }
    },
    POOLED_DIRECT {
        @Override
        ByteBuf make(byte[] content) {
            return fill(PooledByteBufAllocator.DEFAULT.directBuffer(content.length, content.length), content);
        }
    },
    ADAPTIVE_HEAP {
        @Override
        ByteBuf make(byte[] content) {
            return fill(ADAPTIVE.heapBuffer(content.length, content.length), content);
        }
    },
    ADAPTIVE_DIRECT {
        @Override
        ByteBuf make(byte[] content) {
            return fill(ADAPTIVE.directBuffer(content.length, content.length), content);
        }
    },
    UNPOOLED_HEAP {
        @Override
        ByteBuf make(byte[] content) {
            return fill(Unpooled.buffer(content.length, content.length), content);
        }
    },
    UNPOOLED_DIRECT {
        @Override
        ByteBuf make(byte[] content) {
            return fill(Unpooled.directBuffer(content.length, content.length), content);
        }
    },
    WRAPPED_BYTE_BUFFER {
        @Override
        ByteBuf make(byte[] content) {
            return fill(Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(content.length)).clear(), content);
        }
    },
    PART_OF_AN_ARRAY {
        @Override
        ByteBuf make(byte[] content) {
            byte[] array = new byte[content.length + 10];
            System.arraycopy(content, 0, array, 7, content.length);
            return Unpooled.wrappedBuffer(array, 7, content.length);
        }
    },
    COMPOSITE {
        @Override
        ByteBuf make(byte[] content) {
            int first = content.length / 3;
            int second = (content.length - first) / 2;
            return ByteBufAllocator.DEFAULT.compositeBuffer()
                    .addComponent(true, OURS.make(Arrays.copyOfRange(content, 0, first)))
                    .addComponent(true, UNPOOLED_HEAP.make(Arrays.copyOfRange(content, first, first + second)))
                    .addComponent(true, POOLED_DIRECT.make(
                            Arrays.copyOfRange(content, first + second, content.length)));
        }
    },
    READ_ONLY {
        @Override
        ByteBuf make(byte[] content) {
            return OURS.make(content).asReadOnly();
        }
    },
    READ_ONLY_HEAP {
        @Override
        ByteBuf make(byte[] content) {
            return Unpooled.wrappedBuffer(content.clone()).asReadOnly();
        }
    },
    READ_ONLY_BYTE_BUFFER {
        @Override
        ByteBuf make(byte[] content) {
            return Unpooled.wrappedBuffer(ByteBuffer.wrap(content.clone()).asReadOnlyBuffer());
        }
    };

    private static final AdaptiveByteBufAllocator ADAPTIVE = new AdaptiveByteBufAllocator();

    /** A buffer filled with this content. The caller releases it. */
    abstract ByteBuf make(byte[] content);

    final boolean isReadOnly() {
        return this == READ_ONLY || this == READ_ONLY_HEAP || this == READ_ONLY_BYTE_BUFFER;
    }

    private static ByteBuf fill(ByteBuf buffer, byte[] content) {
        return buffer.writeBytes(content);
    }
}
