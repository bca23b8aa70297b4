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

import io.netty.channel.Channel;
import io.netty.example.uptime.UptimeClient;
import org.junit.jupiter.api.Tag;

import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Netty's example of a client that always reconnects. It never ends, so its loops on NIO end with this JVM. */
@Tag("device")
@Tested(UptimeClient.class)
@CallsNioByName("io.netty.example.")
class NettyUptimeTest {

    /** The server is silent, so the client closes and reconnects; then the server closes, and the client reconnects. */
    @EachCarrier
    void connectsAgain(Carrier carrier) throws Exception {
        BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
        try (ExampleProgram program = new ExampleProgram(carrier)) {
            int port = program.listen(accepted::add);
            program.start(UptimeClient.class, Map.of("port", port, "readTimeout", 1, "reconnectDelay", 1));
            Channel first = Waiting.next(accepted);
            program.checkSockets();
            first.closeFuture().sync();
            Waiting.next(accepted).close();
            Waiting.next(accepted).closeFuture().sync();
        }
    }
}
