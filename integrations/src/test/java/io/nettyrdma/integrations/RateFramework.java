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

import java.util.Locale;

/** What carries the requests that {@link RequestRates} measures. */
enum RateFramework {
    /** Unary calls. Both ends leave the loop for gRPC's executor, which is its default. */
    GRPC {
        @Override
        RateProgram start(RateLoops loops) throws Exception {
            return new GrpcRateProgram(loops, false);
        }
    },
    /** Unary calls that stay on the loops. */
    GRPC_DIRECT {
        @Override
        RateProgram start(RateLoops loops) throws Exception {
            return new GrpcRateProgram(loops, true);
        }
    },
    /** Netty's codec, with a stream for each request. */
    HTTP2 {
        @Override
        RateProgram start(RateLoops loops) throws Exception {
            return new NettyRateProgram(loops, Http2RateConnection::initServer, Http2RateConnection::new);
        }
    },
    /** Netty's codec and aggregator. */
    HTTP1 {
        @Override
        RateProgram start(RateLoops loops) throws Exception {
            return new NettyRateProgram(loops, Http1RateConnection::initServer, Http1RateConnection::new);
        }
    },
    /** Reactor Netty's HTTP/1.1, with a pool of one connection for each loop. */
    REACTOR {
        @Override
        RateProgram start(RateLoops loops) {
            return new ReactorRateProgram(loops);
        }

        /** Reactor Netty takes an address that is no Internet address for a domain socket. */
        @Override
        boolean runsOn(RateCarrier carrier) {
            return carrier != RateCarrier.LOCAL;
        }
    },
    /** Netty's codec and aggregators, with a server that knows one command. */
    REDIS {
        @Override
        RateProgram start(RateLoops loops) throws Exception {
            return new NettyRateProgram(loops, RedisRateConnection::initServer, RedisRateConnection::new);
        }
    };

    abstract RateProgram start(RateLoops loops) throws Exception;

    boolean runsOn(RateCarrier carrier) {
        return true;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
