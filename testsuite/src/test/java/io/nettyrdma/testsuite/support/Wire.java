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

import io.nettyrdma.verbs.Gid;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamException;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.UnaryOperator;

/** Encodes values as lines of text: whatever Java can serialize, and records even if they are not Serializable. */
final class Wire {

    private Wire() {
    }

    /** @param outgoing returns a value or its replacement. */
    static String write(Object value, UnaryOperator<Object> outgoing) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new Output(bytes, outgoing)) {
            out.writeObject(value);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /** @param incoming returns a value or its replacement. */
    static Object read(String line, UnaryOperator<Object> incoming) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new Input(new ByteArrayInputStream(Base64.getDecoder().decode(line)), incoming)) {
            return in.readObject();
        }
    }

    private static final class Output extends ObjectOutputStream {

        private final UnaryOperator<Object> outgoing;

        Output(OutputStream out, UnaryOperator<Object> outgoing) throws IOException {
            super(out);
            this.outgoing = outgoing;
            enableReplaceObject(true);
        }

        @Override
        protected Object replaceObject(Object value) throws IOException {
            if (value instanceof Gid) {
                return new GidBytes(((Gid) value).bytes());
            }
            if (value instanceof Record && !(value instanceof Serializable) && !(value instanceof ByReference)) {
                return Components.of((Record) value);
            }
            return outgoing.apply(value);
        }
    }

    private static final class Input extends ObjectInputStream {

        private final UnaryOperator<Object> incoming;

        Input(InputStream in, UnaryOperator<Object> incoming) throws IOException {
            super(in);
            this.incoming = incoming;
            enableResolveObject(true);
        }

        @Override
        protected Object resolveObject(Object value) {
            return incoming.apply(value);
        }
    }

    private record GidBytes(byte[] bytes) implements Serializable {

        private Object readResolve() {
            return new Gid(bytes);
        }
    }

    /** The serialized form of a record. */
    private record Components(Class<?> type, Object[] values) implements Serializable {

        static Components of(Record value) throws IOException {
            RecordComponent[] components = value.getClass().getRecordComponents();
            Object[] values = new Object[components.length];
            try {
                for (int i = 0; i < values.length; i++) {
                    components[i].getAccessor().setAccessible(true);
                    values[i] = components[i].getAccessor().invoke(value);
                }
            } catch (ReflectiveOperationException e) {
                throw new IOException(value.toString(), e);
            }
            return new Components(value.getClass(), values);
        }

        private Object readResolve() throws ObjectStreamException {
            try {
                Constructor<?> constructor = type.getDeclaredConstructor(Arrays.stream(type.getRecordComponents())
                        .map(RecordComponent::getType).toArray(Class<?>[]::new));
                constructor.setAccessible(true);
                return constructor.newInstance(values);
            } catch (ReflectiveOperationException e) {
                throw (ObjectStreamException) new InvalidObjectException(type.getName()).initCause(e);
            }
        }
    }
}
