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
package io.nettyrdma.channel;

import io.netty.channel.EventLoop;
import io.nettyrdma.link.LinkListener;
import io.nettyrdma.link.LinkRequest;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** A listener whose requests the test makes. */
final class TestListener implements LinkListener {

    private final Events events;
    private final RdmaCounters counters = new RdmaCounters();
    private final Deque<TestRequest> requests = new ArrayDeque<>();
    private EventLoop loop;
    private InetSocketAddress address;
    boolean isStopped;

    TestListener(Events events) {
        this.events = events;
    }

    // ---- what the test does ----

    /** A peer asks for a connection. */
    TestRequest ask() {
        TestRequest request = new TestRequest();
        requests.add(request);
        events.requested();
        return request;
    }

    Events events() {
        return events;
    }

    // ---- what the channel does ----

    @Override
    public void register(EventLoop on, Consumer<Throwable> then) {
        loop = on;
        then.accept(null);
    }

    @Override
    public void deregister(boolean isOpen) {
        loop = null;
    }

    @Override
    public RdmaCounters counters() {
        return counters;
    }

    @Override
    public void enqueueStep(Runnable step) {
        loop.execute(step);
    }

    @Override
    public void bind(InetSocketAddress local, boolean reusesAddress, int backlog) {
        address = local;
    }

    @Override
    public boolean isBound() {
        return address != null;
    }

    @Override
    public InetSocketAddress localAddress() {
        return address;
    }

    @Override
    public RdmaDeviceInfo device() {
        return null;
    }

    @Override
    public int waiting() {
        return requests.size();
    }

    @Override
    public boolean hasRequest() {
        while (!requests.isEmpty() && requests.element().isAbandoned) {
            requests.remove();
        }
        return !requests.isEmpty();
    }

    @Override
    public LinkRequest take() {
        return requests.poll();
    }

    @Override
    public void stop() {
        isStopped = true;
        while (!requests.isEmpty()) {
            requests.remove().refuse("the server is being closed");
        }
    }
}
