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

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** Runs a program twice at a time, each with a Netty of its own, as a server of web applications does. */
public final class LoadersProgram {

    private static final int COPIES = 2;

    private LoadersProgram() {
    }

    /** @param args a class path, a class with a {@code main}, and its argument. */
    public static void main(String[] args) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : args[0].split(File.pathSeparator)) {
            urls.add(new File(entry).toURI().toURL());
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < COPIES; i++) {
            ClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
            Thread thread = new Thread(() -> {
                try {
                    loader.loadClass(args[1]).getMethod("main", String[].class)
                            .invoke(null, (Object) new String[] {args[2]});
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
