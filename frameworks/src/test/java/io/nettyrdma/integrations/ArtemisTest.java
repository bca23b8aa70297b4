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

import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.junit.jupiter.api.Tag;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** ActiveMQ Artemis: messages through a queue of a broker, a message that is sent in parts, and a broker that goes. */
@Tag("device")
@Tested(ActiveMQClient.class)
@CallsNioByName("org.apache.activemq.artemis.")
class ArtemisTest {

    private static final int MESSAGES = 300;
    private static final int SMALL = 3_000;
    /** More than 100 KiB, which it sends in parts. */
    private static final int LARGE = 4 << 20;
    private static final int MILLIS = Waiting.SECONDS * 1000;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void messages(Carrier carrier) throws Exception {
        try (ArtemisProgram program = new ArtemisProgram(carrier)) {
            ClientSession session = program.session();
            ClientProducer producer = session.createProducer(ArtemisProgram.QUEUE);
            List<byte[]> sent = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                sent.add(random.next(i == MESSAGES / 2 ? LARGE : 1 + i * SMALL / MESSAGES));
                producer.send(message(session, sent.get(i)));
            }
            program.checkSockets();
            ClientConsumer consumer = session.createConsumer(ArtemisProgram.QUEUE);
            for (int i = 0; i < MESSAGES; i++) {
                ClientMessage received = consumer.receive(MILLIS);
                byte[] bytes = new byte[received.getBodySize()];
                received.getBodyBuffer().readBytes(bytes);
                received.acknowledge();
                assertThat(bytes).as("message %d", i).isEqualTo(sent.get(i));
            }
        }
    }

    /** The client notices the end of its connection. */
    @EachCarrier
    void brokerGone(Carrier carrier) throws Exception {
        try (ArtemisProgram program = new ArtemisProgram(carrier)) {
            ClientSession session = program.session();
            ClientProducer producer = session.createProducer(ArtemisProgram.QUEUE);
            producer.send(message(session, random.next(SMALL)));
            program.stopBroker();
            assertThatThrownBy(() -> {
                while (true) {
                    producer.send(message(session, random.next(SMALL)));
                }
            }).isInstanceOf(ActiveMQException.class);
        }
    }

    private static ClientMessage message(ClientSession session, byte[] body) {
        ClientMessage message = session.createMessage(false);
        message.getBodyBuffer().writeBytes(body);
        return message;
    }
}
