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
package io.nettyrdma.integrations;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;

import java.lang.reflect.InvocationTargetException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Netty's examples, each run by its `main` on its own thread, and channels of ours beside them. */
final class ExampleProgram implements AutoCloseable {

    private static final String HOST = "127.0.0.1";

    private final Carrier carrier;
    private final Loops loops;
    private final List<Thread> examples = new ArrayList<>();
    private final List<Channel> channels = new ArrayList<>();

    ExampleProgram(Carrier carrier) {
        this.carrier = carrier;
        loops = new Loops(carrier);
    }

    /** Reads its properties now. Completes when `main` returns; a server's `main` does when it is interrupted. */
    CompletableFuture<Void> start(Class<?> example, Map<String, ?> properties) throws ReflectiveOperationException {
        properties.forEach((name, value) -> System.setProperty(name, value.toString()));
        try {
            Class.forName(example.getName(), true, example.getClassLoader());
            Class.forName("io.netty.example.util.ServerUtil", true, example.getClassLoader());
        } finally {
            properties.keySet().forEach(System::clearProperty);
        }
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread = new Thread(() -> run(example, end), example.getSimpleName());
        thread.start();
        examples.add(thread);
        return end;
    }

    private static void run(Class<?> example, CompletableFuture<Void> end) {
        try {
            example.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            end.complete(null);
        } catch (InvocationTargetException e) {
            end.completeExceptionally(e.getCause());
        } catch (ReflectiveOperationException e) {
            end.completeExceptionally(e);
        }
    }

    void checkSockets() {
        loops.checkSockets();
    }

    /** Connects once the example listens, which is some time after its start. */
    Channel connect(int port, Consumer<Channel> setUp) {
        Bootstrap bootstrap = new Bootstrap().group(loops.group()).channel(carrier.client())
                .handler(NettyProgram.initializer(setUp));
        AtomicReference<Channel> connected = new AtomicReference<>();
        Waiting.until("a server on port " + port, () -> {
            ChannelFuture connect = bootstrap.connect(HOST, port).awaitUninterruptibly();
            connected.set(connect.channel());
            return connect.isSuccess();
        });
        channels.add(connected.get());
        return connected.get();
    }

    /** For examples that are clients. */
    int listen(Consumer<Channel> children) throws InterruptedException {
        Channel listener = new ServerBootstrap().group(loops.group()).channel(carrier.server())
                .childHandler(NettyProgram.initializer(children)).bind(HOST, 0).sync().channel();
        channels.add(listener);
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Override
    public void close() {
        channels.forEach(channel -> channel.close().syncUninterruptibly());
        examples.forEach(Thread::interrupt);
        Waiting.until("the examples", () -> examples.stream().noneMatch(Thread::isAlive));
        RdmaLoops.endAll();
        loops.closeBesideOthers();
    }
}
