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
package io.nettyrdma.testsuite.support;

import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A recording of some events of the transport, whatever they take. */
public final class FlightRecording implements AutoCloseable {

    private static final String PREFIX = "io.nettyrdma.";

    private final Recording recording = new Recording();
    private final List<String> names;

    /** @param names without the prefix of the project. */
    public static FlightRecording of(String... names) throws IOException {
        return new FlightRecording(Duration.ZERO, names);
    }

    /** Leaves out events that take less than the threshold. */
    public FlightRecording(Duration threshold, String... names) throws IOException {
        this.names = Stream.of(names).map(PREFIX::concat).toList();
        this.names.forEach(name -> recording.enable(name).withThreshold(threshold));
        recording.start();
        new Renewal().commit();
        events();
    }

    /**
     * Texts are numbered, from the beginning after each dump. But JDK 17 compares only whether the number of dumps is
     * even: a text that is used again after two dumps has the number of another recording, and is null. A text in
     * between helps.
     */
    @Name("io.nettyrdma.testsuite.Renewal")
    @StackTrace(false)
    static final class Renewal extends Event {

        final String text = "a text that is long enough to be numbered";
    }

    /** All events so far. */
    public List<RecordedEvent> events() throws IOException {
        Path file = Files.createTempFile("events", ".jfr");
        try {
            recording.dump(file);
            new Renewal().commit();
            // Other events are on by default.
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> names.contains(event.getEventType().getName())).toList();
        } finally {
            Files.delete(file);
        }
    }

    /** The first event of this name that fits, when there is one. */
    public RecordedEvent await(String name, Predicate<RecordedEvent> which) throws Exception {
        RecordedEvent[] found = new RecordedEvent[1];
        Deadline.standard().until(name, () -> {
            found[0] = events().stream().filter(event -> event.getEventType().getName().equals(PREFIX + name))
                    .filter(which).findFirst().orElse(null);
            return found[0] != null;
        });
        return found[0];
    }

    @Override
    public void close() {
        recording.close();
    }
}
