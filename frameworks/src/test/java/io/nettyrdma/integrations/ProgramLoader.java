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

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

/** Loads a program and our tests again, apart from the class path's, with or without NIO's names. */
final class ProgramLoader extends ClassLoader {

    private static final String TESTS = ProgramLoader.class.getPackageName() + '.';

    private final Carrier carrier;
    private final String[] program;

    ProgramLoader(Carrier carrier, String... program) {
        super(ProgramLoader.class.getClassLoader());
        this.carrier = carrier;
        this.program = program.clone();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        boolean ofProgram = Arrays.stream(program).anyMatch(name::startsWith);
        if (!ofProgram && !name.startsWith(TESTS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name, ofProgram && carrier == Carrier.RDMA);
        }
    }

    private Class<?> define(String name, boolean replace) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] classFile = in.readAllBytes();
            byte[] defined = replace ? NioNames.replace(classFile) : classFile;
            return defineClass(name, defined, 0, defined.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** Runs a test method, whose first argument is a carrier, in a loader of its own. */
    static final class Extension implements InvocationInterceptor {

        @Override
        public void interceptTestTemplateMethod(Invocation<Void> invocation,
                ReflectiveInvocationContext<Method> context, ExtensionContext extension) throws Throwable {
            invocation.skip();
            List<Object> arguments = context.getArguments();
            Carrier carrier = (Carrier) arguments.get(0);
            ProgramLoader loader = new ProgramLoader(carrier,
                    context.getTargetClass().getAnnotation(CallsNioByName.class).value());
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(loader);
            try {
                loader.invoke(context.getExecutable(), arguments.toArray());
            } catch (InvocationTargetException e) {
                throw e.getCause();
            } finally {
                thread.setContextClassLoader(before);
            }
        }
    }

    private void invoke(Method method, Object[] arguments) throws ReflectiveOperationException {
        Class<?> test = loadClass(method.getDeclaringClass().getName());
        Class<?>[] types = method.getParameterTypes();
        Class<?> carriers = loadClass(Carrier.class.getName());
        types[0] = carriers;
        arguments[0] = carriers.getEnumConstants()[carrier.ordinal()];
        Method again = test.getDeclaredMethod(method.getName(), types);
        again.setAccessible(true);
        Constructor<?> constructor = test.getDeclaredConstructor();
        constructor.setAccessible(true);
        again.invoke(constructor.newInstance(), arguments);
    }
}
