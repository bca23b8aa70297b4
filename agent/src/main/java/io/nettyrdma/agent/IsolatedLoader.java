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
package io.nettyrdma.agent;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Loads the agent's classes, and ASM, from the agent's jar, apart from the program's. */
final class IsolatedLoader extends ClassLoader {

    private static final String OWN = "io.nettyrdma.agent.";
    private static final String ASM = "META-INF/agent/asm/";

    static {
        registerAsParallelCapable();
    }

    private final JarFile jar;

    /** @throws IOException if the jar cannot be read. */
    IsolatedLoader(Path jar) throws IOException {
        super("netty-transport-rdma-agent", ClassLoader.getPlatformClassLoader());
        this.jar = new JarFile(jar.toFile());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        String path = name.replace('.', '/');
        JarEntry entry = jar.getJarEntry(name.startsWith(OWN) ? path + ".class" : ASM + path + ".classdata");
        if (entry == null) {
            throw new ClassNotFoundException(name + " is not in " + jar.getName());
        }
        try (InputStream in = jar.getInputStream(entry)) {
            byte[] classFile = in.readAllBytes();
            return defineClass(name, classFile, 0, classFile.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
