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
package io.nettyrdma.stream;

/**
 * The low 32 bits of a work request's id; the high ones say whose it is and come from outside. A failed completion has
 * no opcode, so the number tells sends and receives apart.
 *
 * <pre>
 *    31  30                                0
 *   +---+-----------------------------------+
 *   | 0 | frame's number, counted on        |   send
 *   | 1 | slot                              |   receive
 *   +---+-----------------------------------+
 * </pre>
 */
final class WorkRequestNumber {

    /** Numbers of frames are counted modulo this plus one. */
    static final int FRAMES = Integer.MAX_VALUE;

    private static final int RECEIVE = Integer.MIN_VALUE;

    private WorkRequestNumber() {
    }

    static int ofReceive(int slot) {
        return RECEIVE | slot;
    }

    static int ofSend(int frame) {
        return frame & FRAMES;
    }

    static boolean isReceive(int number) {
        return number < 0;
    }

    static int slot(int number) {
        return number & ~RECEIVE;
    }
}
