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

import io.netty.channel.ChannelHandlerContext;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyRemotingClient;
import org.apache.rocketmq.remoting.netty.NettyRemotingServer;
import org.apache.rocketmq.remoting.netty.NettyRequestProcessor;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** RocketMQ's remoting, over which its clients, brokers and name servers talk: a server that echoes, and a client. */
final class RocketMqProgram implements AutoCloseable {

    static final int ECHO = 1;

    private final OwnLoops loops;
    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    private final NettyRemotingServer server;
    private final NettyRemotingClient client = new NettyRemotingClient(new NettyClientConfig());
    private boolean hasServer = true;

    RocketMqProgram(Carrier carrier) {
        loops = new OwnLoops(carrier);
        NettyServerConfig config = new NettyServerConfig();
        config.setBindAddress(Host.NAME);
        config.setListenPort(0);
        server = new NettyRemotingServer(config);
        server.registerProcessor(ECHO, new NettyRequestProcessor() {
            @Override
            public RemotingCommand processRequest(ChannelHandlerContext context, RemotingCommand request) {
                RemotingCommand answer = RemotingCommand.createResponseCommand(0, "echoed");
                answer.setBody(request.getBody());
                return answer;
            }

            @Override
            public boolean rejectRequest() {
                return false;
            }
        }, executor);
        server.start();
        client.start();
    }

    NettyRemotingClient client() {
        return client;
    }

    String address() {
        return Host.NAME + ':' + server.localListenPort();
    }

    void checkSockets() {
        loops.checkSockets();
    }

    void stopServer() {
        hasServer = false;
        server.shutdown();
    }

    @Override
    public void close() {
        client.shutdown();
        if (hasServer) {
            server.shutdown();
        }
        executor.shutdown();
        loops.close();
    }
}
