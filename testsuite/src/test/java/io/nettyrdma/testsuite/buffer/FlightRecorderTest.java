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
package io.nettyrdma.testsuite.buffer;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.ProtectionDomain;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static io.nettyrdma.buffer.RegisteredMemory.NOT_REGISTERED;
import static org.assertj.core.api.Assertions.assertThat;

/** JFR events of an allocator's chunks: their creation, registration and release. */
@Tag("device")
@OneProcess("it has no peer")
class FlightRecorderTest {

    private static final String COMMIT = "io.nettyrdma.ChunkCommit";
    private static final String RELEASE = "io.nettyrdma.ChunkRelease";
    private static final String REGISTRATION = "io.nettyrdma.Registration";
    private static final int CHUNK = 1 << 20;
    private static final int LARGE = 3 * CHUNK + 4096;

    @TempDir
    private Path directory;

    @Test
    void chunkEventsAreRecorded() throws Exception {
        List<Long> addresses = new ArrayList<>();
        List<RecordedEvent> events = record(Duration.ZERO, () -> useTwoChunks(addresses));
        long small = addresses.get(0);
        long large = addresses.get(1);
        assertThat(events).extracting(event -> event.getEventType().getName()).containsExactly(COMMIT, COMMIT,
                REGISTRATION, REGISTRATION, REGISTRATION, RELEASE, RELEASE);
        assertThat(events).extracting(event -> event.getLong("address")).containsExactly(small, large, large, small,
                small, small, large);
        assertThat(events).extracting(event -> event.getLong("bytes")).containsExactly(1L * CHUNK, 1L * LARGE,
                1L * LARGE, 1L * CHUNK, 1L * CHUNK, 1L * CHUNK, 1L * LARGE);
        assertThat(events.subList(2, 5)).extracting(event -> event.getString("device"))
                .containsOnly(TestDevice.get().device().name());
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getDuration()).as("%s takes time", event).isPositive();
            assertThat(event.getThread().getJavaName()).isEqualTo(Thread.currentThread().getName());
        });
    }

    /** All of them take longer than a nanosecond; a threshold selects the slow ones. */
    @Test
    void onlyCallsBeyondTheThresholdAreRecorded() throws Exception {
        assertThat(record(Duration.ofNanos(1), () -> useTwoChunks(new ArrayList<>()))).hasSize(7);
        assertThat(record(Duration.ofDays(1), () -> useTwoChunks(new ArrayList<>()))).isEmpty();
    }

    private interface Action {
        void run() throws Exception;
    }

    private List<RecordedEvent> record(Duration threshold, Action action) throws Exception {
        Path file = directory.resolve(threshold + ".jfr");
        try (Recording recording = new Recording()) {
            for (String name : List.of(COMMIT, RELEASE, REGISTRATION)) {
                recording.enable(name).withThreshold(threshold);
            }
            recording.start();
            action.run();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = new ArrayList<>(RecordingFile.readAllEvents(file));
        events.removeIf(event -> !event.getEventType().getName().startsWith("io.nettyrdma."));
        events.sort((one, other) -> one.getEndTime().compareTo(other.getEndTime()));
        return events;
    }

    /** No other code uses chunks at this time. */
    private static void useTwoChunks(List<Long> addresses) throws Exception {
        RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().chunkBytes(CHUNK).idleBytes(0).build();
        ByteBuf small = allocator.directBuffer(100);
        ByteBuf large = allocator.directBuffer(LARGE, LARGE);
        // The first buffer of a chunk is at its beginning.
        addresses.add(small.memoryAddress());
        addresses.add(large.memoryAddress());
        try (ProtectionDomain domain = TestDevice.get().device().createProtectionDomain();
             ProtectionDomain other = TestDevice.get().device().createProtectionDomain();
             RegistrationIndex index = RegistrationIndex.of(allocator, domain);
             RegistrationIndex otherIndex = RegistrationIndex.of(allocator, other)) {
            assertThat(index.localKey(large.memoryAddress(), LARGE)).isNotEqualTo(NOT_REGISTERED);
            assertThat(index.localKey(small.memoryAddress(), 100)).isNotEqualTo(NOT_REGISTERED);
            assertThat(otherIndex.localKey(small.memoryAddress(), 100)).isNotEqualTo(NOT_REGISTERED);
            small.release();
            large.release();
        }
    }
}
