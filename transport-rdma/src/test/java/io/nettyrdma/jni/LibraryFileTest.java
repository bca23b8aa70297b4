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

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** How the library file is handled, whatever its content. */
class LibraryFileTest {

    private static final String FILE = System.mapLibraryName(LibraryFile.SOFTWARE);
    private static final byte[] CONTENT = { 0x7f, 'E', 'L', 'F', 1, 2, 3 };

    @TempDir
    private Path directory;
    private Path work;

    @BeforeEach
    void chooseWorkDirectory() {
        work = directory.resolve("not/made/yet");
    }

    @Test
    void copyIsPrivateAndIsDeletedByClose() throws Exception {
        withProperty("io.netty.native.workdir", work, () -> {
            try (URLClassLoader loader = loader(jar())) {
                Path copy;
                try (LibraryFile library = LibraryFile.software(loader)) {
                    copy = library.path();
                    assertThat(copy).isAbsolute().hasParent(work).hasBinaryContent(CONTENT);
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
                            .isEqualTo("rw-------");
                    assertThat(library.origin()).startsWith("jar:file:").endsWith("!/META-INF/native/" + FILE);
                }
                assertThat(copy).doesNotExist();
            }
        });
    }

    @Test
    void twoCopiesHaveDifferentFiles() throws Exception {
        withProperty("io.netty.native.workdir", work, () -> {
            try (URLClassLoader loader = loader(jar());
                 LibraryFile one = LibraryFile.software(loader);
                 LibraryFile other = LibraryFile.software(loader)) {
                assertThat(one.path()).isNotEqualTo(other.path());
            }
        });
    }

    @Test
    void copyIsKeptIfNettyKeepsLibraries() throws Exception {
        withProperty("io.netty.native.workdir", work, () -> withProperty("io.netty.native.deleteLibAfterLoading",
                "false", () -> {
                    try (URLClassLoader loader = loader(jar())) {
                        LibraryFile library = LibraryFile.software(loader);
                        library.close();
                        assertThat(library.path()).exists();
                    }
                }));
    }

    @Test
    void unpackedLibraryIsUsedInPlaceAndKept() throws Exception {
        Path unpacked = Files.write(directory.resolve(FILE), CONTENT);
        withProperty("java.library.path", "/nonexistent::" + directory, () -> {
            try (URLClassLoader loader = loader(jar())) {
                LibraryFile library = LibraryFile.software(loader);
                assertThat(library.path()).isEqualTo(unpacked);
                library.close();
                assertThat(unpacked).exists();
            }
        });
    }

    /** From the copy's name the library knows where its classes are. */
    @Test
    void theNameOfARelocatedShimBeginsWithItsPrefix() throws Exception {
        assertThat(LibraryFile.mangledPrefix(LibraryFile.class.getName())).isEmpty();
        assertThat(LibraryFile.mangledPrefix("com.acme.my_app." + LibraryFile.class.getName()))
                .isEqualTo("com_acme_my_1app_");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> LibraryFile.mangledPrefix("com.acme.rdma.jni.LibraryFile"))
                .withMessageContaining("com.acme.rdma.jni.LibraryFile").withMessageContaining("only behind a prefix");
    }

    @Test
    void missingLibraryNamesTheArtifact() throws Exception {
        try (URLClassLoader loader = loader()) {
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> LibraryFile.software(loader))
                    .withMessageContaining(FILE).withMessageContaining("netty-transport-rdma-native");
        }
    }

    @Test
    void failedCopyNamesTheProperty() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        withProperty("io.netty.native.workdir", file.resolve("below"), () -> {
            try (URLClassLoader loader = loader(jar())) {
                assertThatExceptionOfType(IOException.class).isThrownBy(() -> LibraryFile.software(loader))
                        .withMessageContaining("-Dio.netty.native.workdir").withMessageContaining(file.toString());
            }
        });
    }

    @Test
    void failedCopyLeavesNoFile() throws Exception {
        Files.createDirectories(work);
        withProperty("io.netty.native.workdir", work, () -> {
            Path folder = Files.createDirectories(directory.resolve("classes/META-INF/native"));
            Path library = Files.write(folder.resolve(FILE), CONTENT);
            try (URLClassLoader loader = new VanishingLoader(library)) {
                assertThatExceptionOfType(IOException.class).isThrownBy(() -> LibraryFile.software(loader));
            }
            try (Stream<Path> left = Files.list(work)) {
                assertThat(left).isEmpty();
            }
        });
    }

    @FunctionalInterface
    private interface Action {
        void run() throws Exception;
    }

    /** Finds the file, which is gone when it is read. */
    private static final class VanishingLoader extends URLClassLoader {

        private final Path file;

        VanishingLoader(Path file) {
            super(new URL[0], null);
            this.file = file;
        }

        @Override
        public URL findResource(String name) {
            try {
                URL found = file.toUri().toURL();
                Files.delete(file);
                return found;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void withProperty(String name, Object value, Action action) throws Exception {
        String before = System.getProperty(name);
        System.setProperty(name, value.toString());
        try {
            action.run();
        } finally {
            if (before == null) {
                System.clearProperty(name);
            } else {
                System.setProperty(name, before);
            }
        }
    }

    private Path jar() throws IOException {
        Path jar = directory.resolve("native.jar");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new ZipEntry("META-INF/native/" + FILE));
            out.write(CONTENT);
        }
        return jar;
    }

    /** A loader without the class path of this test. */
    private static URLClassLoader loader(Path... paths) throws IOException {
        URL[] urls = new URL[paths.length];
        for (int i = 0; i < paths.length; i++) {
            urls[i] = paths[i].toUri().toURL();
        }
        return new URLClassLoader(urls, null);
    }
}
