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
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3AsyncClient;
import com.hivemq.client.mqtt.mqtt3.message.publish.Mqtt3Publish;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

import static org.assertj.core.api.Assertions.assertThat;

/** Moquette, a broker, and HiveMQ's clients: every quality of service and retained messages, plain and over TLS. */
@Tag("device")
@Tested(MqttClient.class)
@CallsNioByName({ "com.hivemq.", "io.moquette." })
class MqttTest {

    private static final int MESSAGES = 100;
    private static final int SMALL = 2_000;
    private static final int LARGE = 1 << 20;
    private static final int LIMIT = LARGE + SMALL;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void messages(Carrier carrier, @TempDir Path directory) throws Exception {
        try (MqttProgram program = MqttProgram.plain(carrier, directory, LIMIT)) {
            assertMessages(program);
        }
    }

    @EachCarrier
    void messagesOverTls(Carrier carrier, @TempDir Path directory) throws Exception {
        try (MqttProgram program = MqttProgram.secure(carrier, directory, LIMIT)) {
            assertMessages(program);
        }
    }

    /** A late subscriber gets the retained message. */
    @EachCarrier
    void retained(Carrier carrier, @TempDir Path directory) throws Exception {
        try (MqttProgram program = MqttProgram.plain(carrier, directory, LIMIT)) {
            byte[] message = random.next(SMALL);
            Waiting.get(program.connect("early").publishWith().topic("kept").qos(MqttQos.AT_LEAST_ONCE).retain(true)
                    .payload(message).send());
            assertThat(Waiting.next(subscribe(program.connect("late"), "kept")).getPayloadAsBytes())
                    .isEqualTo(message);
        }
    }

    private void assertMessages(MqttProgram program) throws Exception {
        Mqtt3AsyncClient publisher = program.connect("publisher");
        Mqtt3AsyncClient subscriber = program.connect("subscriber");
        program.checkSockets();
        assertNoneLost(publisher, subscriber, MqttQos.AT_LEAST_ONCE);
        assertNoneLost(publisher, subscriber, MqttQos.EXACTLY_ONCE);
        // The broker drops such a message when a subscriber's channel is not writable, so one at a time.
        BlockingQueue<Mqtt3Publish> received = subscribe(subscriber, "at most once");
        for (int i = 0; i < MESSAGES; i++) {
            byte[] message = random.nextUpTo(i == 0 ? LARGE : SMALL);
            publisher.publishWith().topic("at most once").payload(message).send();
            assertThat(Waiting.next(received).getPayloadAsBytes()).as("at most once, %d", i).isEqualTo(message);
        }
    }

    /** The broker has at most ten in flight to a subscriber, and queues the others. */
    private void assertNoneLost(Mqtt3AsyncClient publisher, Mqtt3AsyncClient subscriber, MqttQos quality)
            throws Exception {
        BlockingQueue<Mqtt3Publish> received = subscribe(subscriber, quality.name());
        List<byte[]> sent = new ArrayList<>();
        List<CompletableFuture<Mqtt3Publish>> published = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            byte[] message = i == 0 ? random.next(LARGE) : random.nextUpTo(SMALL);
            sent.add(message);
            published.add(publisher.publishWith().topic(quality.name()).qos(quality).payload(message).send());
        }
        for (int i = 0; i < MESSAGES; i++) {
            assertThat(Waiting.next(received).getPayloadAsBytes()).as("%s, %d", quality, i).isEqualTo(sent.get(i));
            Waiting.get(published.get(i));
        }
    }

    private static BlockingQueue<Mqtt3Publish> subscribe(Mqtt3AsyncClient client, String topic) throws Exception {
        BlockingQueue<Mqtt3Publish> received = new LinkedBlockingQueue<>();
        Waiting.get(client.subscribeWith().topicFilter(topic).qos(MqttQos.EXACTLY_ONCE).callback(received::add).send());
        return received;
    }
}
