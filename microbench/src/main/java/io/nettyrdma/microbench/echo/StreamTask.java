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
package io.nettyrdma.microbench.echo;

/** Fills a channel in tasks of its loop, a new one after each flush: a channel may stay writable without end. */
final class StreamTask implements Runnable {

    private final StreamHandler handler;
    private boolean scheduled;

    StreamTask(StreamHandler handler) {
        this.handler = handler;
    }

    void schedule() {
        if (!scheduled && handler.canWrite()) {
            scheduled = true;
            handler.context().channel().eventLoop().execute(this);
        }
    }

    @Override
    public void run() {
        handler.writeAll();
        scheduled = false;
        schedule();
    }
}
