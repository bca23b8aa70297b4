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
package io.nettyrdma.testsuite.shaded;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A program that relocates Netty renames its native libraries: the package prefix before the name, with {@code _}
 * written {@code _1} and {@code .} written {@code _}. Our libraries need no other name, whether we are relocated as
 * well or not. System properties are relocated with the packages that their names begin with.
 */
class RelocatedLibraryTest {

    private static final Path BOTH = Path.of(System.getProperty("shaded.jar"));
    private static final Path NETTY_ALONE = Path.of(System.getProperty("shaded.netty.jar"));
    private static final String PREFIX = System.getProperty("shaded.prefix");
    private static final String ARCH = System.getProperty("shaded.arch") + ".so";
    private static final String SHIM = "netty_transport_rdma_" + ARCH;
    private static final String EPOLL = "netty_transport_native_epoll_" + ARCH;
    private static final String FOLDER = "META-INF/native/";

    @TempDir
    private Path renamed;
    /** A resource that the jars do not have; {@code null} for none. */
    private String hidden;

    @BeforeEach
    void renameNettysLibrary() throws Exception {
        rename(EPOLL);
    }

    @Test
    void nettyAndOursMayBeRelocated() throws Exception {
        assertWorks(BOTH, PREFIX + '.');
    }

    @Test
    void nettyCanBeRelocatedAlone() throws Exception {
        assertWorks(NETTY_ALONE, "");
    }

    /** By the rule of Netty, which tools apply to all libraries. */
    @Test
    void ourLibraryCanBeRenamedLikeNettys() throws Exception {
        rename(SHIM);
        hidden = FOLDER + "lib" + SHIM;
        assertWorks(BOTH, PREFIX + '.');
        assertWorks(NETTY_ALONE, "");
    }

    @Test
    void unrenamedNettyLibraryIsNamed() throws Exception {
        Files.delete(renamed.resolve(FOLDER + "lib" + mangledPrefix() + EPOLL));
        assertThat(unavailabilityCause(BOTH, PREFIX + '.')).contains("netty-transport-native-epoll",
                mangledPrefix() + "netty_transport_native_epoll");
    }

    /** The native methods were found, the device opened, and Netty's own library loaded. */
    private void assertWorks(Path jar, String ours) throws Exception {
        assertThat(unavailabilityCause(jar, ours)).isEqualTo("null");
    }

    private String unavailabilityCause(Path jar, String ours) throws Exception {
        String property = ours + "io.nettyrdma.device";
        System.setProperty(property, "software");
        try (URLClassLoader classes = classes(jar.toUri().toURL(), renamed.toUri().toURL())) {
            Object cause = classes.loadClass(ours + "io.nettyrdma.Rdma").getMethod("unavailabilityCause").invoke(null);
            return String.valueOf(cause);
        } finally {
            System.clearProperty(property);
        }
    }

    private void rename(String library) throws Exception {
        Path target = renamed.resolve(FOLDER + "lib" + mangledPrefix() + library);
        Files.createDirectories(target.getParent());
        try (URLClassLoader jar = classes(BOTH.toUri().toURL());
             InputStream content = jar.getResourceAsStream(FOLDER + "lib" + library)) {
            Files.copy(content, target);
        }
    }

    private static String mangledPrefix() {
        return PREFIX.replace("_", "_1").replace('.', '_') + '_';
    }

    /** Without our own class path: nothing but the relocated classes can be found. */
    private URLClassLoader classes(URL... urls) {
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader()) {
            @Override
            public URL findResource(String name) {
                return name.equals(hidden) ? null : super.findResource(name);
            }
        };
    }
}
