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
package io.nettyrdma.testsuite.io;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.io.RdmaLoop;
import io.nettyrdma.testsuite.support.AnyPort;
import io.nettyrdma.testsuite.support.TestDevice;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** Accepts every connection on the loops that it is given. */
final class TestListener implements RdmaIoHandle {

    private static final int BACKLOG = 128;

    final CompletableFuture<InetSocketAddress> listening = new CompletableFuture<>();
    final CompletableFuture<Void> ended = new CompletableFuture<>();
    final List<TestConnection> accepted = new CopyOnWriteArrayList<>();

    private final Supplier<IoEventLoop> children;
    private final LongConsumer onNumber;
    private IoRegistration wrapper;
    private RdmaLoop loop;
    private CmId id;
    private Runnable onClose = () -> { };

    /** Echoes each number. */
    static TestListener echo(IoEventLoop loop, Supplier<IoEventLoop> children) {
        return new TestListener(loop, children, null);
    }

    /** @param onNumber what children do with numbers; {@code null} to echo them. */
    private TestListener(IoEventLoop eventLoop, Supplier<IoEventLoop> children, LongConsumer onNumber) {
        this.children = children;
        this.onNumber = onNumber;
        eventLoop.register(this).addListener(future -> {
            wrapper = (IoRegistration) future.get();
            listen();
        });
    }

    private void listen() throws IOException {
        RdmaIoRegistration registration = wrapper.attachment();
        loop = registration.loop();
        id = AnyPort.listen(loop.cmEventChannel(), TestDevice.get().ip(), BACKLOG);
        loop.attach(id, registration);
        listening.complete(id.localAddress());
    }

    RdmaLoop loop() {
        return loop;
    }

    void onClose(Runnable action) {
        onClose = action;
    }

    InetSocketAddress address() throws Exception {
        return TestLoops.await(listening);
    }

    @Override
    public int outstandingWork() {
        return 0;
    }

    @Override
    public void handle(IoRegistration registration, IoEvent given) {
        RdmaIoEvent event = (RdmaIoEvent) given;
        if (event.kind() == RdmaIoEvent.Kind.CM_EVENT && event.cmEvent().type() == CmEventType.CONNECT_REQUEST) {
            TestConnection[] own = new TestConnection[1];
            own[0] = TestConnection.accept(children.get(), event.cmEvent(),
                    onNumber != null ? onNumber : number -> own[0].send(number));
            accepted.add(own[0]);
        }
    }

    @Override
    public void close() {
        onClose.run();
        wrapper.cancel();
    }

    @Override
    public void unregistered() {
        if (id != null) {
            loop.detach(id);
            try {
                id.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        ended.complete(null);
    }
}
