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
package io.nettyrdma.example.efa;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** {@link CheckPeer} in a second process of this machine, with the class path and options of this one. */
final class CheckPeerProcess implements AutoCloseable {

    private static final int START_SECONDS = 30;
    private static final int END_SECONDS = 10;

    private final Process process;
    private final InetSocketAddress address;

    CheckPeerProcess() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (!option.startsWith("-javaagent") && !option.startsWith("-agent")) {
                command.add(option);
            }
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), CheckPeer.class.getName()));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
        } catch (IOException | InterruptedException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private int port() throws IOException, InterruptedException {
        BufferedReader output = process.inputReader();
        CompletableFuture<String> line = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            try {
                line.complete(output.readLine());
            } catch (IOException e) {
                line.completeExceptionally(e);
            }
        }, "output of the second process");
        reader.setDaemon(true);
        reader.start();
        try {
            return Integer.parseInt(line.get(START_SECONDS, TimeUnit.SECONDS));
        } catch (TimeoutException | ExecutionException | NumberFormatException e) {
            throw new IOException("the second process did not say its port within " + START_SECONDS + " s", e);
        }
    }

    /** Where it exchanges addresses. */
    InetSocketAddress address() {
        return address;
    }

    /** Asks it to end, and then ends it. */
    @Override
    public void close() throws IOException {
        try {
            process.getOutputStream().close();
            if (process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
