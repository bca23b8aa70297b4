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
package io.nettyrdma.recorder;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/** A Java Flight Recorder event: TCP is used instead of RDMA. */
@Name("io.nettyrdma.Fallback")
@Label("Fallback to TCP")
@Description("A connection, or a listener, uses TCP and not RDMA")
@Category({"Netty", "RDMA"})
@StackTrace(false)
@Registered(true)
final class FallbackEvent extends Event {

    @Label("Local address")
    String local;

    /** {@code null} for a listener. */
    @Label("Peer")
    String peer;

    @Label("Reason")
    String reason;
}
