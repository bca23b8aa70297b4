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

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.jar.JarFile;

/** One copy of Netty in the program, and what is loaded beside it. */
final class NettyCopy {

    static final String BESIDE = "io.nettyrdma.agent.beside.";
    static final String LOOP_HANDLER = BESIDE + "LoopHandler";

    private static final String ONE_BUNDLE = "put Netty's jars into one bundle";

    /** Packages with private fields that {@code beside} reads. */
    private static final List<String> READ = List.of("io.netty.channel", "io.netty.channel.nio",
            "io.netty.channel.uring", "io.netty.util");

    private final ClassLoader loader;
    private final Report report;
    /** Of a point's name and {@link Call#elements}; {@code null} if this copy is left alone. */
    private final BiFunction<String, Object[], Object> swaps;

    private NettyCopy(ClassLoader loader, Report report, BiFunction<String, Object[], Object> swaps) {
        this.loader = loader;
        this.report = report;
        this.swaps = swaps;
    }

    /** @param anchor a class of this copy. */
    static NettyCopy of(String prefix, Class<?> anchor, Options options, Report report, ModuleAccess modules,
            JarFile jar) {
        ClassLoader loader = anchor.getClassLoader();
        BiFunction<String, Object[], Object> swaps = null;
        try {
            swaps = load(prefix, anchor, options, report, modules, jar);
        } catch (ClassNotFoundException e) {
            report.accept("left alone: " + name(prefix, loader) + " is older than 4.2.0 (there is no "
                    + e.getMessage() + "): use Netty 4.2");
        } catch (Exception | LinkageError e) {
            Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
            report.accept("left alone: " + name(prefix, loader) + ", because "
                    + (cause instanceof IllegalStateException ? cause.getMessage() : cause));
        }
        return new NettyCopy(loader, report, swaps);
    }

    private static String name(String prefix, ClassLoader loader) {
        return "Netty" + (prefix.isEmpty() ? "" : " below " + prefix.substring(0, prefix.length() - 1)) + " of "
                + loader;
    }

    @SuppressWarnings("unchecked")
    private static BiFunction<String, Object[], Object> load(String prefix, Class<?> anchor, Options options,
            Report report, ModuleAccess modules, JarFile jar) throws ReflectiveOperationException, IOException {
        ClassLoader parent = anchor.getClassLoader();
        Class.forName(prefix + "io.netty.channel.IoHandlerFactory", false, parent);
        if (Class.forName(prefix + "io.netty.buffer.ByteBuf", false, parent).getClassLoader() != parent) {
            throw new IllegalStateException("its jars have class loaders of their own, as in OSGi: " + ONE_BUNDLE);
        }
        NettyLoader loader = new NettyLoader(prefix, parent, jar);
        Module module = loader.getUnnamedModule();
        modules.open(Object.class.getModule(), "sun.nio.ch", module);
        READ.forEach(name -> modules.openInLayer(anchor.getModule(), prefix + name, module));
        return (BiFunction<String, Object[], Object>) loader.loadClass(prefix + BESIDE + "Swaps")
                .getConstructor(Consumer.class, List.class).newInstance(report, options.addressRules());
    }

    Object swap(Call call) {
        if (swaps == null) {
            return call.value();
        }
        if (call.kind() != Point.Kind.CHANNELS && call.caller().getClassLoader() != loader) {
            report.accept("left alone: " + call.caller().getName() + " has another class loader than Netty's Channel, "
                    + "as in OSGi: " + ONE_BUNDLE);
            return call.value();
        }
        return swaps.apply(call.kind().name(), call.elements());
    }

    void summarize() {
        if (swaps != null) {
            ((List<?>) swaps.apply("SUMMARY", new Object[0])).forEach(line -> report.summary((String) line));
        }
    }
}
