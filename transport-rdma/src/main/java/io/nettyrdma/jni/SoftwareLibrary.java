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
 * The library of the software device, as a file for {@code dlopen}. The search order is Netty's: a file in
 * {@code java.library.path}, then a class path resource. A resource is copied to a temporary file in
 * {@code io.netty.native.workdir} with mode 0600; {@link #close} deletes it. The library has no JNI methods, so its
 * name does not change when these packages are relocated.
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
     * @param loader class loader to search; {@code null} is the bootstrap loader.
     * @throws IOException if the library is not found or cannot be copied; the message has the cure.
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
                    + ", or configure the tool that repackaged it to keep this file");
        }
        return new SoftwareLibrary(copy(resource), resource.toString(), true);
    }

    /** The path to open. It is absolute, because the dynamic linker searches for other names. */
    String path() {
        return file.toString();
    }

    /** The file or URL that the library came from. */
    String origin() {
        return origin;
    }

    /** Deletes the temporary file. Call after {@code dlopen}: an open library does not need its file name. */
    @Override
    public void close() {
        // File.delete returns false where Files.delete throws, and a file that stays must not cause a failure.
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
            // Creates a new file with mode 0600 and an unpredictable name.
            copy = Files.createTempFile(Files.createDirectories(directory.toAbsolutePath()), "lib" + NAME, ".so");
            // Write to this file: Files.copy would replace it with a file that other users may read.
            try (OutputStream out = Files.newOutputStream(copy, StandardOpenOption.WRITE)) {
                in.transferTo(out);
            }
            return copy;
        } catch (IOException e) {
            if (copy != null) {
                Files.deleteIfExists(copy);
            }
            throw new IOException("cannot copy " + resource + " to " + directory + " (" + e + "): set -D"
                    + WORK_DIRECTORY + " to another directory", e);
        }
    }
}
