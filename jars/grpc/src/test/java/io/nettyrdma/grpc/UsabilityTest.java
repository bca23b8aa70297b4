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
package io.nettyrdma.grpc;

import io.grpc.ManagedChannelProvider;
import io.grpc.ServerProvider;
import io.grpc.netty.NettyChannelBuilder;
import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Which providers grpc finds, by class paths of which each lacks something. */
class UsabilityTest {

    @Test
    void jarIsPreferred() throws Exception {
        try (Program program = new Program("", "")) {
            assertThat(program.channels()).isEqualTo(RdmaChannelProvider.class.getName());
            assertThat(program.servers()).isEqualTo(RdmaServerProvider.class.getName());
        }
    }

    /** It lacks this class. */
    @Test
    void grpcsOwnProvidersRemainWithNetty41() throws Exception {
        try (Program program = new Program("io.netty.channel.IoHandlerFactory", "")) {
            assertThat(program.channels()).isEqualTo("io.grpc.netty.NettyChannelProvider");
            assertThat(program.servers()).isEqualTo("io.grpc.netty.NettyServerProvider");
        }
    }

    /** As in a program that has {@code grpc-netty-shaded}. */
    @Test
    void jarIsNotUsedWithoutGrpcNetty() throws Exception {
        String jar = Path.of(NettyChannelBuilder.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
        try (Program program = new Program("", jar)) {
            assertThatThrownBy(program::channels).hasRootCauseMessage("No functional channel service provider found."
                    + " Try adding a dependency on the grpc-okhttp, grpc-netty, or grpc-netty-shaded artifact");
            assertThatThrownBy(program::servers).isInstanceOf(InvocationTargetException.class);
        }
    }

    /** The classes of this test once more, but for some. */
    private static final class Program extends URLClassLoader {

        private final String missingClass;

        Program(String missingClass, String missingJar) {
            super(Stream.of(System.getProperty("surefire.test.class.path").split(":"))
                    .filter(entry -> !entry.equals(missingJar)).map(Program::url).toArray(URL[]::new),
                    ClassLoader.getPlatformClassLoader());
            this.missingClass = missingClass;
        }

        private static URL url(String entry) {
            try {
                return Path.of(entry).toUri().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalArgumentException(entry, e);
            }
        }

        String channels() throws ReflectiveOperationException {
            return provider(ManagedChannelProvider.class.getName());
        }

        String servers() throws ReflectiveOperationException {
            return provider(ServerProvider.class.getName());
        }

        private String provider(String type) throws ReflectiveOperationException {
            return loadClass(type).getMethod("provider").invoke(null).getClass().getName();
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.equals(missingClass)) {
                throw new ClassNotFoundException(name);
            }
            return super.findClass(name);
        }
    }
}
