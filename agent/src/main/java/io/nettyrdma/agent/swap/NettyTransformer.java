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

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.List;

/** Inserts the calls of {@link Hook} into the few classes of {@link Point}, when they are loaded. */
final class NettyTransformer implements ClassFileTransformer {

    private final Report report;
    private final Hook hook;

    NettyTransformer(Report report, Hook hook) {
        this.report = report;
        this.hook = hook;
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain,
            byte[] classFile) {
        List<Point> points = name == null || loader == null ? List.of() : Point.of(name);
        if (points.isEmpty()) {
            return null;
        }
        try {
            hook.define();
            return instrument(name, points, classFile);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            // The JVM ignores what a transformer throws.
            report.accept("left alone: " + name.replace('/', '.') + " cannot be instrumented (" + e + ")");
            return null;
        }
    }

    private static byte[] instrument(String name, List<Point> points, byte[] classFile) {
        ClassReader reader = new ClassReader(classFile);
        // What is inserted has no branches: the frames stay as they are.
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String method, String descriptor, String signature,
                    String[] exceptions) {
                MethodVisitor visitor = super.visitMethod(access, method, descriptor, signature, exceptions);
                for (Point point : points) {
                    if (method.equals(point.method()) && descriptor.startsWith(point.descriptor())) {
                        return new HookInserter(visitor, name, point);
                    }
                }
                return visitor;
            }
        }, 0);
        return writer.toByteArray();
    }
}
