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

import org.osgi.framework.Bundle;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * Starts the jars of a class path as bundles of OSGi, and asks the transport whether it can be used there. It can if
 * its imports are resolved and the fragments bring the native libraries.
 *
 * <pre>
 *   StagedBundles DIRECTORY CLASS_PATH
 * </pre>
 */
public final class StagedBundles {

    private StagedBundles() {
    }

    public static void main(String[] arguments) throws Exception {
        Framework framework = ServiceLoader.load(FrameworkFactory.class).findFirst().orElseThrow().newFramework(
                Map.of(Constants.FRAMEWORK_STORAGE, arguments[0], Constants.FRAMEWORK_STORAGE_CLEAN, "onFirstInit"));
        framework.start();
        try {
            List<Bundle> bundles = new ArrayList<>();
            for (String jar : arguments[1].split(File.pathSeparator)) {
                Bundle bundle = framework.getBundleContext().installBundle(Path.of(jar).toUri().toString());
                if (bundle.getSymbolicName() == null) {
                    throw new IllegalStateException(jar + " is no bundle");
                }
                bundles.add(bundle);
            }
            Bundle transport = bundles.stream().filter(each -> "io.nettyrdma".equals(each.getSymbolicName()))
                    .findFirst().orElseThrow();
            transport.start();
            Object cause = transport.loadClass("io.nettyrdma.Rdma").getMethod("unavailabilityCause").invoke(null);
            if (cause != null) {
                throw new IllegalStateException("the bundle cannot use RDMA", (Throwable) cause);
            }
            System.out.println("bundle " + transport + " with OSGi " + framework.getVersion());
        } finally {
            framework.stop();
            framework.waitForStop(10_000);
        }
    }
}
