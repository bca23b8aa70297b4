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
package io.nettyrdma.protocol;

/**
 * The 32 bits of immediate data of an RDMA write:
 *
 * <pre>
 *   31 | 30 .............. 0
 *    1 | value of the application
 *    0 | not used in this version
 * </pre>
 */
public final class Immediate {

    private static final int APPLICATION = 1 << 31;

    private Immediate() {
    }

    /** @param value 0 to 2^31 - 1. */
    public static int ofApplication(int value) {
        return value | APPLICATION;
    }

    /** The value of the application. */
    public static int value(int immediate) throws ProtocolException {
        if ((immediate & APPLICATION) == 0) {
            throw new ProtocolException("immediate data 0x" + Integer.toHexString(immediate)
                    + ", which is no value of an application");
        }
        return immediate & ~APPLICATION;
    }
}
