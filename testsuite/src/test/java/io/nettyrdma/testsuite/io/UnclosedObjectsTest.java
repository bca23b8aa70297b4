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
package io.nettyrdma.testsuite.io;

import io.nettyrdma.io.UnclosedObjects;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.LogLines;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.logging.Level;

import static org.assertj.core.api.Assertions.assertThat;

/** A device that refuses to close a thousand objects is one warning. */
@Tag("device")
class UnclosedObjectsTest {

    private static final int OBJECTS = 1_000;

    /** In a process of its own, in which nothing was logged before. */
    @Test
    void objectsThatFollowOneAnotherAreOneWarning() throws Exception {
        try (ChildProcess child = ChildProcess.start(ManyObjects.class)) {
            assertThat(child.readLine()).isEqualTo(
                    "[queue pair 0 was not closed; those that follow within 10 s are logged at level debug]");
            assertThat(child.exitStatus()).isZero();
        }
    }

    static final class ManyObjects {

        private ManyObjects() {
        }

        public static void main(String[] arguments) {
            try (LogLines lines = new LogLines(UnclosedObjects.class.getName(), Level.WARNING)) {
                for (int i = 0; i < OBJECTS; i++) {
                    UnclosedObjects.log("queue pair " + i, new IOException("ibv_destroy_qp failed: EIO"));
                }
                ChildProcess.reportToParent(lines.messages().toString());
            }
        }
    }
}
