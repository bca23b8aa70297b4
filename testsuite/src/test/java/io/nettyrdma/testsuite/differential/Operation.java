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

import java.util.List;

/** One thing that a side does with its channel. */
sealed interface Operation {

    void run(Interpreter on);

    /** Simpler operations that may show the same failure. */
    default List<Operation> simpler() {
        return List.of();
    }

    /**
     * Writes a message.
     *
     * @param id the number of one side's message, 0 to 255; also the first of its bytes.
     * @param whole whether it passes the whole pipeline, by the channel's method, instead of from the handler on.
     */
    record Write(int id, int size, BufferKind kind, boolean flushed, boolean voidPromise, boolean whole)
            implements Operation {

        @Override
        public void run(Interpreter on) {
            on.write(this);
        }

        @Override
        public List<Operation> simpler() {
            return List.of(new Write(id, size, BufferKind.HEAP, flushed, voidPromise, whole),
                    new Write(id, 1, kind, flushed, voidPromise, whole),
                    new Write(id, size / 2, kind, flushed, voidPromise, whole),
                    new Write(id, size - size / 8, kind, flushed, voidPromise, whole),
                    new Write(id, size, kind, flushed, false, whole),
                    new Write(id, size, kind, flushed, voidPromise, false));
        }
    }

    /** Flushes everything that was written. */
    record Flush() implements Operation {
        @Override
        public void run(Interpreter on) {
            on.flush();
        }
    }

    /** Cancels a message's promise. */
    record Cancel(int id) implements Operation {
        @Override
        public void run(Interpreter on) {
            on.cancel(id);
        }
    }

    /** Requests one read. */
    record Read() implements Operation {
        @Override
        public void run(Interpreter on) {
            on.read();
        }
    }

    /** Switches autoRead on or off. */
    record AutoRead(boolean on) implements Operation {
        @Override
        public void run(Interpreter side) {
            side.autoRead(on);
        }
    }

    /** Fires a user event in the pipeline. */
    record Fire(int signal) implements Operation {
        @Override
        public void run(Interpreter on) {
            on.fire(signal);
        }
    }

    /** Runs a task on the loop. */
    record Execute(int signal) implements Operation {
        @Override
        public void run(Interpreter on) {
            on.execute(signal);
        }
    }

    /** Runs on another thread, at the same time. */
    record Spawn(int signal) implements Operation {
        @Override
        public void run(Interpreter on) {
            on.spawn(signal);
        }
    }

    /** Blocks. */
    record Stall(int micros) implements Operation {
        @Override
        public void run(Interpreter on) {
            on.stall(micros);
        }

        @Override
        public List<Operation> simpler() {
            return List.of(new Stall(micros / 2));
        }
    }

    /** Keeps the next received buffers until the end. */
    record Keep(int buffers) implements Operation {
        @Override
        public void run(Interpreter on) {
            on.keep(buffers);
        }
    }

    /** Ends its own direction. */
    record ShutdownOutput(boolean cancelled) implements Operation {
        @Override
        public void run(Interpreter on) {
            on.shutdownOutput(cancelled);
        }

        @Override
        public List<Operation> simpler() {
            return List.of(new ShutdownOutput(false));
        }
    }

    /** Ends the peer's direction at this side. */
    record ShutdownInput() implements Operation {
        @Override
        public void run(Interpreter on) {
            on.shutdownInput();
        }
    }

    /** Closes. The promise is cancelled at once, too late, or not. */
    record Close(boolean cancelled) implements Operation {
        @Override
        public void run(Interpreter on) {
            on.close(cancelled);
        }

        @Override
        public List<Operation> simpler() {
            return List.of(new Close(false));
        }
    }

    /** Asks the channel what pools, timeouts and handlers ask it. */
    record Look() implements Operation {
        @Override
        public void run(Interpreter on) {
            on.look();
        }
    }

    /** A close that resets the connection. */
    record Abort() implements Operation {
        @Override
        public void run(Interpreter on) {
            on.abort();
        }
    }

    /** Deregisters from the loop and registers again. */
    record Reregister() implements Operation {
        @Override
        public void run(Interpreter on) {
            on.reregister();
        }
    }
}
