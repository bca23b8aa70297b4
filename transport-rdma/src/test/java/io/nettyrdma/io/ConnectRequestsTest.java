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

import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import static org.assertj.core.api.Assertions.assertThat;

class ConnectRequestsTest {

    private static final InetSocketAddress SERVER = new InetSocketAddress("192.0.2.1", 1);
    private static final InetSocketAddress OTHER = new InetSocketAddress("192.0.2.1", 2);

    private final Queue<Runnable> steps = new ArrayDeque<>();
    private final ConnectRequests requests = new ConnectRequests(steps::add);
    private final List<ConnectRequests.Request> begun = new ArrayList<>();
    private final List<Integer> sent = new ArrayList<>();

    private void begin(int count) {
        for (int i = 0; i < count; i++) {
            int number = begun.size();
            ConnectRequests.Request request = requests.of(SERVER, () -> sent.add(number));
            begun.add(request);
            request.begin();
        }
    }

    private void runSteps() {
        while (!steps.isEmpty()) {
            steps.remove().run();
        }
    }

    @Test
    void furtherRequestsWaitUntilEarlierOnesEnd() {
        begin(ConnectRequests.MOST + 2);
        runSteps();
        assertThat(sent).hasSize(ConnectRequests.MOST);
        begun.get(7).end();
        assertThat(sent).as("before its turn").hasSize(ConnectRequests.MOST);
        runSteps();
        assertThat(sent).hasSize(ConnectRequests.MOST + 1).endsWith(ConnectRequests.MOST);
        begun.get(7).end();
        runSteps();
        assertThat(sent).as("after the second end of a request").hasSize(ConnectRequests.MOST + 1);
        begun.get(ConnectRequests.MOST).end();
        runSteps();
        assertThat(sent).hasSize(ConnectRequests.MOST + 2).endsWith(ConnectRequests.MOST + 1);
    }

    @Test
    void aRequestThatEndsWhileItWaitsIsNotSent() {
        begin(ConnectRequests.MOST + 3);
        begun.get(ConnectRequests.MOST).end();
        begun.get(ConnectRequests.MOST + 2).end();
        begun.get(0).end();
        runSteps();
        assertThat(sent).hasSize(ConnectRequests.MOST + 1).endsWith(ConnectRequests.MOST + 1);
        begun.get(1).end();
        runSteps();
        assertThat(sent).hasSize(ConnectRequests.MOST + 1);
    }

    @Test
    void otherServersGetTheirRequestsAtOnce() {
        begin(ConnectRequests.MOST + 1);
        requests.of(OTHER, () -> sent.add(-1)).begin();
        assertThat(sent).endsWith(-1);
    }

    @Test
    void aServerThatHasAnsweredAllGetsAsManyAgain() {
        begin(ConnectRequests.MOST);
        begun.forEach(ConnectRequests.Request::end);
        begun.clear();
        sent.clear();
        begin(ConnectRequests.MOST + 1);
        runSteps();
        assertThat(sent).hasSize(ConnectRequests.MOST);
    }
}
