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
package io.nettyrdma.micrometer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;

/** Draws the panels of the dashboard with the values of a recording, as SVG. */
final class DashboardPicture {

    private static final int UNIT_X = 50;
    private static final int UNIT_Y = 30;
    private static final int MARGIN = 8;
    private static final int LEFT = 62;
    private static final int TOP = 34;
    private static final int BELOW = 54;
    private static final int STEPS = 4;
    private static final int LEGEND_LINE = 13;
    private static final int LEGEND_CHARACTERS = 62;
    private static final List<String> COLOURS = List.of("#2a6fb0", "#d1702b", "#3d8f4d", "#a4459c", "#8c6d1f",
            "#c23b3b", "#4a9ba3", "#6c6c6c");

    private final Recording recording;
    private final StringBuilder svg = new StringBuilder();

    private DashboardPicture(Recording recording) {
        this.recording = recording;
    }

    static String draw(List<Dashboard.Panel> panels, Recording recording) {
        int width = panels.stream().mapToInt(panel -> panel.x() + panel.width()).max().orElseThrow() * UNIT_X;
        int height = panels.stream().mapToInt(panel -> panel.y() + panel.height()).max().orElseThrow() * UNIT_Y;
        DashboardPicture picture = new DashboardPicture(recording);
        picture.add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                + "font-size=\"11\">%n<rect width=\"%d\" height=\"%d\" fill=\"#f3f4f6\"/>%n", width, height, width,
                height);
        panels.forEach(picture::panel);
        picture.add("</svg>%n");
        return picture.svg.toString();
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }

    private void panel(Dashboard.Panel panel) {
        Map<String, double[]> lines = lines(panel);
        double top = roundUp(lines.values().stream().flatMapToDouble(Arrays::stream).max().orElse(0));
        int width = panel.width() * UNIT_X - MARGIN;
        int height = panel.height() * UNIT_Y - MARGIN;
        add("<g transform=\"translate(%d %d)\">%n", panel.x() * UNIT_X + MARGIN / 2, panel.y() * UNIT_Y + MARGIN / 2);
        add("<rect width=\"%d\" height=\"%d\" rx=\"3\" fill=\"white\" stroke=\"#d5d8dd\"/>%n", width, height);
        add("<text x=\"10\" y=\"17\" font-size=\"13\" fill=\"#222\">%s</text>%n", panel.title());
        int plotWidth = width - LEFT - MARGIN;
        int plotHeight = height - TOP - BELOW;
        for (int i = 0; i <= STEPS; i++) {
            double y = TOP + plotHeight - (double) plotHeight * i / STEPS;
            add("<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#e4e6ea\"/>%n", LEFT, y,
                    LEFT + plotWidth, y);
            add("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#555\">%s</text>%n", LEFT - 5, y + 4,
                    Units.text(top * i / STEPS, panel.unit()));
        }
        double end = recording.seconds().get(recording.seconds().size() - 1);
        add("<text x=\"%d\" y=\"%d\" fill=\"#555\">0 s</text>%n", LEFT, TOP + plotHeight + LEGEND_LINE);
        add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#555\">%.0f s</text>%n", LEFT + plotWidth,
                TOP + plotHeight + LEGEND_LINE, end);
        int colour = 0;
        for (double[] values : lines.values()) {
            add("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"",
                    COLOURS.get(colour++ % COLOURS.size()));
            for (int i = 0; i < values.length; i++) {
                add("%.1f,%.1f ", LEFT + plotWidth * recording.seconds().get(i) / end,
                        TOP + plotHeight - plotHeight * values[i] / top);
            }
            add("\"/>%n");
        }
        legend(List.copyOf(lines.keySet()), TOP + plotHeight + 2 * LEGEND_LINE + 2);
        add("</g>%n");
    }

    private void legend(List<String> names, int firstLine) {
        int y = firstLine;
        int used = 0;
        int characters = 0;
        add("<text x=\"10\" y=\"%d\">", y);
        for (String name : names) {
            if (characters > 0 && characters + name.length() > LEGEND_CHARACTERS) {
                y += LEGEND_LINE;
                characters = 0;
                add("</text>%n<text x=\"10\" y=\"%d\">", y);
            }
            add("<tspan fill=\"%s\">&#9632; %s&#160;&#160; </tspan>", COLOURS.get(used++ % COLOURS.size()), name);
            characters += name.length() + STEPS;
        }
        add("</text>%n");
    }

    /** By the text of the legend. Lines of a stack are sums with those below. Those that are always 0 are left out. */
    private Map<String, double[]> lines(Dashboard.Panel panel) {
        Map<String, double[]> lines = new LinkedHashMap<>();
        List<double[]> below = new ArrayList<>();
        for (Dashboard.Target target : panel.targets()) {
            recording.lines(target.query()).forEach((key, values) -> {
                if (Arrays.stream(values).allMatch(value -> value == 0)) {
                    return;
                }
                double[] shown = values.clone();
                if (panel.isStacked()) {
                    below.forEach(other -> addUp(shown, other));
                    below.add(values);
                }
                lines.put(target.legend().replaceAll("\\{\\{\\w+}}", Matcher.quoteReplacement(key)), shown);
            });
        }
        return lines;
    }

    private static void addUp(double[] sum, double[] other) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += other[i];
        }
    }

    /** To a number that has quarters of few digits. */
    private static double roundUp(double most) {
        if (most == 0) {
            return 1;
        }
        double power = Math.pow(10, Math.floor(Math.log10(most)));
        for (double step : new double[] { 1, 2, 4, 8 }) {
            if (most <= step * power) {
                return step * power;
            }
        }
        return 10 * power;
    }
}
