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
package io.nettyrdma.testsuite.channel;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isEquals;
import static net.bytebuddy.matcher.ElementMatchers.isHashCode;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.isToString;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.none;
import static net.bytebuddy.matcher.ElementMatchers.not;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;

/**
 * Loads the class path again. Each method of the project's classes reports its entry to the {@link EntryLog} of this
 * loader, the clock readings of the loops are counted, and so is the type of each frame that is sent.
 */
final class InstrumentingLoader extends URLClassLoader {

    private static final String OURS = "io.nettyrdma.";
    private static final String TESTS = "io.nettyrdma.testsuite.";
    private static final String LOOPS = "io.nettyrdma.io.";

    private final ClassFileLocator locator = ClassFileLocator.ForClassLoader.of(this);
    private final TypePool types = TypePool.Default.of(locator);

    InstrumentingLoader() throws IOException {
        super(classPath(), ClassLoader.getPlatformClassLoader());
        // What only an assertion enters is no part of the way.
        setDefaultAssertionStatus(false);
    }

    private static URL[] classPath() throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(new URL[0]);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (!name.startsWith(OURS) || name.startsWith(TESTS)) {
            return super.findClass(name);
        }
        byte[] bytes = instrumented(name);
        return defineClass(name, bytes, 0, bytes.length);
    }

    private byte[] instrumented(String name) throws ClassNotFoundException {
        TypePool.Resolution found = types.describe(name);
        if (!found.isResolved()) {
            throw new ClassNotFoundException(name);
        }
        TypeDescription type = found.resolve();
        DynamicType.Builder<?> builder = new ByteBuddy().redefine(type, locator)
                .visit(Advice.to(Entry.class).on(isMethod().or(isConstructor())))
                .visit(Advice.to(Exit.class).on(isEnd(name)))
                .visit(Advice.to(Frame.class).on(isFrameEnd(name)));
        if (name.startsWith(LOOPS)) {
            builder = builder.visit(clockReadings());
        }
        return builder.make().getBytes();
    }

    /** The end of a poll, and of the native call that posts sends. */
    private static ElementMatcher.Junction<MethodDescription> isEnd(String type) {
        return switch (type) {
        case "io.nettyrdma.io.LoopWaiter" -> named("poll");
        case "io.nettyrdma.verbs.QueuePair" -> named("post").and(takesArgument(0,
                named("io.nettyrdma.verbs.SendBatch")));
        default -> none();
        };
    }

    private static ElementMatcher.Junction<MethodDescription> isFrameEnd(String type) {
        return type.equals("io.nettyrdma.stream.SendPath") ? named("end") : none();
    }

    /**
     * Not of the methods that the compiler adds to records: Byte Buddy 1.18 fails on their handles of fields, and they
     * read no clock.
     */
    private static AsmVisitorWrapper clockReadings() {
        try {
            return MemberSubstitution.relaxed()
                    .method(named("getAsLong")).replaceWith(EntryLog.class.getMethod("clock", LongSupplier.class))
                    .method(named("nanoTime")).replaceWith(EntryLog.class.getMethod("nanoTime"))
                    .on(isMethod().and(not(isToString().or(isHashCode()).or(isEquals()))));
        } catch (NoSuchMethodException e) {
            throw new LinkageError("EntryLog has no such method", e);
        }
    }

    /** Its code is copied into each method. */
    private static final class Entry {

        @Advice.OnMethodEnter
        static void enter(@Advice.Origin("#t.#m") String method) {
            EntryLog.entered(method);
        }
    }

    /** Its code is copied to the end of a method. */
    private static final class Exit {

        @Advice.OnMethodExit
        static void exit(@Advice.Origin("#t.#m") String method) {
            EntryLog.left(method);
        }
    }

    /** Its code is copied into the method that ends a frame. */
    private static final class Frame {

        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(0) Object type) {
            EntryLog.ended(type.toString());
        }
    }
}
