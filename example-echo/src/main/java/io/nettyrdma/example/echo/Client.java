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
package io.nettyrdma.example.echo;

/** Sends messages and expects the same bytes back. */
interface Client extends AutoCloseable {

    /**
     * @param window messages that each connection keeps in flight.
     * @return the result, after all messages have come back.
     */
    EchoResult run(EchoOptions options, int window, String what) throws Exception;

    @Override
    void close();
}
