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

/** A Java Flight Recorder event: a peer was refused. */
@Name("io.nettyrdma.Refusal")
@Label("Refusal")
@Description("A peer was refused")
@Category({"Netty", "RDMA"})
@StackTrace(false)
@Registered(true)
final class RefusalEvent extends Event {

    @Label("Local address")
    String local;

    @Label("Peer")
    String peer;

    @Label("Reason")
    String reason;

    @Label("Text")
    @Description("The reason in words, as the peer gets them")
    String text;
}
