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
import java.util.List;

/**
 * A native library of ours as a file that can be opened. The search order is Netty's: a file in
 * {@code java.library.path}, then a class path resource. A resource is copied to a temporary file in
 * {@code io.netty.native.workdir} with mode 0600; {@link #close} deletes it.
 *
 * <p>If a tool has relocated these packages, the shim's native methods belong to the new names. It finds these by its
 * own file name, as Netty's libraries do. So the copy's name begins with the prefix, whatever that of the resource is:
 *
 * <pre>
 *   com.acme.my_app.io.nettyrdma.jni       com_acme_my_1app_      libcom_acme_my_1app_netty_transport_rdma_x86_64.so
 * </pre>
 *
 * <p>The resource may have Netty's prefix, even if only Netty is relocated: the rule that renames Netty's libraries
 * often matches ours as well.
 */
final class LibraryFile implements AutoCloseable {

    /** With JNI methods. */
    static final String SHIM = "netty_transport_rdma_" + PlatformDependent.normalizedArch();
    /** Without. */
    static final String SOFTWARE = "softhca_" + PlatformDependent.normalizedArch();

    /**
     * Netty's: the directory for the temporary copy of a native library; it must allow programs.
     *
     * @option.default the system's temporary directory
     * @option.range a directory
     */
    static final String WORK_DIRECTORY = "io.netty.native.workdir";

    private static final String RESOURCES = "META-INF/native/";
    /**
     * Netty's: whether the temporary copy of a native library is deleted once it is loaded.
     *
     * @option.default true
     * @option.range true, false
     */
    private static final String DELETE = "io.netty.native.deleteLibAfterLoading";

    private final Path file;
    private final String origin;
    private final boolean temporary;

    private LibraryFile(Path file, String origin, boolean temporary) {
        this.file = file;
        this.origin = origin;
        this.temporary = temporary;
    }

    /** The library with the native methods of these classes. Otherwise as {@link #software}. */
    static LibraryFile shim(ClassLoader loader) throws IOException {
        String prefix = mangledPrefix(LibraryFile.class.getName());
        LibraryFile found = inLibraryPath(prefix + SHIM);
        if (found != null) {
            return found;
        }
        for (String its : List.of(prefix, nettysPrefix(PlatformDependent.class.getName()))) {
            URL resource = resource(loader, its + SHIM);
            if (resource != null) {
                return copy(resource, prefix + SHIM);
            }
        }
        return copy(present(loader, SHIM), prefix + SHIM);
    }

    /**
     * The library of the software device.
     *
     * @param loader class loader to search; {@code null} is the bootstrap loader.
     * @throws IOException if the library is not found or cannot be copied; the message has the cure.
     */
    static LibraryFile software(ClassLoader loader) throws IOException {
        LibraryFile found = inLibraryPath(SOFTWARE);
        return found == null ? copy(present(loader, SOFTWARE), SOFTWARE) : found;
    }

    /**
     * The prefix of the shim's name, if these classes are relocated: JNI writes {@code _} as {@code _1}, and
     * {@code .} as {@code _}.
     *
     * @param name of this class. Relocating tools change string constants as well, so its original is composed here.
     */
    static String mangledPrefix(String name) throws IOException {
        String original = "io!nettyrdma!jni!LibraryFile".replace('!', '.');
        if (!name.endsWith(original)) {
            throw new IOException("the package io.nettyrdma was renamed, see the name of " + name + ": its native "
                    + "library finds it only behind a prefix, such as com.acme.io.nettyrdma");
        }
        return mangled(name, original);
    }

    /** @param name of Netty's {@code PlatformDependent}. The result is empty if its packages have other names. */
    static String nettysPrefix(String name) {
        String original = "io!netty!util!internal!PlatformDependent".replace('!', '.');
        return name.endsWith(original) ? mangled(name, original) : "";
    }

    private static String mangled(String name, String original) {
        return name.substring(0, name.length() - original.length()).replace("_", "_1").replace('.', '_');
    }

    /** The path to open. It is absolute, because the dynamic linker searches for other names. */
    Path path() {
        return file;
    }

    /** The file or URL that the library came from. */
    String origin() {
        return origin;
    }

    /** Whether this is an unpacked copy. */
    boolean isTemporary() {
        return temporary;
    }

    /** Deletes the temporary file. Call after {@code dlopen}: an open library does not need its file name. */
    @Override
    public void close() {
        // File.delete returns false where Files.delete throws, and a file that stays must not cause a failure.
        if (temporary && (!SystemPropertyUtil.getBoolean(DELETE, true) || !file.toFile().delete())) {
            file.toFile().deleteOnExit();
        }
    }

    private static LibraryFile inLibraryPath(String name) {
        for (String directory : SystemPropertyUtil.get("java.library.path", "").split(File.pathSeparator)) {
            File candidate = new File(directory, System.mapLibraryName(name));
            if (!directory.isEmpty() && candidate.isFile()) {
                return new LibraryFile(candidate.toPath().toAbsolutePath(), candidate.toString(), false);
            }
        }
        return null;
    }

    private static URL resource(ClassLoader loader, String name) {
        String path = RESOURCES + System.mapLibraryName(name);
        return loader == null ? ClassLoader.getSystemResource(path) : loader.getResource(path);
    }

    private static URL present(ClassLoader loader, String name) throws IOException {
        URL resource = resource(loader, name);
        if (resource == null) {
            throw new NoSuchFileException(RESOURCES + System.mapLibraryName(name) + (
                    LibraryFile.class.getModule().isNamed() ? LoadFailure.UNRESOLVED : LoadFailure.MISSING)
                    + ", or configure the tool that repackaged it to keep this file");
        }
        return resource;
    }

    private static LibraryFile copy(URL resource, String name) throws IOException {
        String configured = SystemPropertyUtil.get(WORK_DIRECTORY);
        Path directory = configured == null ? PlatformDependent.tmpdir().toPath() : Path.of(configured);
        Path copy = null;
        try (InputStream in = resource.openStream()) {
            // Creates a new file with mode 0600 and an unpredictable name.
            copy = Files.createTempFile(Files.createDirectories(directory.toAbsolutePath()), "lib" + name, ".so");
            // Write to this file: Files.copy would replace it with a file that other users may read.
            try (OutputStream out = Files.newOutputStream(copy, StandardOpenOption.WRITE)) {
                in.transferTo(out);
            }
            return new LibraryFile(copy, resource.toString(), true);
        } catch (IOException e) {
            if (copy != null) {
                Files.deleteIfExists(copy);
            }
            throw new IOException("cannot copy " + resource + " to " + directory + " (" + e + "): set -D"
                    + WORK_DIRECTORY + " to another directory", e);
        }
    }
}
