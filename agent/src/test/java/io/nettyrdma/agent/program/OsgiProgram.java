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
package io.nettyrdma.agent.program;

import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** Runs {@link OldGroupProgram} as a bundle of OSGi; each of Netty's jars is one, with a class loader of its own. */
public final class OsgiProgram {

    private static final String PROGRAM = "io.nettyrdma.agent.program.OldGroupProgram";

    private OsgiProgram() {
    }

    /** @param args a directory for the framework, and Netty's jars. */
    public static void main(String[] args) throws Exception {
        Framework framework = ServiceLoader.load(FrameworkFactory.class).findFirst().orElseThrow()
                .newFramework(Map.of(Constants.FRAMEWORK_STORAGE, args[0]));
        framework.start();
        BundleContext context = framework.getBundleContext();
        List<Bundle> bundles = new ArrayList<>();
        for (int i = 1; i < args.length; i++) {
            bundles.add(context.installBundle(Path.of(args[i]).toUri().toString()));
        }
        Bundle program = context.installBundle("program", new ByteArrayInputStream(bundle()));
        for (Bundle each : bundles) {
            if (each.getHeaders().get(Constants.FRAGMENT_HOST) == null) {
                each.start();
            }
        }
        program.start();
        program.loadClass(PROGRAM).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        framework.stop();
        framework.waitForStop(0);
    }

    private static byte[] bundle() throws IOException {
        Manifest manifest = new Manifest();
        Attributes headers = manifest.getMainAttributes();
        headers.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        headers.putValue(Constants.BUNDLE_MANIFESTVERSION, "2");
        headers.putValue(Constants.BUNDLE_SYMBOLICNAME, "program");
        headers.putValue(Constants.IMPORT_PACKAGE, "io.netty.bootstrap,io.netty.channel,io.netty.channel.nio,"
                + "io.netty.channel.socket,io.netty.channel.socket.nio,io.netty.util.concurrent");
        String name = PROGRAM.replace('.', '/') + ".class";
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(bytes, manifest);
                InputStream in = OsgiProgram.class.getResourceAsStream('/' + name)) {
            jar.putNextEntry(new JarEntry(name));
            in.transferTo(jar);
        }
        return bytes.toByteArray();
    }
}
