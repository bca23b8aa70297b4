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

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A setting of a channel, a loop or an allocator.
 *
 * @param name as the application writes it.
 * @param type of its values.
 * @param initial the value that it has unless it is set.
 * @param comment the comment beside it.
 * @param setter sets it on an object that nothing else uses; throws what the application would get.
 */
record Setting(String name, Class<?> type, Object initial, SourceComment comment, Consumer<Object> setter) {

    /** How the tag {@code range} of a number or a time begins. */
    private static final Pattern LIMITS = Pattern.compile("(\\S+) to (\\S+?)(?:;| .*|$).*");

    /** As the comment has it; other words than a value stand for one that depends on the machine. */
    String defaultText() {
        String text = comment.tag("default");
        if (!text.contains(" ") && !text.equals(initial.toString())) {
            throw new IllegalStateException(name + " is " + initial + " by default, and not " + text);
        }
        return text;
    }

    String range() {
        return comment.tag("range");
    }

    String change() {
        return comment.tag("change");
    }

    String advice() {
        return comment.tag("advice");
    }

    /** The first and the last value of a range; empty if the values are listed. */
    List<String> limits() {
        Matcher limits = LIMITS.matcher(range());
        return limits.matches() ? List.of(limits.group(1), limits.group(2)) : List.of();
    }

    /** The values of a setting that lists them. */
    List<String> listed() {
        return Arrays.asList(range().split(", "));
    }

    @Override
    public String toString() {
        return name;
    }
}
