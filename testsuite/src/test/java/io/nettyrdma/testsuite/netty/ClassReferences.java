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
package io.nettyrdma.testsuite.netty;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/** The methods and fields that a class file refers to: its constant pool, JVM specification, section 4.4. */
final class ClassReferences {

    /** @param owner binary name, and descriptor as in class files. */
    record Reference(String owner, String name, String descriptor, boolean isField) {
    }

    private static final int UTF8 = 1;
    private static final int INTEGER = 3;
    private static final int FLOAT = 4;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int CLASS = 7;
    private static final int STRING = 8;
    private static final int FIELD = 9;
    private static final int METHOD = 10;
    private static final int INTERFACE_METHOD = 11;
    private static final int NAME_AND_TYPE = 12;
    private static final int METHOD_HANDLE = 15;
    private static final int METHOD_TYPE = 16;
    private static final int DYNAMIC = 17;
    private static final int INVOKE_DYNAMIC = 18;
    private static final int HEADER_BYTES = 8;

    private final String[] texts;
    /** Of a class the index of its name; of a reference, or of a name and type, the two indexes. */
    private final int[][] indexes;
    private final int[] tags;

    private ClassReferences(int count) {
        texts = new String[count];
        indexes = new int[count][];
        tags = new int[count];
    }

    static List<Reference> of(InputStream classFile) throws IOException {
        DataInputStream in = new DataInputStream(classFile);
        in.skipNBytes(HEADER_BYTES);
        ClassReferences pool = new ClassReferences(in.readUnsignedShort());
        for (int i = 1; i < pool.tags.length; i++) {
            // A long or a double takes two entries.
            i += pool.read(in, i);
        }
        return pool.references();
    }

    private int read(DataInputStream in, int entry) throws IOException {
        tags[entry] = in.readUnsignedByte();
        switch (tags[entry]) {
        case UTF8 -> texts[entry] = in.readUTF();
        case CLASS, STRING, METHOD_TYPE -> indexes[entry] = new int[] { in.readUnsignedShort() };
        case FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE, DYNAMIC, INVOKE_DYNAMIC ->
            indexes[entry] = new int[] { in.readUnsignedShort(), in.readUnsignedShort() };
        case INTEGER, FLOAT -> in.readInt();
        case METHOD_HANDLE -> in.skipNBytes(3);
        case LONG, DOUBLE -> in.readLong();
        default -> throw new IOException("a constant with the tag " + tags[entry] + ", which is not known here");
        }
        return tags[entry] == LONG || tags[entry] == DOUBLE ? 1 : 0;
    }

    private List<Reference> references() {
        List<Reference> found = new ArrayList<>();
        for (int i = 1; i < tags.length; i++) {
            if (tags[i] == FIELD || tags[i] == METHOD || tags[i] == INTERFACE_METHOD) {
                int[] nameAndType = indexes[indexes[i][1]];
                found.add(new Reference(texts[indexes[indexes[i][0]][0]].replace('/', '.'), texts[nameAndType[0]],
                        texts[nameAndType[1]], tags[i] == FIELD));
            }
        }
        return found;
    }
}
