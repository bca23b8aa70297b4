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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whoever relocates Netty and us renames the native library by the rule of Netty's loader: the package prefix before
 * its name, with {@code _} written {@code _1} and {@code .} written {@code _}. The library then finds the relocated
 * classes by its own file name. The software device keeps its name: it has no Java classes to find. Our system
 * properties are relocated too, as Netty's are.
 */
class RelocatedLibraryTest {

    private static final Path JAR = Path.of(System.getProperty("shaded.jar"));
    private static final String PREFIX = System.getProperty("shaded.prefix");
    private static final String LIBRARY = "netty_transport_rdma_" + System.getProperty("shaded.arch") + ".so";
    private static final String FOLDER = "META-INF/native/";

    @Test
    void theRenamedLibraryFindsTheRelocatedClasses(@TempDir Path renamed) throws Exception {
        assertThat(availableOn("system", renamed)).isEqualTo("rdma-core");
    }

    @Test
    void theSoftwareDeviceIsFoundInTheRelocatedJar(@TempDir Path renamed) throws Exception {
        assertThat(availableOn("software", renamed)).isEqualTo("software");
    }

    @Test
    void aLibraryThatWasNotRenamedIsNamedInTheReason() throws Exception {
        try (URLClassLoader classes = classes(JAR.toUri().toURL())) {
            assertThat(unavailabilityCause(classes)).hasMessageContaining("could not be loaded")
                    .hasMessageContaining(mangledPrefix() + "netty_transport_rdma");
        }
    }

    /** Not only loaded: the layout was compared, and the libraries of the device opened through it. */
    private static String availableOn(String device, Path renamed) throws Exception {
        String property = PREFIX + ".io.nettyrdma.device";
        rename(renamed);
        System.setProperty(property, device);
        try (URLClassLoader classes = classes(JAR.toUri().toURL(), renamed.toUri().toURL())) {
            assertThat(unavailabilityCause(classes)).isNull();
            return (boolean) library(classes).getMethod("isSoftware").invoke(null) ? "software" : "rdma-core";
        } finally {
            System.clearProperty(property);
        }
    }

    private static void rename(Path folder) throws Exception {
        Path target = folder.resolve(FOLDER + "lib" + mangledPrefix() + LIBRARY);
        Files.createDirectories(target.getParent());
        try (URLClassLoader jar = classes(JAR.toUri().toURL());
             InputStream library = jar.getResourceAsStream(FOLDER + "lib" + LIBRARY)) {
            Files.copy(library, target);
        }
    }

    private static String mangledPrefix() {
        return PREFIX.replace("_", "_1").replace('.', '_') + '_';
    }

    /** Without our own class path: nothing but the relocated classes can be found. */
    private static URLClassLoader classes(URL... urls) {
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }

    private static Throwable unavailabilityCause(ClassLoader classes) throws Exception {
        return (Throwable) library(classes).getMethod("verbsUnavailabilityCause").invoke(null);
    }

    private static Class<?> library(ClassLoader classes) throws ClassNotFoundException {
        return classes.loadClass(PREFIX + ".io.nettyrdma.jni.NativeLibrary");
    }
}
