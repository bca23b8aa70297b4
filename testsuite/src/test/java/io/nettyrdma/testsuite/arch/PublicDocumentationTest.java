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

import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

/** What the build's check of Javadoc does not know: since when types exist, and which threads may use them. */
class PublicDocumentationTest {

    /** The comment in front of the declaration of a type or package, which begins at the start of a line. */
    private static final Pattern COMMENT =
            Pattern.compile("^/\\*\\*((?:(?!\\*/).)*)\\*/\\s+(?:@[^\\n]*\\n)*(?:public|package) ",
                    Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern SINCE = Pattern.compile("@since \\d+\\.\\d+\\.\\d+\\s");
    private static final Pattern THREAD = Pattern.compile("\\bthreads?\\b|\\bloops?\\b|immutable",
            Pattern.CASE_INSENSITIVE);

    private final Map<String, Path> exported = PublicApi.exported();

    @Test
    void typesAndPackagesHaveTheVersionThatBroughtThem() {
        Set<Path> packages = exported.values().stream().map(Path::getParent)
                .map(directory -> directory.resolve("package-info.java")).collect(toSet());
        assertThat(Stream.concat(exported.values().stream(), packages.stream()))
                .filteredOn(file -> !SINCE.matcher(comment(file)).find()).isEmpty();
    }

    @Test
    void typesWithBehaviorSayWhichThreadsMayUseThem() {
        Set<String> silent = new TreeSet<>();
        exported.forEach((name, file) -> {
            if (hasBehavior(PublicApi.load(name)) && !THREAD.matcher(comment(file)).find()) {
                silent.add(name);
            }
        });
        assertThat(silent).isEmpty();
    }

    /** Values may be used by any thread, and so may functions. */
    private static boolean hasBehavior(Class<?> type) {
        boolean isValue = type.isEnum() || type.isRecord() || type.isAnnotation()
                || Throwable.class.isAssignableFrom(type);
        return !isValue && Arrays.stream(type.getDeclaredMethods()).anyMatch(PublicDocumentationTest::isVisible);
    }

    private static boolean isVisible(Method method) {
        return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
    }

    private static String comment(Path file) {
        Matcher comment = COMMENT.matcher(PublicApi.read(file));
        return comment.find() ? comment.group(1) : "";
    }
}
