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

import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.junit.jupiter.api.Tag;

import java.nio.ByteBuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Arrow Flight: tables of all sizes there and back, and a server that goes. */
@Tag("device")
@Tested(FlightClient.class)
class FlightTest {

    private static final int BATCHES = 60;
    private static final int MOST_ROWS = 40_000;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void batches(Carrier carrier) throws Exception {
        try (FlightProgram program = new FlightProgram(carrier)) {
            for (int i = 0; i <= BATCHES; i++) {
                long[] column = numbers(i * MOST_ROWS / BATCHES);
                assertThat(program.echo(column)).as("batch %d", i).isEqualTo(column);
            }
            program.checkSockets();
        }
    }

    @EachCarrier
    void serverGone(Carrier carrier) throws Exception {
        try (FlightProgram program = new FlightProgram(carrier)) {
            assertThat(program.echo(new long[] {1})).containsExactly(1);
            program.stopServer();
            assertThatThrownBy(() -> program.echo(new long[] {1})).isInstanceOf(FlightRuntimeException.class);
        }
    }

    private long[] numbers(int count) {
        long[] numbers = new long[count];
        ByteBuffer.wrap(random.next(count * Long.BYTES)).asLongBuffer().get(numbers);
        return numbers;
    }
}
