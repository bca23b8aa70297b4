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

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ManagedChannelProvider;
import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.ServerProvider;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** grpc-java with the jar: which builders use RDMA, and which are left as they are. */
class GrpcProvidersTest {

    private static final String POLICY = "io.nettyrdma.policy";

    @AfterEach
    void resetPolicy() {
        System.clearProperty(POLICY);
    }

    @Test
    void providersComeBeforeThoseOfGrpc() {
        assertThat(ManagedChannelProvider.provider()).isInstanceOf(RdmaChannelProvider.class);
        assertThat(ServerProvider.provider()).isInstanceOf(RdmaServerProvider.class);
    }

    @Test
    void buildersWithoutCredentialsUseRdma() throws Exception {
        try (HealthProgram program = new HealthProgram(ServerBuilder.forPort(0),
                port -> ManagedChannelBuilder.forAddress("localhost", port).usePlaintext())) {
            program.assertServes(1, 0);
        }
    }

    @Test
    void targetsUseRdma() throws Exception {
        try (HealthProgram program = new HealthProgram(ServerBuilder.forPort(0),
                port -> ManagedChannelBuilder.forTarget("dns:///127.0.0.1:" + port).usePlaintext())) {
            program.assertServes(1, 0);
        }
    }

    @Test
    void tlsUsesRdma() throws Exception {
        X509Bundle identity = new CertificateBuilder().subject("CN=localhost").addSanDnsName("localhost")
                .setIsCertificateAuthority(true).buildSelfSigned();
        ServerCredentials server = TlsServerCredentials.create(identity.toTempCertChainPem(),
                identity.toTempPrivateKeyPem());
        ChannelCredentials client = TlsChannelCredentials.newBuilder()
                .trustManager(identity.toTempCertChainPem()).build();
        try (HealthProgram program = new HealthProgram(Grpc.newServerBuilderForPort(0, server),
                port -> Grpc.newChannelBuilderForAddress("localhost", port, client))) {
            program.assertServes(1, 0);
        }
    }

    @Test
    void clientOfAServerWithoutTheJarUsesTcp() throws Exception {
        try (HealthProgram program = new HealthProgram(NettyServerBuilder.forPort(0),
                port -> ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext())) {
            program.assertServes(0, 1);
        }
    }

    @Test
    void clientWithoutTheJarIsServed() throws Exception {
        try (HealthProgram program = new HealthProgram(ServerBuilder.forPort(0),
                port -> NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext())) {
            program.assertServes(0, 0);
        }
    }

    @Test
    void policyTcpUsesTcp() throws Exception {
        System.setProperty(POLICY, "tcp");
        try (HealthProgram program = new HealthProgram(ServerBuilder.forPort(0),
                port -> ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext())) {
            program.assertServes(0, 1);
        }
    }

    @Test
    void policyRequiredNeverUsesTcp() throws Exception {
        System.setProperty(POLICY, "required");
        try (HealthProgram program = new HealthProgram(NettyServerBuilder.forPort(0),
                port -> ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext())) {
            assertThatThrownBy(program::check)
                    .satisfies(e -> assertThat(Status.fromThrowable(e).getCode()).isEqualTo(Status.Code.UNAVAILABLE));
        }
    }

    @Test
    void domainSocketsStayWithGrpc(@TempDir Path directory) throws Exception {
        String path = directory.resolve("socket").toString();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try (HealthProgram program = new HealthProgram(
                NettyServerBuilder.forAddress(new DomainSocketAddress(path), InsecureServerCredentials.create())
                        .channelType(EpollServerDomainSocketChannel.class).bossEventLoopGroup(loops)
                        .workerEventLoopGroup(loops),
                port -> Grpc.newChannelBuilder("unix://" + path, InsecureChannelCredentials.create()))) {
            program.assertServes(0, 0);
        } finally {
            loops.shutdownGracefully();
        }
    }

    @Test
    void unknownCredentialsAreRefusedAsByGrpc() {
        assertThatThrownBy(() -> Grpc.newChannelBuilder("localhost:1", new ChannelCredentials() {
            @Override
            public ChannelCredentials withoutBearerTokens() {
                return this;
            }
        })).hasMessageContaining(RdmaChannelProvider.class.getName());
        assertThatThrownBy(() -> Grpc.newServerBuilderForPort(0, new ServerCredentials() { }))
                .hasMessageContaining(RdmaServerProvider.class.getName());
    }

    @Test
    void loopsEndAfterTheirLastUser() throws Exception {
        try (HealthProgram program = new HealthProgram(ServerBuilder.forPort(0),
                port -> ManagedChannelBuilder.forAddress("localhost", port).usePlaintext())) {
            program.assertServes(1, 0);
            assertThat(loopThreads()).isPositive()
                    .isLessThanOrEqualTo(1 + Runtime.getRuntime().availableProcessors());
        }
        long end = System.nanoTime() + 30_000_000_000L;
        while (loopThreads() > 0 && System.nanoTime() < end) {
            Thread.sleep(20);
        }
        assertThat(loopThreads()).isZero();
    }

    private static long loopThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("grpc-rdma-")).count();
    }
}
