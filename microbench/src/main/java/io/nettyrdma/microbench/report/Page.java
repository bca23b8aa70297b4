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
package io.nettyrdma.microbench.report;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A report as HTML: one file that needs no other and no script. */
final class Page {

    private final RawReport report;
    private final List<Section> sections;
    private final StringBuilder html = new StringBuilder();

    /** @param sections in the order of the page; those that did not run are on it too. */
    Page(RawReport report, List<Section> sections) {
        this.report = report;
        this.sections = sections;
    }

    String html() {
        html.append("<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'/>\n"
                + "<meta name='viewport' content='width=device-width, initial-scale=1'/>\n"
                // Browsers ask for a file otherwise.
                + "<link rel='icon' href='data:,'/>\n"
                + "<title>netty-transport-rdma: benchmark report</title>\n<style>\n").append(Style.OF_PAGE)
                .append(Style.OF_DRAWINGS).append("</style>\n</head>\n<body>\n");
        intro();
        machine();
        for (Section section : sections) {
            section(section, result(section));
        }
        html.append("</body>\n</html>\n");
        return html.toString();
    }

    private void intro() {
        html.append("<h1>netty-transport-rdma: benchmark report</h1>\n<p>Every ratio compares figures of one round of "
                + "one run, because other work on the machine varies from round to round. A row shows the median of the"
                + " rounds, and their least and greatest value in brackets. Right of the line at 1 RDMA is faster. A "
                + "spread that goes on beyond a drawing is cut at its edge; the tables have all of it.</p>\n");
        List<String> failed = sections.stream().filter(each -> result(each).failure() != null).map(Section::title)
                .toList();
        if (!failed.isEmpty()) {
            html.append("<p class='failure'>Not measured: ").append(Svg.escape(String.join(", ", failed)))
                    .append(". The sections give the reasons.</p>\n");
        }
        html.append("<nav>");
        sections.forEach(each -> html.append("<a href='#").append(each.name()).append("'>")
                .append(Svg.escape(each.title())).append("</a>"));
        html.append("</nav>\n").append(Overview.of(report, titles(sections)).html());
    }

    static Map<String, String> titles(List<Section> sections) {
        return sections.stream().collect(Collectors.toMap(Section::name, Section::title, (a, b) -> a,
                java.util.LinkedHashMap::new));
    }

    private void machine() {
        html.append("<h2>Machine</h2>\n<div class='wide'><table>\n");
        report.machine().forEach((name, value) -> html.append("<tr><th>").append(Svg.escape(name)).append("</th><td>")
                .append(Svg.escape(value)).append("</td></tr>\n"));
        html.append("</table></div>\n<p>The raw numbers are in the folder <code>raw</code> beside this page: "
                + "<code>figures.tsv</code> has all rounds, logs of HdrHistogram end in .hlog, and files that end in "
                + ".txt have the output of the commands.</p>\n");
        noise();
    }

    private void noise() {
        if (report.isDisturbed()) {
            html.append("<p class='failure'>The machine had other work: its load was ").append(report.loadBefore())
                    .append(" before the report began. Ratios of such a run are noisy, and poll modes look worse than ")
                    .append("with a processor for each loop.</p>\n");
        }
    }

    private void section(Section section, SectionResult result) {
        html.append("<h2 id='").append(section.name()).append("'>").append(Svg.escape(section.title()))
                .append("</h2>\n<p>").append(Svg.escape(section.about())).append("</p>\n");
        if (result.failure() != null) {
            html.append("<p class='failure'>Not measured, or not all of it: ").append(Svg.escape(result.failure()))
                    .append("</p>\n");
        }
        result.notes().forEach(each -> html.append("<p class='note'>").append(Svg.escape(each)).append("</p>\n"));
        if (!result.commands().isEmpty()) {
            html.append("<pre>").append(Svg.escape(String.join("\n", result.commands()))).append("</pre>\n");
        }
        List<Chart> charts = new Charts(report, section.name()).all();
        if (!charts.isEmpty()) {
            html.append("<div class='charts'>\n");
            charts.forEach(each -> html.append(each.html()));
            html.append("</div>\n");
        }
        List<RawFigure> figures = report.figures(section.name());
        if (!figures.isEmpty()) {
            table(figures);
        }
    }

    private void table(List<RawFigure> figures) {
        html.append("<details><summary>").append(figures.size()).append(" figures</summary>\n<div class='wide'>"
                + "<table>\n<tr><th>series</th><th>variant</th><th>figure</th><th class='n'>median (spread)</th>"
                + "<th class='n'>times as fast</th><th>as</th></tr>\n");
        for (RawFigure each : figures) {
            Spread ratio = report.ratio(each);
            html.append("<tr><td>").append(Svg.escape(each.series())).append("</td><td>")
                    .append(Svg.escape(each.variant())).append("</td><td>").append(Svg.escape(each.figure()))
                    .append("</td><td class='n'>").append(Spread.of(each.rounds())).append("</td><td class='n'>")
                    .append(ratio.isEmpty() || each.isBaseline() ? "" : ratio).append("</td><td>")
                    .append(each.isBaseline() ? "" : Svg.escape(each.baseline())).append("</td></tr>\n");
        }
        html.append("</table></div></details>\n");
    }

    private SectionResult result(Section section) {
        return report.sections().stream().filter(each -> each.name().equals(section.name())).findFirst()
                .orElse(SectionResult.leftOut(section.name(), "it is not in the raw results"));
    }
}
