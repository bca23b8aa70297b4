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

import io.nettyrdma.verbs.Fallbacks;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A system property that the transport reads.
 *
 * @param name of the property.
 * @param initial its value unless it is set.
 * @param values what it may be.
 * @param text its meaning.
 */
record Property(String name, String initial, String values, String text) {

    private static final String PREFIX = "io.nettyrdma.";
    private static final Pattern NAMED = Pattern.compile("`(" + PREFIX.replace(".", "\\.") + "\\w+)`");

    static List<Property> all() {
        List<Property> all = new ArrayList<>(List.of(
                constant("io.nettyrdma.jni.DeviceChoice", "PROPERTY"),
                constant("io.nettyrdma.fallback.FallbackSettings", "POLICY")));
        Settings.eitherChannel().stream().flatMap(Property::ofNumber).forEach(all::add);
        Settings.allocator().forEach(setting -> all.add(ofDefault(PREFIX + "allocator." + setting.name(), setting)));
        all.add(constant("io.nettyrdma.Rdma", "NO_NATIVE"));
        all.add(constant("io.nettyrdma.jni.LibraryFile", "WORK_DIRECTORY"));
        all.add(constant("io.nettyrdma.jni.LibraryFile", "DELETE"));
        String source = SourceComment.source("transport-rdma", Fallbacks.class.getName());
        for (Fallbacks each : Fallbacks.values()) {
            all.add(new Property(each.property(), "true", "true, false",
                    SourceComment.of(source, each.name()).text()));
        }
        all.add(constant("io.nettyrdma.stream.SizeRule", "PROPERTY"));
        return all;
    }

    private static Property constant(String type, String name) {
        String source = SourceComment.source("transport-rdma", type);
        SourceComment comment = SourceComment.of(source, name);
        Matcher value = Pattern.compile("\\b" + name + " = \"([^\"]+)\"").matcher(source);
        if (!value.find()) {
            throw new IllegalStateException(name + " of " + type + " has no value");
        }
        return new Property(value.group(1), comment.tag("default"), comment.tag("range"), comment.text());
    }

    /** The property that the comment of an option names, unless that has a row of its own. */
    private static Stream<Property> ofNumber(Setting setting) {
        Matcher name = NAMED.matcher(setting.comment().text());
        return setting.type() == Integer.class && name.find() ? Stream.of(ofDefault(name.group(1), setting))
                : Stream.empty();
    }

    private static Property ofDefault(String name, Setting setting) {
        return new Property(name, setting.defaultText(), setting.range(), "The default of `" + setting.name() + "`.");
    }
}
