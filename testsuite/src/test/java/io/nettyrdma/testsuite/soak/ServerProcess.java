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
package io.nettyrdma.testsuite.soak;

import io.nettyrdma.testsuite.support.ChildProcess;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** The server in its own process, as the clients' process sees it; also the main program of that process. */
final class ServerProcess {

    private static final String PASSED = "passed";

    private final ChildProcess child;
    private final List<InetSocketAddress> addresses = new ArrayList<>();

    /** @param words the command line arguments. */
    ServerProcess(SoakOptions options, String[] words) throws IOException, InterruptedException {
        // Its memory is measured like this process's.
        child = ChildProcess.start(List.of(), List.of("-cp", System.getProperty("java.class.path"),
                "-XX:TieredStopAtLevel=4", "-Xms256m", "-XX:+AlwaysPreTouch"), ServerProcess.class, words);
        for (int i = 0; i < options.modes().size(); i++) {
            String[] address = child.readLine().split(" ");
            addresses.add(new InetSocketAddress(address[0], Integer.parseInt(address[1])));
        }
    }

    List<InetSocketAddress> addresses() {
        return addresses;
    }

    long pid() {
        return child.pid();
    }

    void stop() {
        child.writeLine("stop");
    }

    void end(Verdict verdict) throws InterruptedException {
        if (!child.readLine().equals(PASSED)) {
            verdict.failed("the server's process has failed, see above");
        }
    }

    /** The main program of the server. */
    public static void main(String[] words) {
        Soak.halt(() -> {
            SoakOptions options = Soak.options(words).withoutEnd();
            Run run = new Run(options);
            Soak.reportBeforeExit(() -> { });
            Loops loops = new Loops(options.modes());
            SoakServer server = new SoakServer(run, loops);
            for (InetSocketAddress address : server.addresses()) {
                ChildProcess.reportToParent(address.getAddress().getHostAddress() + ' ' + address.getPort());
            }
            stopWithParent(run);
            run.goOn();
            server.close();
            run.drain();
            loops.end(run.verdict());
            boolean passed = run.report();
            ChildProcess.reportToParent(passed ? PASSED : "failed");
            return passed;
        });
    }

    /** Stops when the parent says so, or is gone. */
    private static void stopWithParent(Run run) {
        Thread reader = new Thread(() -> {
            try (BufferedReader lines = ChildProcess.parentLines()) {
                lines.readLine();
            } catch (IOException e) {
                run.verdict().failed("the parent cannot be heard", e);
            }
            run.stop();
        }, "parent");
        reader.setDaemon(true);
        reader.start();
    }
}
