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

import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

import java.lang.invoke.MethodHandles;
import java.util.function.Function;

/**
 * The class that instrumented classes call. It has one field, a function of {@code Object[]}: see {@link Call}. The
 * function returns the value to use.
 *
 * <p>It belongs to java.base, in a package that is exported, so that every loader finds it, OSGi's too. A jar on the
 * boot class path would need a file, and makes the JVM print a warning.
 */
final class Hook {

    static final String NAME = "java/util/function/NettyRdmaHook";
    static final String FIELD = "function";
    static final String TYPE = "Ljava/util/function/Function;";

    private final ModuleAccess modules;
    private final Function<Object[], Object> function;
    private boolean isDefined;

    /** @param function of the one field. */
    Hook(ModuleAccess modules, Function<Object[], Object> function) {
        this.modules = modules;
        this.function = function;
    }

    /** When the first class is instrumented: many programs have no Netty, and start faster without. */
    synchronized void define() throws ReflectiveOperationException {
        if (isDefined) {
            return;
        }
        modules.open(Function.class, Hook.class.getModule());
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_FINAL | Opcodes.ACC_SYNTHETIC, NAME, null,
                "java/lang/Object", null);
        writer.visitField(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, FIELD, TYPE, null, null).visitEnd();
        writer.visitEnd();
        MethodHandles.privateLookupIn(Function.class, MethodHandles.lookup()).defineClass(writer.toByteArray())
                .getField(FIELD).set(null, function);
        isDefined = true;
    }
}
