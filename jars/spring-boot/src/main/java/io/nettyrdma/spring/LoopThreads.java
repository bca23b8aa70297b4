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
package io.nettyrdma.spring;

import io.netty.util.concurrent.FastThreadLocalThread;
import reactor.core.scheduler.NonBlocking;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads of loops, in which Reactor refuses to block, and which do not keep the JVM alive. Any thread. */
final class LoopThreads implements ThreadFactory {

    private final AtomicInteger count = new AtomicInteger();
    private final String name;

    LoopThreads(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable task) {
        return new LoopThread(task, name + '-' + count.incrementAndGet());
    }

    private static final class LoopThread extends FastThreadLocalThread implements NonBlocking {

        LoopThread(Runnable task, String name) {
            super(task, name);
            setDaemon(true);
        }
    }
}
