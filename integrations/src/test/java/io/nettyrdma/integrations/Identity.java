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
package io.nettyrdma.integrations;

import io.netty.handler.ssl.SslContextBuilder;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** A server's key, with a certificate for this machine that a client trusts and checks. */
final class Identity {

    static final String PASSWORD = "changeit";

    private final Path file;

    /** The JDK's own tool creates the certificate, so that no file in the source tree expires. */
    Identity(Path directory) throws Exception {
        file = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "test", "-keyalg", "EC", "-dname", "CN=test", "-storetype", "PKCS12",
                "-ext", "san=ip:" + Host.NAME + ",dns:localhost", "-keystore", file.toString(), "-storepass", PASSWORD)
                .inheritIO().start();
        assertThat(keytool.waitFor(Waiting.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).isZero();
    }

    /** A PKCS #12 file with the key. */
    Path file() {
        return file;
    }

    SslContextBuilder server() throws Exception {
        return SslContextBuilder.forServer(keys());
    }

    SslContextBuilder client() throws Exception {
        return SslContextBuilder.forClient().trustManager(trust());
    }

    KeyManagerFactory keys() throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(load(), PASSWORD.toCharArray());
        return keys;
    }

    /** A PKCS #12 file with the certificate that a client trusts. */
    Path trusted() throws Exception {
        Path trusted = file.resolveSibling("trusted.p12");
        try (OutputStream out = Files.newOutputStream(trusted)) {
            certificate().store(out, PASSWORD.toCharArray());
        }
        return trusted;
    }

    TrustManagerFactory trust() throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(certificate());
        return trust;
    }

    private KeyStore certificate() throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("trusted", load().getCertificate("test"));
        return trusted;
    }

    private KeyStore load() throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }
}
