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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page in Markdown: headings with their anchors, paragraphs of 120 columns, tables. */
final class MarkdownPage {

    private static final int COLUMNS = 120;
    private static final Pattern LINK_TO_HEADING = Pattern.compile("\\]\\(#");

    private final StringBuilder text = new StringBuilder();
    private final Map<String, Integer> anchors = new HashMap<>();

    void heading(int level, String title) {
        anchor(title);
        text.append("#".repeat(level)).append(' ').append(title).append("\n\n");
    }

    /** The anchor that the next heading of this title gets; GitHub numbers those that are there already. */
    String nextAnchor(String title) {
        String anchor = plain(title);
        int before = anchors.getOrDefault(anchor, 0);
        return before == 0 ? anchor : anchor + '-' + before;
    }

    private void anchor(String title) {
        anchors.merge(plain(title), 1, Integer::sum);
    }

    private static String plain(String title) {
        return title.toLowerCase(Locale.ROOT).replaceAll("[^\\w\\s-]", "").replace(' ', '-');
    }

    void paragraph(String words) {
        int column = 0;
        for (String word : words.strip().split("\\s+")) {
            if (column > 0 && column + 1 + word.length() > COLUMNS) {
                text.append('\n');
                column = 0;
            }
            text.append(column == 0 ? "" : " ").append(word);
            column += (column == 0 ? 0 : 1) + word.length();
        }
        text.append("\n\n");
    }

    void code(String block) {
        text.append("```java\n").append(block).append("```\n\n");
    }

    void table(List<String> head, List<List<String>> rows) {
        row(head);
        text.append('|').append("---|".repeat(head.size())).append('\n');
        rows.forEach(this::row);
        text.append('\n');
    }

    private void row(List<String> cells) {
        text.append('|');
        cells.forEach(cell -> text.append(' ').append(cell.replace("|", "\\|")).append(" |"));
        text.append('\n');
    }

    /** The rows of the first table below a heading of another page, without its head; links lead to that page. */
    static List<List<String>> rowsOf(String page, String name, String heading) {
        List<List<String>> rows = new ArrayList<>();
        int begin = page.indexOf("\n## " + heading + '\n');
        int table = page.indexOf("\n|", begin) + 1;
        for (String line : page.substring(table).split("\n")) {
            if (!line.startsWith("|")) {
                break;
            }
            String linked = LINK_TO_HEADING.matcher(line).replaceAll(Matcher.quoteReplacement("](" + name + '#'));
            rows.add(Arrays.stream(linked.substring(1, linked.length() - 1).split("(?<!\\\\)\\|"))
                    .map(String::strip).toList());
        }
        return rows.subList(2, rows.size());
    }

    @Override
    public String toString() {
        return text.toString().stripTrailing() + '\n';
    }
}
