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

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

import java.util.function.Function;

/** Passes the value on top of the stack to {@link Hook}, and takes the answer in its stead. */
final class HookInserter extends MethodVisitor {

    private static final String OBJECT = "java/lang/Object";
    private static final String NETTY = "io/netty/";

    private final String owner;
    private final Point point;

    HookInserter(MethodVisitor next, String owner, Point point) {
        super(Opcodes.ASM9, next);
        this.owner = owner;
        this.point = point;
    }

    /** The result of the method. */
    @Override
    public void visitInsn(int opcode) {
        String result = switch (point.kind()) {
            case NIO, EPOLL, IO_URING -> "io/netty/channel/IoHandlerFactory";
            case PARENT -> "io/netty/channel/Channel";
            case CHANNELS, HANDLER -> "";
        };
        if (opcode == Opcodes.ARETURN && !result.isEmpty()) {
            String prefix = prefix(owner);
            swap(prefix, prefix + result);
        }
        super.visitInsn(opcode);
    }

    @Override
    public void visitMethodInsn(int opcode, String type, String method, String descriptor, boolean isInterface) {
        if (point.kind() == Point.Kind.CHANNELS && method.equals("newChannel") && type.endsWith("/ChannelFactory")) {
            swap(prefix(type), type);
        }
        super.visitMethodInsn(opcode, type, method, descriptor, isInterface);
    }

    @Override
    public void visitFieldInsn(int opcode, String type, String field, String descriptor) {
        super.visitFieldInsn(opcode, type, field, descriptor);
        if (point.kind() == Point.Kind.HANDLER && opcode == Opcodes.GETFIELD && field.equals("ioHandler")) {
            swap(prefix(owner), Type.getType(descriptor).getInternalName());
        }
    }

    private static String prefix(String name) {
        return name.substring(0, name.indexOf(NETTY));
    }

    private void swap(String prefix, String type) {
        super.visitFieldInsn(Opcodes.GETSTATIC, Hook.NAME, Hook.FIELD, Hook.TYPE);
        super.visitInsn(Opcodes.SWAP);
        push(Call.VALUE + 1 + point.context().size());
        super.visitTypeInsn(Opcodes.ANEWARRAY, OBJECT);
        super.visitInsn(Opcodes.DUP_X1);
        super.visitInsn(Opcodes.SWAP);
        push(Call.VALUE);
        super.visitInsn(Opcodes.SWAP);
        super.visitInsn(Opcodes.AASTORE);
        store(Call.POINT, () -> super.visitLdcInsn(point.kind().name()));
        store(Call.PREFIX, () -> super.visitLdcInsn(prefix.replace('/', '.')));
        store(Call.CALLER, () -> super.visitLdcInsn(Type.getObjectType(owner)));
        for (int i = 0; i < point.context().size(); i++) {
            int local = point.context().get(i);
            store(Call.VALUE + 1 + i, () -> super.visitVarInsn(Opcodes.ALOAD, local));
        }
        super.visitMethodInsn(Opcodes.INVOKEINTERFACE, Type.getInternalName(Function.class), "apply",
                "(Ljava/lang/Object;)Ljava/lang/Object;", true);
        super.visitTypeInsn(Opcodes.CHECKCAST, type);
    }

    private void store(int index, Runnable value) {
        super.visitInsn(Opcodes.DUP);
        push(index);
        value.run();
        super.visitInsn(Opcodes.AASTORE);
    }

    private void push(int number) {
        super.visitIntInsn(Opcodes.BIPUSH, number);
    }
}
