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
package io.nettyrdma.microbench.operations;

import java.util.Locale;

/** A part of the program, which prints a table. */
enum Part {
    OPERATIONS {
        @Override
        void measure(LocalPort port, Options options) throws Exception {
            new Comparison(port, options).measure();
        }
    },
    WRITE_READ {
        @Override
        void measure(LocalPort port, Options options) throws Exception {
            WriteAgainstRead.measure(port, options);
        }
    },
    REGISTRATION {
        @Override
        void measure(LocalPort port, Options options) throws Exception {
            RegistrationCost.measure(port, options);
        }
    },
    QUEUE_PAIRS {
        @Override
        void measure(LocalPort port, Options options) throws Exception {
            QueuePairScaling.measure(port, options);
        }
    },
    DATAGRAMS {
        @Override
        void measure(LocalPort port, Options options) throws Exception {
            DatagramRates.measure(port, options);
        }
    };

    abstract void measure(LocalPort port, Options options) throws Exception;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
