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
package io.nettyrdma.io;

import io.nettyrdma.annotation.UnstableApi;
import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

import java.util.List;

/**
 * Where an event loop waits on purpose, for <a href="https://github.com/reactor/BlockHound">BlockHound</a>, which finds
 * calls that block an event loop. It loads this class by itself, and Netty's integration names the threads that are
 * loops. None of these methods calls a handler or a task: there every blocking call is still found.
 *
 * <p>Public for BlockHound alone.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaBlockHoundIntegration implements BlockHoundIntegration {

    /** Of one of our classes. */
    record Wait(String className, String method) { }

    static final List<Wait> WAITS = List.of(
            // A loop without work, and one that ends.
            new Wait("io.nettyrdma.io.LoopWaiter", "pause"),
            new Wait("io.nettyrdma.io.LoopWaiter", "giveWay"),
            new Wait("io.nettyrdma.io.RdmaIoHandler", "giveWay"),
            // The end of a loop waits for other threads, a second at most.
            new Wait("io.nettyrdma.io.BlockingCalls", "awaitReturned"),
            new Wait("io.nettyrdma.verbs.VerbsObject", "awaitNoChildren"),
            // Locks that are held for some instructions.
            new Wait("io.nettyrdma.io.BlockingCalls", "execute"),
            new Wait("io.nettyrdma.buffer.Arena", "lock"));

    @Override
    public void applyTo(BlockHound.Builder builder) {
        WAITS.forEach(each -> builder.allowBlockingCallsInside(each.className, each.method));
    }
}
