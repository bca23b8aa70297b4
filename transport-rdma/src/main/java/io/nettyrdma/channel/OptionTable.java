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
package io.nettyrdma.channel;

import io.netty.channel.ChannelOption;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.Function;

/**
 * The options that a class of configurations adds to those of every channel: how each one is read and set. Filled
 * once, by a static initializer; after that any thread.
 *
 * @param <C> the class of configurations.
 */
final class OptionTable<C> {

    /** @param setter returns false if the option cannot have the value. */
    private record Entry<C, T>(Function<C, T> getter, BiPredicate<C, T> setter) { }

    private final Map<ChannelOption<?>, Entry<C, ?>> entries = new LinkedHashMap<>();

    <T> OptionTable<C> with(ChannelOption<T> option, Function<C, T> getter, BiConsumer<C, T> setter) {
        return add(option, getter, (config, value) -> {
            setter.accept(config, value);
            return true;
        });
    }

    /** An option that says something of the channel, and refuses every value. */
    <T> OptionTable<C> withReadOnly(ChannelOption<T> option, Function<C, T> getter) {
        return add(option, getter, (config, value) -> false);
    }

    /** An option that can be set to the value that it always has. */
    <T> OptionTable<C> withFixed(ChannelOption<T> option, T only) {
        return add(option, config -> only, (config, value) -> only.equals(value));
    }

    private <T> OptionTable<C> add(ChannelOption<T> option, Function<C, T> getter, BiPredicate<C, T> setter) {
        entries.put(option, new Entry<>(getter, setter));
        return this;
    }

    /** All options, in the order in which they were added. */
    ChannelOption<?>[] options() {
        return entries.keySet().toArray(new ChannelOption<?>[0]);
    }

    boolean has(ChannelOption<?> option) {
        return entries.containsKey(option);
    }

    /** Call only for options that the table {@linkplain #has has}. */
    <T> T get(C config, ChannelOption<T> option) {
        return entry(option).getter().apply(config);
    }

    /** Call only for options that the table {@linkplain #has has}. Returns whether the option has the value now. */
    <T> boolean set(C config, ChannelOption<T> option, T value) {
        return entry(option).setter().test(config, value);
    }

    /** {@link #add} has put the type of the option's values there. */
    @SuppressWarnings("unchecked")
    private <T> Entry<C, T> entry(ChannelOption<T> option) {
        return (Entry<C, T>) entries.get(option);
    }

    /**
     * Returns the number.
     *
     * @throws IllegalArgumentException if it is out of the option's range.
     */
    static int inRange(ChannelOption<?> option, int number, int min, int max) {
        if (number < min || number > max) {
            throw new IllegalArgumentException(option + " is " + number + ", not within " + min + " to " + max);
        }
        return number;
    }
}
