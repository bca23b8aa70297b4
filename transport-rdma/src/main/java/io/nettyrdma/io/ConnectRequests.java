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

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * The connection requests of a loop that their servers have not answered. The kernel of a server keeps 1024 requests
 * that its program has not read, for all clients together. It drops further ones, and the client's kernel sends these
 * again 4 seconds later. So a loop that connects thousands of channels at once sends each server a limited number.
 *
 * <pre>
 *   begin()
 *      |        fewer than {@link #MOST} are unanswered,
 *      v        now or when another one ends
 *   WAITING ---------------------------------------&gt; SENT
 *      |                                               |
 *      +--- end(): it is not sent ---&gt; ENDED &lt;--- end()
 * </pre>
 *
 * Belongs to the loop. For use within this project only.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class ConnectRequests {

    /**
     * Unanswered requests of one loop to one server. Those of sixteen loops fit into its backlog. Soft-RoCE loses the
     * 129th of a process, whichever server it is for.
     */
    public static final int MOST = 64;

    private final Consumer<Runnable> steps;
    private final Map<InetSocketAddress, Server> servers = new HashMap<>();

    /** @param steps runs what sends a request that had to wait, in its turn. */
    ConnectRequests(Consumer<Runnable> steps) {
        this.steps = steps;
    }

    /**
     * Creates a request, which does nothing before {@link Request#begin}.
     *
     * @param to the server, by a resolved address.
     * @param send runs at most once, and not after {@link Request#end} unless its step was scheduled before.
     * @return the request, to be ended in any case.
     */
    public Request of(InetSocketAddress to, Runnable send) {
        return new Request(to, send);
    }

    /** A request to connect. */
    public final class Request {

        private final InetSocketAddress to;
        private final Runnable send;
        private State state = State.WAITING;

        private Request(InetSocketAddress to, Runnable send) {
            this.to = to;
            this.send = send;
        }

        /** Sends it now, or when the server has answered an earlier one. */
        public void begin() {
            if (servers.computeIfAbsent(to, address -> new Server()).sends(this)) {
                send.run();
            }
        }

        /** It is answered, or has failed, or is not wanted any more. A second call does nothing. */
        public void end() {
            State before = state;
            state = State.ENDED;
            if (before == State.SENT && servers.get(to).hasAnswered()) {
                servers.remove(to);
            }
        }
    }

    private enum State { WAITING, SENT, ENDED }

    private final class Server {

        private final Queue<Request> waiting = new ArrayDeque<>();
        private int unanswered;

        /** Returns whether the request may be sent now. Otherwise it waits. */
        boolean sends(Request request) {
            if (unanswered == MOST) {
                waiting.add(request);
                return false;
            }
            unanswered++;
            request.state = State.SENT;
            return true;
        }

        /** Sends the next request, in its turn. Returns whether none is unanswered. */
        boolean hasAnswered() {
            unanswered--;
            Request next = waiting.poll();
            while (next != null && next.state == State.ENDED) {
                next = waiting.poll();
            }
            if (next != null && sends(next)) {
                steps.accept(next.send);
            }
            return unanswered == 0;
        }
    }
}
