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

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.jar.JarFile;

/** What instrumented classes call. A program may have several copies of Netty, in loaders or under prefixes. */
final class NettyCopies implements Function<Object[], Object> {

    private static final StackWalker STACK = StackWalker.getInstance();

    private final Options options;
    private final Report report;
    private final ModuleAccess modules;
    private final JarFile jar;
    private final ClassRules rules;
    /** A class's value ends with the class. */
    private final ClassValue<LazyCopy> copies = new ClassValue<>() {
        @Override
        protected LazyCopy computeValue(Class<?> anchor) {
            return new LazyCopy();
        }
    };
    /** For the summary: the program may have ended its loaders by then. */
    private final Set<NettyCopy> all = ConcurrentHashMap.newKeySet();

    NettyCopies(Options options, Report report, ModuleAccess modules, JarFile jar) {
        this.options = options;
        this.report = report;
        this.modules = modules;
        this.jar = jar;
        rules = options.classRules();
    }

    /** Never throws: whatever fails, the program goes on with its own value. */
    @Override
    public Object apply(Object[] elements) {
        Call call = new Call(elements);
        try {
            if (call.kind() == Point.Kind.HANDLER) {
                return call.value() instanceof Supplier<?> stand
                        && stand.getClass().getName().equals(call.prefix() + NettyCopy.LOOP_HANDLER)
                        ? stand.get() : call.value();
            }
            if (call.kind() == Point.Kind.PARENT) {
                return isListener(call.value()) ? parent(call) : call.value();
            }
            return isByTransport(call) ? call.value() : swap(call);
        } catch (Exception | LinkageError e) {
            report.accept("left alone: " + call.caller().getName() + " (" + e + ")");
            return call.value();
        }
    }

    private Object swap(Call call) throws ClassNotFoundException {
        if (!rules.permit()) {
            report.accept("left alone: event loops and channels that allowClass or denyClass exclude");
            return call.value();
        }
        Class<?> anchor = anchor(call);
        return copies.get(anchor).get(call.prefix(), anchor).swap(call);
    }

    private static Class<?> anchor(Call call) throws ClassNotFoundException {
        return Class.forName(call.prefix() + "io.netty.channel.Channel", false, call.caller().getClassLoader());
    }

    /** Almost all channels that are asked have none, or one that the program has made: then nothing is looked up. */
    private static boolean isListener(Object parent) {
        return parent != null && parent.getClass().getName().endsWith(".EpollServerSocketChannel");
    }

    /** Without a transport there is no listener behind another channel. */
    private Object parent(Call call) throws ClassNotFoundException {
        NettyCopy copy = copies.get(anchor(call)).made();
        return copy == null ? call.value() : copy.swap(call);
    }

    /** The transport creates handlers of epoll itself, also one that the program brings along. */
    private static boolean isByTransport(Call call) {
        if (call.kind() == Point.Kind.CHANNELS) {
            return false;
        }
        String transport = call.prefix() + "io.nettyrdma.";
        return STACK.walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                .dropWhile(name -> !name.equals(call.caller().getName()))
                .dropWhile(name -> name.equals(call.caller().getName())).findFirst()
                .filter(name -> name.startsWith(transport + "io.") || name.startsWith(transport + "fallback.")
                        || name.startsWith(transport + "agent.beside.")).isPresent());
    }

    void summarize() {
        all.forEach(NettyCopy::summarize);
    }

    /** Made by the first thread that needs it. */
    private final class LazyCopy {

        private volatile NettyCopy copy;

        /** {@code null} before the first {@link #get}. No lock: all children of a server may be asked. */
        NettyCopy made() {
            return copy;
        }

        synchronized NettyCopy get(String prefix, Class<?> anchor) {
            if (copy == null) {
                copy = NettyCopy.of(prefix, anchor, options, report, modules, jar);
                if (options.isSummaryWanted()) {
                    all.add(copy);
                }
            }
            return copy;
        }
    }
}
