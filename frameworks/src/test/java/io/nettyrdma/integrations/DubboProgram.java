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

import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ProtocolConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.ServiceConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;

/** A service of Dubbo that echoes, over its protocol of the same name, and a client that has its address. */
final class DubboProgram implements AutoCloseable {

    /** What the server offers. */
    public interface EchoService {
        byte[] echo(byte[] bytes);
    }

    private static final String NONE = RegistryConfig.NO_AVAILABLE;

    private final OwnLoops loops;
    private final DubboBootstrap server;
    private final DubboBootstrap client;
    private final EchoService service;

    DubboProgram(Carrier carrier) {
        loops = new OwnLoops(carrier);
        int port = Ports.next();
        ServiceConfig<EchoService> offered = new ServiceConfig<>();
        offered.setInterface(EchoService.class);
        offered.setRef(bytes -> bytes);
        server = DubboBootstrap.newInstance().application(named("server")).registry(new RegistryConfig(NONE))
                .protocol(new ProtocolConfig("dubbo", port)).service(offered).start();
        ReferenceConfig<EchoService> used = new ReferenceConfig<>();
        used.setInterface(EchoService.class);
        used.setUrl("dubbo://" + Host.NAME + ':' + port);
        used.setTimeout(Waiting.SECONDS * 1000);
        used.setRetries(0);
        client = DubboBootstrap.newInstance().application(named("client")).reference(used).start();
        service = used.get();
    }

    private static ApplicationConfig named(String name) {
        ApplicationConfig config = new ApplicationConfig(name);
        config.setQosEnable(false);
        return config;
    }

    EchoService service() {
        return service;
    }

    void checkSockets() {
        loops.checkSockets();
    }

    void stopServer() {
        server.stop();
    }

    @Override
    public void close() {
        client.stop();
        server.stop();
        loops.close();
    }
}
