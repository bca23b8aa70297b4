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
package io.nettyrdma.testsuite.channel;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.Threads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The kernel blocks in {@code rdma_destroy_id}, as Linux 7.3 does for a minute when both sides have disconnected at the
 * same time.
 */
@Tag("device")
class BlockingDestroyTest {

    private static final int PATIENCE_SECONDS = 30;
    private static final int SHORT_MILLIS = 300;
    /** The longest delay of the software device. */
    private static final String LONG_CALL = "destroy=1:4s";

    /** A loop that ends during the call logs a warning. */
    private final LeakWatch leaks = new LeakWatch(message -> message.contains("calls have returned"));

    @BeforeEach
    void faults() {
        SoftHca.assumeItIsTheDevice();
    }

    @AfterEach
    void check() throws Exception {
        SoftHca.noFaults();
        leaks.close();
    }

    @Test
    void loopsRunDuringTheDestroyCall() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SteadyConnection other = new SteadyConnection(pair);
            RdmaChannel leaver = pair.connect(new ChannelInboundHandlerAdapter());
            SoftHca.faults(1, LONG_CALL);
            leaver.close().sync();
            Deadline.standard().until("an id is being destroyed", BlockingDestroyTest::isCallOut);
            other.assertGoesOn();
            assertThat(isCallOut()).as("the call is out when another connection has been served").isTrue();
            SoftHca.noFaults();
            other.close();
        }
    }

    /** The thread that made the call closes what is left when the call returns. */
    @Test
    void loopsEndBeforeTheDestroyCallReturns() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannel leaver = pair.connect(new ChannelInboundHandlerAdapter());
            SoftHca.faults(1, LONG_CALL);
            leaver.close().sync();
            Deadline.standard().until("an id is being destroyed", BlockingDestroyTest::isCallOut);
            // The loop itself destroys the listener's id, so the port is free when the listener is closed.
            SoftHca.noFaults();
        }
        assumeTrue(isCallOut(), "the loops took longer for their end than the call");
        Deadline.ofSeconds(PATIENCE_SECONDS).until("the call returns, and all is closed",
                () -> !Threads.isAnyIn("io.nettyrdma.io.BlockingCalls", "destroy"));
    }

    /** On siw, destroying the queue pair blocks until the peer answers. */
    @Test
    void abandonedConnectDestroysItsQueuePair() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SteadyConnection other = new SteadyConnection(pair);
            pair.listener().config().setAutoRead(false);
            SoftHca.faults(1, LONG_CALL);
            assertThat(pair.bootstrap(new ChannelInboundHandlerAdapter())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, SHORT_MILLIS).connect(pair.address()).await().cause())
                    .isInstanceOf(ConnectTimeoutException.class);
            Deadline.standard().until("a queue pair is being destroyed", BlockingDestroyTest::isQueuePairOut);
            other.assertGoesOn();
            assertThat(isQueuePairOut()).as("the call is out when another connection has been served").isTrue();
            SoftHca.noFaults();
            other.close();
        }
    }

    private static boolean isQueuePairOut() {
        return Threads.isAnyIn("io.nettyrdma.jni.VerbsNative", "destroyQueuePair");
    }

    private static boolean isCallOut() {
        return Threads.isAnyIn("io.nettyrdma.jni.CmNative", "destroyId");
    }
}
