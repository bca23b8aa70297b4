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
package io.nettyrdma.jars;

import io.nettyrdma.fallback.FallbackReason;
import io.nettyrdma.fallback.RdmaOrTcp;

import java.lang.reflect.InvocationTargetException;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs a program and then says how its connections were made. */
public final class CountedRun {

    private CountedRun() {
    }

    /** @param args the name of the program's class. */
    public static void main(String[] args) throws ReflectiveOperationException {
        try {
            Class.forName(args[0]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } catch (InvocationTargetException e) {
            // It has ended nothing, and threads of its framework may keep the JVM alive.
            System.out.println("failure: " + causes(e.getCause()));
            System.exit(1);
        }
        long byTcp = Stream.of(FallbackReason.values()).mapToLong(RdmaOrTcp::connectionsByTcp).sum();
        System.out.println("connections: " + RdmaOrTcp.connectionsByRdma() + " by RDMA, " + byTcp + " by TCP");
    }

    private static String causes(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).map(Throwable::toString)
                .collect(Collectors.joining(", because of "));
    }
}
