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

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.Remapper;

import java.util.regex.Pattern;

/** Moves the classes of Netty and of the transport below a prefix, as tools do that relocate classes. */
final class PrefixRemapper extends Remapper {

    /** A class that the code finds by its name. Names of system properties end in lower case. */
    private static final Pattern CLASS_NAME = Pattern.compile("io\\.netty\\.([a-z0-9_]+\\.)*[A-Z]\\w*");

    private final String prefix;

    /** @param prefix with a dot at its end. */
    PrefixRemapper(String prefix) {
        super(Opcodes.ASM9);
        this.prefix = prefix;
    }

    @Override
    public String map(String internalName) {
        return internalName.startsWith("io/netty/") || internalName.startsWith("io/nettyrdma/")
                ? prefix.replace('.', '/') + internalName : internalName;
    }

    @Override
    public Object mapValue(Object value) {
        return value instanceof String text && CLASS_NAME.matcher(text).matches() ? prefix + text
                : super.mapValue(value);
    }
}
