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

/** A Java Flight Recorder event: an asynchronous event of a device. Each loop that uses the device gets it. */
@Name("io.nettyrdma.DeviceEvent")
@Label("Asynchronous event of a device")
@Description("A device has reported a failure or a change")
@Category({"Netty", "RDMA"})
@StackTrace(false)
@Registered(true)
final class DeviceEvent extends Event {

    @Label("Device")
    String device;

    @Label("Type")
    String type;

    @Label("Object")
    @Description("The queue pair, completion queue or device that the event is about")
    String object;

    @Label("Port")
    int port;
}
