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
package io.nettyrdma.microbench.echo;

import io.netty.channel.ChannelHandler;

/** What is measured. */
enum Kind {
    /** One message is under way at a time: there, and all of it back. */
    ROUND_TRIP {
        @Override
        ChannelHandler serverHandler() {
            return new EchoHandler();
        }

        @Override
        MeasuringHandler clientHandler(int size, long nanos, Samples samples) {
            return new RoundTripHandler(size, nanos, samples);
        }

        @Override
        double timesAsFast(Figure figure, Figure than) {
            return than.main() / figure.main();
        }
    },
    /** As many as the channel takes, one way, until the server has counted them. */
    ONE_WAY {
        @Override
        ChannelHandler serverHandler() {
            return new CountingHandler();
        }

        @Override
        MeasuringHandler clientHandler(int size, long nanos, Samples samples) {
            return new OneWayHandler(size, nanos);
        }

        @Override
        double timesAsFast(Figure figure, Figure than) {
            return figure.main() / than.main();
        }
    };

    abstract ChannelHandler serverHandler();

    abstract MeasuringHandler clientHandler(int size, long nanos, Samples samples);

    abstract double timesAsFast(Figure figure, Figure than);
}
