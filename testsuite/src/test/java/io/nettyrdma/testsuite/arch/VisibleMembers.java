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
package io.nettyrdma.testsuite.arch;

import io.nettyrdma.annotation.UnstableApi;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a program can see of a type of ours: public and protected members, also those that are inherited from classes
 * that are not public, and of nested types.
 */
final class VisibleMembers {

    private static final String OURS = "io.nettyrdma.";

    private VisibleMembers() {
    }

    /** Constructors, methods and fields, without those that the compiler has made. */
    static List<Member> of(Class<?> type) {
        List<Member> members = new ArrayList<>();
        for (Class<?> declaring = type; declaring != null; declaring = hiddenSuperclass(declaring)) {
            add(members, type, declaring.getDeclaredMethods());
            add(members, type, declaring.getDeclaredFields());
        }
        add(members, type, type.getDeclaredConstructors());
        for (Class<?> nested : type.getDeclaredClasses()) {
            if (isVisible(nested.getModifiers(), type)) {
                members.addAll(of(nested));
            }
        }
        return members;
    }

    private static void add(List<Member> members, Class<?> type, Member... declared) {
        for (Member member : declared) {
            if (!member.isSynthetic() && isVisible(member.getModifiers(), type)) {
                members.add(member);
            }
        }
    }

    private static boolean isVisible(int modifiers, Class<?> type) {
        return Modifier.isPublic(modifiers)
                || Modifier.isProtected(modifiers) && !Modifier.isFinal(type.getModifiers());
    }

    private static Class<?> hiddenSuperclass(Class<?> type) {
        Class<?> parent = type.getSuperclass();
        return parent != null && parent.getName().startsWith(OURS) && !Modifier.isPublic(parent.getModifiers())
                ? parent : null;
    }

    /** A constructor has the name of its type. */
    static String name(Member member) {
        return member instanceof Constructor<?> constructor ? constructor.getDeclaringClass().getSimpleName()
                : member.getName();
    }

    static boolean isUnstable(Member member) {
        return ((AnnotatedElement) member).isAnnotationPresent(UnstableApi.class);
    }

    /** Our types in the signature of a member: parameters, result, exceptions and bounds, with their type arguments. */
    static Set<Class<?>> signature(Member member) {
        Set<Class<?>> types = new HashSet<>();
        if (member instanceof Field field) {
            collect(types, field.getGenericType());
        } else {
            Executable executable = (Executable) member;
            collect(types, executable.getGenericParameterTypes());
            collect(types, executable.getGenericExceptionTypes());
            collect(types, executable.getTypeParameters());
            collect(types, executable.getAnnotatedReturnType().getType());
        }
        return types;
    }

    /** Our types that a type says it is: superclass, interfaces and bounds. A superclass that is not public has its. */
    static Set<Class<?>> supertypes(Class<?> type) {
        Set<Class<?>> types = new HashSet<>();
        collect(types, type.getTypeParameters());
        for (Class<?> each = type; each != null; each = hiddenSuperclass(each)) {
            collect(types, each.getGenericInterfaces());
            if (each.getGenericSuperclass() != null && hiddenSuperclass(each) == null) {
                collect(types, each.getGenericSuperclass());
            }
        }
        return types;
    }

    private static void collect(Set<Class<?>> types, Type... found) {
        for (Type type : found) {
            if (type instanceof Class<?> named) {
                if (named.isArray()) {
                    collect(types, named.getComponentType());
                } else if (named.getName().startsWith(OURS)) {
                    types.add(outermost(named));
                }
            } else if (type instanceof ParameterizedType generic) {
                collect(types, generic.getRawType());
                collect(types, generic.getActualTypeArguments());
            } else if (type instanceof WildcardType wildcard) {
                collect(types, wildcard.getUpperBounds());
                collect(types, wildcard.getLowerBounds());
            } else if (type instanceof GenericArrayType array) {
                collect(types, array.getGenericComponentType());
            } else if (type instanceof TypeVariable<?> variable) {
                for (Type bound : variable.getBounds()) {
                    // The arguments of a bound may be the variable itself.
                    collect(types, bound instanceof ParameterizedType generic ? generic.getRawType() : bound);
                }
            }
        }
    }

    private static Class<?> outermost(Class<?> nested) {
        return nested.getEnclosingClass() == null ? nested : outermost(nested.getEnclosingClass());
    }
}
