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

import io.nettyrdma.testsuite.support.ProjectTree;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The comment of a member in a source file, in Markdown.
 *
 * @param text what comes before the first tag.
 * @param tags the values of the tags {@code @option.NAME}, by NAME.
 */
record SourceComment(String text, Map<String, String> tags) {

    private static final Path ROOT = ProjectTree.directory("bin").getParent();

    private static final String COMMENT = "/\\*\\*((?:(?!\\*/).)*+)\\*/\\s+(?:@\\w+\\s+)*";
    private static final Pattern TAG = Pattern.compile("@(?:option\\.)?(\\w+) ?(.*)", Pattern.DOTALL);
    private static final Pattern ROW = Pattern.compile("<tr><td>(.*?)</td><td>(.*?)</td></tr>");
    private static final Pattern RETURN = Pattern.compile("\\{@return ((?:[^{}]|\\{[^{}]*\\})*)\\}");
    private static final Pattern LINK = Pattern.compile("\\{@link(?:plain)? (?:[a-z]\\w*\\.)*#?([\\w.#]+)[^}]*\\}");
    private static final Pattern CODE = Pattern.compile("\\{@code ([^}]*)\\}");
    /** The page has defaults in a column. */
    private static final Pattern VALUE =
            Pattern.compile("; \\{@value [^}]*\\} by default|\\{@value [^}]*\\} by default\\. ");
    private static final Pattern PAGE = Pattern.compile("docs/([\\w-]+)\\.md");

    /** The source of a class of a module. */
    static String source(String module, String className) {
        return read(module + "/src/main/java/" + className.replace('.', '/') + ".java");
    }

    static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of a field, a method or a constant of an enum. */
    static SourceComment of(String source, String member) {
        Matcher found = Pattern.compile(COMMENT + "[\\w<>., ]*\\b" + member + "\\b *[=(]", Pattern.DOTALL)
                .matcher(source);
        if (!found.find()) {
            throw new IllegalStateException(member + " has no comment");
        }
        String[] parts = withoutMargin(found.group(1)).split("(?m)^(?=@)");
        Map<String, String> tags = new LinkedHashMap<>();
        for (int i = 1; i < parts.length; i++) {
            Matcher tag = TAG.matcher(parts[i]);
            if (tag.matches()) {
                tags.put(tag.group(1), markdown(tag.group(2)));
            }
        }
        return new SourceComment(markdown(parts[0]), tags);
    }

    /** The rows of the tables in a source: names, separated by commas, and their meaning. */
    static List<String[]> rows(String source) {
        List<String[]> rows = new ArrayList<>();
        Matcher row = ROW.matcher(withoutMargin(source).replace('\n', ' '));
        while (row.find()) {
            rows.add(new String[] { row.group(1).strip(), markdown(row.group(2)) });
        }
        return rows;
    }

    String tag(String name) {
        String value = tags.get(name);
        if (value == null) {
            throw new IllegalStateException("no tag @option." + name + " beside: " + text);
        }
        return value;
    }

    private static String withoutMargin(String comment) {
        return comment.replaceAll("(?m)^ *\\*? ?", "").strip();
    }

    private static String markdown(String javadoc) {
        String text = javadoc.strip().replaceAll("\\s+", " ");
        text = RETURN.matcher(text).replaceAll(match -> Matcher.quoteReplacement(capital(match.group(1)) + '.'));
        text = LINK.matcher(text).replaceAll(match -> "`" + match.group(1).replace('#', '.') + '`');
        text = VALUE.matcher(text).replaceAll("");
        text = CODE.matcher(text).replaceAll(match -> Matcher.quoteReplacement('`' + match.group(1) + '`'));
        return PAGE.matcher(text).replaceAll("[$1]($1.md)");
    }

    private static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
