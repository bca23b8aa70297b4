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
package io.nettyrdma.testsuite.verbs;

import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The directory in which the processes of the software device find each other is missing, full, or fills up. */
@Tag("device")
@OneProcess("it has no peer")
class SharedDirectoryTest {

    @TempDir
    private static Path directory;

    @BeforeAll
    static void itIsOfTheSoftwareDevice() {
        SoftHca.assumeItIsTheDevice();
    }

    @Test
    void aMissingDirectoryIsNamedInTheError() throws Exception {
        Path missing = directory.resolve("missing");
        try (ChildProcess child = ChildProcess.start(List.of("env", "SOFTHCA_DIR=" + missing), Child.class, "opens")) {
            assertThat(child.readLine()).startsWith("ibv_open_device failed for softhca0: ENOENT (2); " + missing)
                    .contains("No such file or directory", "Mount a tmpfs", "SOFTHCA_DIR").doesNotContain("modprobe");
            assertThat(child.exitStatus()).isZero();
        }
    }

    @Test
    void aFullDirectoryIsNamedInTheError() throws Exception {
        try (ChildProcess child = ChildProcess.start(withDirectoryOf("64k"), Child.class, "opens")) {
            assertThat(child.readLine()).startsWith("ibv_open_device failed for softhca0: ENOSPC (28); " + directory)
                    .contains("No space left on device", "--shm-size", "SOFTHCA_DIR");
            assertThat(child.exitStatus()).isZero();
        }
    }

    @Test
    void fullDirectoryDoesNotAffectRunningProcesses() throws Exception {
        try (ChildProcess child = ChildProcess.start(withDirectoryOf("4m"), Child.class, "fills",
                directory.toString())) {
            assertThat(child.readLine()).isEqualTo("opened softhca0");
            assertThat(child.readLine()).isEqualTo("full");
            assertThat(child.readLine()).isEqualTo("bound 200");
            assertThat(child.exitStatus()).isZero();
        }
    }

    /** The command prefix that mounts a file system of this size, which no other process sees. */
    private static List<String> withDirectoryOf(String size) throws Exception {
        List<String> unshare = List.of("unshare", "--mount", "--map-root-user");
        List<String> probe = new ArrayList<>(unshare);
        probe.add("true");
        assumeTrue(new ProcessBuilder(probe).inheritIO().start().waitFor() == 0,
                "NOT RUN: this machine refuses mount namespaces");
        List<String> command = new ArrayList<>(unshare);
        command.addAll(List.of("bash", "-c", "mount -t tmpfs -o size=" + size + " tmpfs " + directory
                + " && export SOFTHCA_DIR=" + directory + " && exec \"$@\"", "bash"));
        return command;
    }

    /** Opens the device; then fills the directory, if that is requested, and binds ports. */
    static final class Child {

        private Child() {
        }

        public static void main(String[] arguments) throws Exception {
            try (RdmaDevice device = RdmaDevice.open("softhca0")) {
                ChildProcess.reportToParent("opened " + device.name());
                if (arguments[0].equals("fills")) {
                    fill(Path.of(arguments[1], "another-program"));
                    ChildProcess.reportToParent("full");
                    bind(200);
                }
            } catch (VerbsException e) {
                ChildProcess.reportToParent(e.getMessage());
            }
        }

        private static void fill(Path file) throws IOException {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                while (true) {
                    channel.write(ByteBuffer.allocateDirect(4096));
                }
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("No space left");
                assertThat(Files.getFileStore(file).getUsableSpace()).isZero();
            }
        }

        private static void bind(int count) throws VerbsException {
            List<CmId> ids = new ArrayList<>();
            try (CmEventChannel channel = CmEventChannel.open()) {
                for (int i = 0; i < count; i++) {
                    CmId id = CmId.create(channel, CmPortSpace.TCP);
                    ids.add(id);
                    id.bind(new InetSocketAddress("127.0.0.1", 0));
                }
                ChildProcess.reportToParent("bound " + ids.size());
                for (CmId id : ids) {
                    id.close();
                }
            }
        }
    }
}
