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
package io.nettyrdma.metrics;

import io.nettyrdma.annotation.UnstableApi;

import java.util.List;
import java.util.Map;

/**
 * {@link RdmaMetrics} over JMX, for {@code rdma-top} and other tools: {@code io.nettyrdma:type=Metrics,loader=...}, one
 * for each class loader that has the transport. It is registered while there are event loops, if the JVM has the module
 * {@code java.management}.
 *
 * @since 0.1.0
 */
@UnstableApi
public interface RdmaMetricsMXBean {

    /** The name without the class loader. */
    String NAME = "io.nettyrdma:type=Metrics";

    /** {@return as {@link RdmaMetrics#loops}} */
    List<RdmaLoopView> getLoops();

    /** {@return as {@link RdmaMetrics#registeredBytes}} */
    Map<String, Long> getRegisteredBytes();

    /** {@return as {@link RdmaMetrics#committedBytes}} */
    long getCommittedBytes();
}
