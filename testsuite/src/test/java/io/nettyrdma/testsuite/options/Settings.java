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
package io.nettyrdma.testsuite.options;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.efa.EfaChannelOption;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpOption;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandlerConfig;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** All settings, read from the classes that have them. None of this needs a device. */
final class Settings {

    private static final String TRANSPORT = "transport-rdma";

    private Settings() {
    }

    static List<Setting> channel() {
        return options(TRANSPORT, RdmaChannelOption.class, new RdmaChannel().config(),
                new RdmaServerChannel().config());
    }

    static List<Setting> datagramChannel() {
        return options(TRANSPORT, RdmaDatagramChannelOption.class, new RdmaDatagramChannel().config());
    }

    static List<Setting> efaChannel() {
        return options("transport-efa", EfaChannelOption.class, new EfaDatagramChannel().config());
    }

    static List<Setting> eitherChannel() {
        return options(TRANSPORT, RdmaOrTcpOption.class, new RdmaOrTcpChannel().config());
    }

    static List<Setting> loop() {
        RdmaIoHandlerConfig config = RdmaIoHandlerConfig.DEFAULT;
        Map<String, Function<Object, Object>> setters = Map.of(
                "mode", value -> config.withMode((PollMode) value),
                "spin", value -> config.withSpin((Duration) value),
                "pollsPerSelect", value -> config.withSelect((Integer) value, config.selectInterval()),
                "selectInterval", value -> config.withSelect(config.pollsPerSelect(), (Duration) value),
                "completionQueueEntries", value -> config.withCompletionQueue((Integer) value, 1),
                "completionBatch", value -> config.withCompletionQueue(1, (Integer) value),
                "slabBytes", value -> config.withSlabBytes((Integer) value));
        String source = SourceComment.source(TRANSPORT, RdmaIoHandlerConfig.class.getName());
        return methods(RdmaIoHandlerConfig.class)
                .filter(method -> method.getParameterCount() == 0 && !method.getName().equals("toString"))
                .map(method -> new Setting(method.getName(), method.getReturnType(), invoke(method, config),
                        SourceComment.of(source, method.getName()), setters.get(method.getName())::apply))
                .sorted(inOrderOf(source)).toList();
    }

    static List<Setting> allocator() {
        String source = SourceComment.source(TRANSPORT, RdmaByteBufAllocator.class.getName());
        String builder = source.substring(source.indexOf("class Builder"));
        return methods(RdmaByteBufAllocator.Builder.class).filter(method -> method.getParameterCount() == 1)
                .map(method -> new Setting(method.getName(), method.getParameterTypes()[0],
                        ofNewBuilder(method.getName()), SourceComment.of(builder, method.getName()),
                        value -> invoke(method, RdmaByteBufAllocator.builder(), value)))
                .sorted(inOrderOf(builder)).toList();
    }

    static Stream<Setting> all() {
        return Stream.of(channel(), eitherChannel(), datagramChannel(), efaChannel(), loop(), allocator())
                .flatMap(List::stream);
    }

    /** The constants of a class, each with the first of these configurations that has it. */
    private static List<Setting> options(String module, Class<?> holder, ChannelConfig... configs) {
        String source = SourceComment.source(module, holder.getName());
        return Arrays.stream(holder.getFields()).filter(field -> field.getType() == ChannelOption.class)
                .map(field -> option(source, field, configs)).sorted(inOrderOf(source)).toList();
    }

    @SuppressWarnings("unchecked")
    private static Setting option(String source, Field field, ChannelConfig... configs) {
        ChannelOption<Object> option = (ChannelOption<Object>) constant(field);
        ChannelConfig config = Arrays.stream(configs).filter(each -> each.getOptions().containsKey(option)).findFirst()
                .orElseThrow(() -> new IllegalStateException("no channel has " + option));
        Class<?> type = (Class<?>) ((ParameterizedType) field.getGenericType()).getActualTypeArguments()[0];
        return new Setting(field.getName(), type, config.getOption(option), SourceComment.of(source, field.getName()),
                value -> config.setOption(option, value));
    }

    private static Comparator<Setting> inOrderOf(String source) {
        return Comparator.comparing(setting -> {
            Matcher declaration = Pattern.compile(" " + setting.name() + "(?: =|\\()").matcher(source);
            return declaration.find() ? declaration.start() : -1;
        });
    }

    private static Stream<Method> methods(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic());
    }

    /** What the builder begins with: the components of its record have the names of its methods. */
    private static Object ofNewBuilder(String name) {
        try {
            Field config = RdmaByteBufAllocator.Builder.class.getDeclaredField("config");
            config.setAccessible(true);
            Object record = config.get(RdmaByteBufAllocator.builder());
            Method accessor = record.getClass().getDeclaredMethod(name);
            accessor.setAccessible(true);
            return accessor.invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object constant(Field field) {
        try {
            return field.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object invoke(Method method, Object target, Object... arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw (RuntimeException) e.getCause();
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
