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

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Records the events that it gets. */
final class TestHandle implements RdmaIoHandle {

    final List<String> events = new ArrayList<>();
    int outstanding;

    /** How it reacts to an event. */
    Consumer<RdmaIoEvent> reaction = event -> { };

    @Override
    public int outstandingWork() {
        return outstanding;
    }

    @Override
    public void registered() {
        events.add("registered");
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        RdmaIoEvent given = (RdmaIoEvent) event;
        events.add(given.kind().name());
        reaction.accept(given);
    }

    @Override
    public void unregistered() {
        events.add("unregistered");
    }

    @Override
    public void close() {
        events.add("close");
    }
}
