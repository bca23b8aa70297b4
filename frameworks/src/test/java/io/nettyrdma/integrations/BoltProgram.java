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

import com.alipay.remoting.BizContext;
import com.alipay.remoting.config.BoltGenericOption;
import com.alipay.remoting.rpc.RpcClient;
import com.alipay.remoting.rpc.RpcServer;
import com.alipay.remoting.rpc.protocol.SyncUserProcessor;

/** A SOFABolt server that echoes strings, and a client. */
final class BoltProgram implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final int IN_FLIGHT = 1 << 20;

    static {
        // Its logging needs another version of log4j than Spark's.
        System.setProperty("sofa.middleware.log.disable", "true");
    }

    private final OwnLoops loops;
    private final RpcServer server = new RpcServer(HOST, 0, true);
    private final RpcClient client = new RpcClient();

    BoltProgram(Carrier carrier) {
        loops = new OwnLoops(carrier);
        server.registerUserProcessor(new SyncUserProcessor<String>() {
            @Override
            public Object handleRequest(BizContext context, String request) {
                return request;
            }

            @Override
            public String interest() {
                return String.class.getName();
            }
        });
        // It refuses to write more than its high-water mark; on TCP the kernel takes what the tests write.
        server.option(BoltGenericOption.NETTY_BUFFER_HIGH_WATER_MARK, IN_FLIGHT);
        client.option(BoltGenericOption.NETTY_BUFFER_HIGH_WATER_MARK, IN_FLIGHT);
        server.startup();
        client.startup();
    }

    RpcClient client() {
        return client;
    }

    String address() {
        return HOST + ':' + server.port();
    }

    void checkSockets() {
        loops.checkSockets();
    }

    void stopServer() {
        server.shutdown();
    }

    @Override
    public void close() {
        client.shutdown();
        if (server.isStarted()) {
            server.shutdown();
        }
        loops.close();
    }
}
