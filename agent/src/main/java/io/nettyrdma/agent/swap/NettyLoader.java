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
package io.nettyrdma.agent.swap;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.commons.ClassRemapper;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Loads the transport, and the agent's classes that use it, beside one copy of Netty, whose loader is its parent. If
 * the program has the transport, or Netty's epoll with its native library, these are the program's.
 */
final class NettyLoader extends ClassLoader {

    /** The directory of the agent's jar that has all of it. */
    static final String NESTED = "META-INF/agent/netty/";

    private static final String NATIVE = "META-INF/native/lib";
    private static final String OURS = "io.nettyrdma.";
    private static final String EPOLL = "io.netty.channel.epoll.";
    private static final String UNIX = "io.netty.channel.unix.";
    /** A native library finds its classes by the loader of the class that loads it. Netty takes this one. */
    private static final String LOADING = "io.netty.util.internal.NativeLibraryUtil";

    static {
        registerAsParallelCapable();
    }

    private final String prefix;
    private final String mangledPrefix;
    private final JarFile jar;
    private final boolean hasTransport;
    private final boolean hasEpoll;

    /** @param prefix of the names of a relocated Netty, with a dot at its end; else empty. */
    NettyLoader(String prefix, ClassLoader parent, JarFile jar) {
        super("netty-transport-rdma", parent);
        this.prefix = prefix;
        this.jar = jar;
        // As JNI mangles a name.
        mangledPrefix = prefix.replace("_", "_1").replace('.', '_');
        hasTransport = parent.getResource(path(prefix + OURS + "Rdma")) != null;
        hasEpoll = parent.getResource(path(prefix + EPOLL + "Epoll")) != null && parent.getResource(NATIVE
                + mangledPrefix + "netty_transport_native_epoll_" + DevicePresence.arch() + ".so") != null;
    }

    private static String path(String className) {
        return className.replace('.', '/') + ".class";
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        String original = name.startsWith(prefix) ? name.substring(prefix.length()) : "";
        if (!isHere(original)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name, original) : loaded;
        }
    }

    private boolean isHere(String original) {
        // Both packages are of one version, and know each other.
        return original.startsWith(NettyCopy.BESIDE) || original.startsWith(OURS) && !hasTransport
                || (original.startsWith(EPOLL) || original.startsWith(UNIX) || original.equals(LOADING)) && !hasEpoll;
    }

    private Class<?> define(String name, String original) throws ClassNotFoundException {
        byte[] classFile;
        try {
            // Netty's loader has it, in its version and under its name.
            classFile = original.equals(LOADING) ? read(getParent().getResourceAsStream(path(name)), name)
                    : relocate(read(nested(original), name));
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
        return defineClass(name, classFile, 0, classFile.length);
    }

    private static byte[] read(InputStream classFile, String name) throws IOException, ClassNotFoundException {
        if (classFile == null) {
            throw new ClassNotFoundException(name);
        }
        try (classFile) {
            return classFile.readAllBytes();
        }
    }

    /** {@code null} if the agent's jar does not have the class. */
    private InputStream nested(String original) throws IOException {
        JarEntry entry = jar.getJarEntry(original.startsWith(NettyCopy.BESIDE) ? path(original)
                : NESTED + path(original) + "data");
        return entry == null ? null : jar.getInputStream(entry);
    }

    private byte[] relocate(byte[] classFile) {
        if (prefix.isEmpty()) {
            return classFile;
        }
        ClassWriter writer = new ClassWriter(0);
        new ClassReader(classFile).accept(new ClassRemapper(writer, new PrefixRemapper(prefix)), 0);
        return writer.toByteArray();
    }

    /** The parent has been asked before. */
    @Override
    protected URL findResource(String name) {
        if (!name.startsWith(NATIVE)) {
            return null;
        }
        String library = name.substring(NATIVE.length());
        String entry = NESTED + NATIVE + (library.startsWith(mangledPrefix) ? library.substring(mangledPrefix.length())
                : library);
        if (jar.getEntry(entry) == null) {
            return null;
        }
        try {
            return URI.create("jar:" + Path.of(jar.getName()).toUri() + "!/" + entry).toURL();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
        URL resource = findResource(name);
        return resource == null ? Collections.emptyEnumeration() : Collections.enumeration(List.of(resource));
    }
}
