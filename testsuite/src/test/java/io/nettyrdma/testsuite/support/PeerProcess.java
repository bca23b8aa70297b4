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
package io.nettyrdma.testsuite.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * A second process whose objects are used as if they were local. One line requests a call, one line answers it:
 *
 * <pre>
 *   here    call of a proxy      Call(target, method, arguments)     --&gt;   the object's method        child
 *           result or throw      Result(value, thrown)               &lt;--
 * </pre>
 *
 * Values are copied, see {@link Wire}. A {@link ByReference} stays in the child and is referred to by a number, which
 * is forgotten when the object that returned it is closed. One thread at a time.
 */
public final class PeerProcess implements AutoCloseable {

    /** The object that creates all others. */
    private interface Factory extends ByReference {
        Peer create(RcSettings settings) throws IOException;
    }

    private static final int FACTORY = 0;

    private static PeerProcess shared;

    private final ChildProcess child;

    private PeerProcess() throws IOException {
        child = ChildProcess.start(Server.class);
    }

    public static PeerProcess start() throws IOException {
        return new PeerProcess();
    }

    /** The process that all tests of this JVM share, as starting one is slow. Replaced if dead; ends with this JVM. */
    static synchronized PeerProcess shared() throws IOException {
        if (shared == null || !shared.child.isAlive()) {
            shared = new PeerProcess();
        }
        return shared;
    }

    /** Creates a peer in RESET. */
    public Peer create(RcSettings settings) throws IOException {
        return ((Factory) proxy(new Reference(FACTORY, Set.of(Factory.class)))).create(settings);
    }

    /** Kills the process, which cannot clean up. Its objects are gone. */
    public void kill() throws InterruptedException {
        child.kill();
    }

    @Override
    public void close() {
        child.close();
    }

    private Object proxy(Reference reference) {
        return Proxy.newProxyInstance(PeerProcess.class.getClassLoader(),
                reference.types.toArray(Class<?>[]::new), new Handler(this, reference));
    }

    private Object call(Call call) throws Throwable {
        child.writeLine(Wire.write(call, PeerProcess::unproxied));
        Result result = (Result) Wire.read(child.readLine(), this::proxied);
        if (result.thrown != null) {
            result.thrown.addSuppressed(new Exception("asked for by " + call.method + " here"));
            throw result.thrown;
        }
        return result.value;
    }

    private static Object unproxied(Object value) {
        return Proxy.isProxyClass(value.getClass()) ? ((Handler) Proxy.getInvocationHandler(value)).reference : value;
    }

    private Object proxied(Object value) {
        return value instanceof Reference ? proxy((Reference) value) : value;
    }

    private record Reference(int number, Set<Class<?>> types) implements Serializable {
    }

    private record Call(Reference target, String method, Class<?>[] types, Object[] arguments) implements Serializable {
    }

    private record Result(Object value, Throwable thrown) implements Serializable {
    }

    private record Handler(PeerProcess process, Reference reference) implements InvocationHandler {

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            return process.call(new Call(reference, method.getName(), method.getParameterTypes(), arguments));
        }
    }

    /** Runs in the child. */
    static final class Server {

        private record Entry(Object object, int owner) {
        }

        private final Map<Integer, Entry> entries = new HashMap<>();
        private int last = FACTORY;

        private Server() {
            entries.put(FACTORY, new Entry((Factory) settings -> new Endpoint(settings.variant(), settings.queues()),
                    FACTORY));
        }

        public static void main(String[] arguments) throws Exception {
            Server server = new Server();
            BufferedReader parent = ChildProcess.parentLines();
            for (String line = parent.readLine(); line != null; line = parent.readLine()) {
                ChildProcess.reportToParent(server.answer(line));
            }
        }

        private String answer(String line) throws IOException, ClassNotFoundException {
            Call call = (Call) Wire.read(line, value -> value);
            int target = call.target.number;
            Result result = perform(call);
            if (call.method.equals("close")) {
                entries.values().removeIf(entry -> entry.owner == target);
                entries.remove(target);
            }
            try {
                return Wire.write(result, value -> referenced(value, target));
            } catch (NotSerializableException e) {
                Throwable thrown = result.thrown == null ? e : result.thrown;
                return Wire.write(new Result(null, new AssertionError(thrown + " in the peer's process: "
                        + Arrays.toString(thrown.getStackTrace()))), value -> value);
            }
        }

        private Result perform(Call call) {
            try {
                Object target = entries.get(call.target.number).object;
                Object[] arguments = call.arguments == null ? new Object[0] : call.arguments.clone();
                for (int i = 0; i < arguments.length; i++) {
                    if (arguments[i] instanceof Reference) {
                        arguments[i] = entries.get(((Reference) arguments[i]).number).object;
                    }
                }
                Method method = target.getClass().getMethod(call.method, call.types);
                method.setAccessible(true);
                return new Result(method.invoke(target, arguments), null);
            } catch (InvocationTargetException e) {
                return new Result(null, e.getCause());
            } catch (ReflectiveOperationException e) {
                return new Result(null, e);
            }
        }

        private Object referenced(Object value, int owner) {
            if (!(value instanceof ByReference)) {
                return value;
            }
            for (Map.Entry<Integer, Entry> entry : entries.entrySet()) {
                if (entry.getValue().object == value) {
                    return new Reference(entry.getKey(), types(value));
                }
            }
            entries.put(++last, new Entry(value, owner));
            return new Reference(last, types(value));
        }

        private static Set<Class<?>> types(Object value) {
            Set<Class<?>> types = new LinkedHashSet<>();
            for (Class<?> type : value.getClass().getInterfaces()) {
                if (ByReference.class.isAssignableFrom(type)) {
                    types.add(type);
                }
            }
            return types;
        }
    }
}
