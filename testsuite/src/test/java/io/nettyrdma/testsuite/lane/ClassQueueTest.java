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
package io.nettyrdma.testsuite.lane;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Classes are taken in order, each once, by any number of queues of the same file. */
class ClassQueueTest {

    @TempDir
    private Path directory;

    @Test
    void eachNameIsTakenOnce() throws Exception {
        List<String> names = IntStream.range(0, 300).mapToObj(i -> "Class" + i).toList();
        Path file = Files.write(directory.resolve("classes"), names);
        List<ClassQueue> queues = List.of(new ClassQueue(file), new ClassQueue(file));
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            taken.add(queues.get(i % 2).take().orElseThrow());
        }
        assertThat(taken).containsExactlyElementsOf(names);
        assertThat(queues).allSatisfy(queue -> assertThat(queue.take()).isEmpty());
    }

    @Test
    void emptyListHasNoClass() throws Exception {
        assertThat(new ClassQueue(Files.createFile(directory.resolve("classes"))).take()).isEmpty();
    }
}
