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

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttClientSslConfig;
import com.hivemq.client.mqtt.mqtt3.Mqtt3AsyncClient;
import com.hivemq.client.mqtt.mqtt3.Mqtt3ClientBuilder;
import io.moquette.broker.Server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** Moquette, a broker, and clients of HiveMQ's library. */
final class MqttProgram implements AutoCloseable {

    private static final String HOST = "127.0.0.1";

    private final OwnLoops loops;
    private final Identity identity;
    private final Server broker = new Server();
    private final List<Mqtt3AsyncClient> clients = new ArrayList<>();

    private MqttProgram(Carrier carrier, Path directory, Identity identity, int messageSize) throws Exception {
        loops = new OwnLoops(carrier);
        this.identity = identity;
        Properties settings = new Properties();
        settings.setProperty("host", HOST);
        settings.setProperty("port", "0");
        settings.setProperty("websocket_port", "disabled");
        settings.setProperty("persistence_enabled", "false");
        settings.setProperty("data_path", directory.toString());
        settings.setProperty("telemetry_enabled", "false");
        settings.setProperty("netty.mqtt.message_size", String.valueOf(messageSize));
        if (identity != null) {
            settings.setProperty("ssl_port", "0");
            settings.setProperty("jks_path", identity.file().toString());
            settings.setProperty("key_store_type", "pkcs12");
            settings.setProperty("key_store_password", Identity.PASSWORD);
            settings.setProperty("key_manager_password", Identity.PASSWORD);
        }
        broker.startServer(settings);
    }

    static MqttProgram plain(Carrier carrier, Path directory, int messageSize) throws Exception {
        return new MqttProgram(carrier, directory, null, messageSize);
    }

    static MqttProgram secure(Carrier carrier, Path directory, int messageSize) throws Exception {
        return new MqttProgram(carrier, directory, new Identity(directory), messageSize);
    }

    void checkSockets() {
        loops.checkSockets();
    }

    Mqtt3AsyncClient connect(String name) throws Exception {
        Mqtt3ClientBuilder builder = MqttClient.builder().useMqttVersion3().identifier(name).serverHost(HOST);
        if (identity == null) {
            builder.serverPort(broker.getPort());
        } else {
            builder.serverPort(broker.getSslPort()).sslConfig(
                    MqttClientSslConfig.builder().trustManagerFactory(identity.trust()).build());
        }
        Mqtt3AsyncClient client = builder.buildAsync();
        Waiting.get(client.connect());
        clients.add(client);
        return client;
    }

    @Override
    public void close() {
        for (Mqtt3AsyncClient client : clients) {
            if (client.getState().isConnected()) {
                client.disconnect().join();
            }
        }
        broker.stopServer();
        loops.close();
    }
}
