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
package io.nettyrdma.info;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;

/** The components of a record and their values, in declaration order. */
final class RecordFields {

    record Field(String name, Object value) {
    }

    private RecordFields() {
    }

    static List<Field> of(Record record) {
        List<Field> fields = new ArrayList<>();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            fields.add(new Field(component.getName(), value(record, component.getAccessor())));
        }
        return fields;
    }

    private static Object value(Record record, Method accessor) {
        try {
            accessor.setAccessible(true);
            return accessor.invoke(record);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("cannot read the components of " + record, e);
        }
    }
}
