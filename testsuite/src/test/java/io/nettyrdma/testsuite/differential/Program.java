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
package io.nettyrdma.testsuite.differential;

/**
 * What both ends of a connection do, on any transport. A failure prints its text.
 *
 * @param route how the client connects.
 * @param ending how it ends if it does not end by itself.
 * @param turns turns of its loops before sides that do not read start to.
 */
record Program(Route route, Ending ending, int turns, Side client, Side server) {

    /** What ends the connection when nothing more is to come. */
    enum Ending {
        CLIENT_CLOSES, SERVER_CLOSES, CLIENT_ABORTS, SERVER_ABORTS,
        /** While its data waits for a server that does not read. */
        CLIENT_LEAVES_ABSENT_SERVER;

        boolean aborts() {
            return this == CLIENT_ABORTS || this == SERVER_ABORTS;
        }

        boolean isClients() {
            return this != SERVER_CLOSES && this != SERVER_ABORTS;
        }

        boolean waits() {
            return this != CLIENT_LEAVES_ABSENT_SERVER;
        }
    }

    Program with(Side newClient, Side newServer) {
        return new Program(route, ending, turns, newClient, newServer);
    }

    /** The size of the program, which shrinking reduces. */
    int size() {
        return (int) (client.scripts().stream().mapToLong(script -> 1 + script.operations().size()).sum()
                + server.scripts().stream().mapToLong(script -> 1 + script.operations().size()).sum());
    }

    @Override
    public String toString() {
        return "connects " + route + ", ends by " + ending + ", no reads are made for " + turns
                + " turns\nclient" + client + "server" + server;
    }
}
