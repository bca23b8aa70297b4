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
package io.nettyrdma.jni;

import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.SystemPropertyUtil;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The library of the software device as a file that can be opened. It is looked for where Netty looks for native
 * libraries: unpacked in {@code java.library.path}, else as a resource. That is copied to a temporary file, which
 * only this user can read and write, in {@code io.netty.native.workdir}, until this is closed. It has no JNI methods,
 * so its name stays where our packages are relocated.
 */
final class SoftwareLibrary implements AutoCloseable {

    static final String NAME = "softhca_" + PlatformDependent.normalizedArch();

    private static final String RESOURCE = "META-INF/native/" + System.mapLibraryName(NAME);
    private static final String WORK_DIRECTORY = "io.netty.native.workdir";
    private static final String DELETE = "io.netty.native.deleteLibAfterLoading";

    private final Path file;
    private final String origin;
    private final boolean temporary;

    private SoftwareLibrary(Path file, String origin, boolean temporary) {
        this.file = file;
        this.origin = origin;
        this.temporary = temporary;
    }

    /**
     * @param loader of the classes that want it; {@code null} is the bootstrap loader.
     * @throws IOException if it is nowhere, or cannot be copied; the message tells the cure.
     */
    static SoftwareLibrary locate(ClassLoader loader) throws IOException {
        Path unpacked = inLibraryPath();
        if (unpacked != null) {
            return new SoftwareLibrary(unpacked, unpacked.toString(), false);
        }
        URL resource = loader == null ? ClassLoader.getSystemResource(RESOURCE) : loader.getResource(RESOURCE);
        if (resource == null) {
            throw new NoSuchFileException(RESOURCE + " is not on the class path: add the artifact "
                    + "netty-transport-rdma-native with classifier linux-" + PlatformDependent.normalizedArch()
                    + ", or have the tool that repackaged it keep this file");
        }
        return new SoftwareLibrary(copy(resource), resource.toString(), true);
    }

    /** What to open: absolute, or the dynamic linker would search for it. */
    String path() {
        return file.toString();
    }

    /** Where it came from. */
    String origin() {
        return origin;
    }

    /** After it was opened: what is open needs no name any more. */
    @Override
    public void close() {
        // File.delete tells what Files.delete throws; not to be deleted now is no reason to fail.
        if (temporary && (!SystemPropertyUtil.getBoolean(DELETE, true) || !file.toFile().delete())) {
            file.toFile().deleteOnExit();
        }
    }

    private static Path inLibraryPath() {
        for (String directory : SystemPropertyUtil.get("java.library.path", "").split(File.pathSeparator)) {
            File candidate = new File(directory, System.mapLibraryName(NAME));
            if (!directory.isEmpty() && candidate.isFile()) {
                return candidate.toPath().toAbsolutePath();
            }
        }
        return null;
    }

    private static Path copy(URL resource) throws IOException {
        String configured = SystemPropertyUtil.get(WORK_DIRECTORY);
        Path directory = configured == null ? PlatformDependent.tmpdir().toPath() : Path.of(configured);
        Path copy = null;
        try (InputStream in = resource.openStream()) {
            // Made with mode 0600 and a name that nobody can have taken before.
            copy = Files.createTempFile(Files.createDirectories(directory.toAbsolutePath()), "lib" + NAME, ".so");
            // Into this very file: Files.copy would replace it by one that others may read.
            try (OutputStream out = Files.newOutputStream(copy, StandardOpenOption.WRITE)) {
                in.transferTo(out);
            }
            return copy;
        } catch (IOException e) {
            if (copy != null) {
                Files.deleteIfExists(copy);
            }
            throw new IOException("cannot copy " + resource + " to " + directory + " (" + e + "): -D" + WORK_DIRECTORY
                    + " names another directory", e);
        }
    }
}
