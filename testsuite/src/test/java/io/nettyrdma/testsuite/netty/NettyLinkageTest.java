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
package io.nettyrdma.testsuite.netty;

import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.testsuite.netty.ClassReferences.Reference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Our classes load, and whatever they call exists in the version of Netty that this lane has: also where no test comes.
 */
@Tag("netty")
class NettyLinkageTest {

    /** Asked for in vain where Netty is older, and only there. */
    private static final Set<String> ASKED_FOR = Set.of(
            "LoopContext: io.netty.channel.IoHandlerContext.reportActiveIoTime",
            "LoopContext: io.netty.channel.IoHandlerContext.shouldReportActiveIoTime",
            "RdmaIoHandler$Factory: io.netty.channel.IoHandlerFactory.isChangingThreadSupported",
            "CachedThreads: io.netty.util.concurrent.FastThreadLocalThread.currentThreadWillCleanupFastThreadLocals");

    @Test
    void everyReferenceToNettyResolves() throws Exception {
        Set<String> missing = new TreeSet<>();
        for (Class<?> one : new Class<?>[] { RdmaChannel.class, EfaDatagramChannel.class }) {
            check(Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI()), missing);
        }
        missing.removeAll(ASKED_FOR);
        assertThat(missing).isEmpty();
    }

    private static void check(Path artifact, Set<String> missing) throws Exception {
        if (Files.isDirectory(artifact)) {
            checkTree(artifact, missing);
            return;
        }
        try (FileSystem jar = FileSystems.newFileSystem(URI.create("jar:" + artifact.toUri()), Map.of())) {
            checkTree(jar.getPath("/"), missing);
        }
    }

    private static void checkTree(Path root, Set<String> missing) throws Exception {
        try (Stream<Path> files = Files.walk(root.resolve("io"))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
                String name = root.relativize(file).toString().replace('/', '.').replaceAll("[.]class$", "");
                // Linking finds a final method that is overridden, and an interface that is a class now.
                Class.forName(name, false, NettyLinkageTest.class.getClassLoader()).getDeclaredMethods();
                check(file, name.substring(name.lastIndexOf('.') + 1), missing);
            }
        }
    }

    private static void check(Path file, String name, Set<String> missing) throws IOException, ClassNotFoundException {
        try (InputStream in = Files.newInputStream(file)) {
            for (Reference each : ClassReferences.of(in)) {
                if (each.owner().startsWith("io.netty") && !exists(each)) {
                    missing.add(name + ": " + each.owner() + '.' + each.name());
                }
            }
        }
    }

    private static boolean exists(Reference wanted) throws ClassNotFoundException {
        Deque<Class<?>> types = new ArrayDeque<>();
        types.add(Class.forName(wanted.owner(), false, NettyLinkageTest.class.getClassLoader()));
        types.add(Object.class);
        while (!types.isEmpty()) {
            Class<?> type = types.remove();
            if (declares(type, wanted)) {
                return true;
            }
            types.addAll(Arrays.asList(type.getInterfaces()));
            if (type.getSuperclass() != null) {
                types.add(type.getSuperclass());
            }
        }
        return false;
    }

    private static boolean declares(Class<?> type, Reference wanted) {
        if (wanted.isField()) {
            return Arrays.stream(type.getDeclaredFields()).map(Field::getName).anyMatch(wanted.name()::equals);
        }
        for (Constructor<?> each : type.getDeclaredConstructors()) {
            if (wanted.name().equals("<init>")
                    && descriptor(void.class, each.getParameterTypes()).equals(wanted.descriptor())) {
                return true;
            }
        }
        for (Method each : type.getDeclaredMethods()) {
            if (each.getName().equals(wanted.name())
                    && descriptor(each.getReturnType(), each.getParameterTypes()).equals(wanted.descriptor())) {
                return true;
            }
        }
        return false;
    }

    private static String descriptor(Class<?> returned, Class<?>[] parameters) {
        return MethodType.methodType(returned, parameters).toMethodDescriptorString();
    }
}
