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

import java.util.Locale;

/**
 * A drawing whose colours come from the style sheet of its page, or from its own if it is a file. The unit is a pixel
 * of a drawing that is {@link #WIDTH} wide.
 */
final class Svg {

    /** Two fit beside each other on a wide screen, and one on a telephone. */
    static final int WIDTH = 480;
    private static final int MARGIN = 12;
    /** The title of a file, and the margins above and below. */
    private static final int HEAD = 56;

    private final StringBuilder body = new StringBuilder();
    private final String title;

    Svg(String title) {
        this.title = title;
    }

    Svg line(double fromX, double fromY, double toX, double toY, String style) {
        return add("<line class='%s' x1='%s' y1='%s' x2='%s' y2='%s'/>", style, n(fromX), n(fromY), n(toX), n(toY));
    }

    Svg rectangle(double x, double y, double width, double height, String style) {
        return add("<rect class='%s' x='%s' y='%s' width='%s' height='%s'/>", style, n(x), n(y), n(width), n(height));
    }

    /** @param anchor start, middle or end. */
    Svg text(double x, double y, String anchor, String style, String text) {
        return add("<text class='%s' x='%s' y='%s' text-anchor='%s'>%s</text>", style, n(x), n(y), anchor,
                escape(text));
    }

    Svg polyline(String points, String style) {
        return add("<polyline class='%s' points='%s'/>", style, points);
    }

    /** A mark whose shape differs as well as its colour. */
    Svg mark(double x, double y, Variant variant, String tooltip) {
        String shape = switch (variant.shape()) {
        case 0 -> String.format("<circle cx='%s' cy='%s' r='4.5'", n(x), n(y));
        case 1 -> String.format("<rect x='%s' y='%s' width='8' height='8'", n(x - 4), n(y - 4));
        case 2 -> String.format("<path d='M%s %sl5 9h-10z'", n(x), n(y - 5.5));
        default -> String.format("<path d='M%s %sl5.5 5.5l-5.5 5.5l-5.5-5.5z'", n(x), n(y - 5.5));
        };
        body.append(shape).append(" class='").append(variant.style()).append(" mark'");
        return tooltip == null ? raw("/>\n") : raw("><title>" + escape(tooltip) + "</title>"
                + shape.replaceFirst("<(\\w+).*", "</$1>\n"));
    }

    /** Points of {@link #polyline}. */
    static String point(double x, double y) {
        return n(x) + ',' + n(y) + ' ';
    }

    /** As a part of a page. */
    String inPage(double height) {
        return String.format(Locale.ROOT, "<svg viewBox='0 0 %d %.0f' role='img' aria-label='%s'>%n%s</svg>%n", WIDTH,
                height, escape(title), body);
    }

    /**
     * As a file, with its title above.
     *
     * @param subtitle below the title.
     */
    String asFile(double height, String subtitle) {
        int width = WIDTH + 2 * MARGIN;
        double all = height + HEAD;
        return String.format(Locale.ROOT, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-12 -48 %d %.0f' "
                + "width='%d' height='%.0f' role='img' aria-label='%s'>%n<style>%s</style>%n", width, all,
                width * 3 / 2, all * 1.5, escape(title), Style.OF_DRAWINGS)
                + String.format(Locale.ROOT, "<rect class='paper' x='-12' y='-48' width='%d' height='%.0f'/>%n"
                + "<text class='head' x='0' y='-26'>%s</text>%n<text class='soft' x='0' y='-9'>%s</text>%n%s</svg>%n",
                width, all, escape(title), escape(subtitle), body);
    }

    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#39;")
                .replace("\"", "&quot;");
    }

    private Svg add(String format, Object... values) {
        return raw(String.format(Locale.ROOT, format, values) + '\n');
    }

    private Svg raw(String text) {
        body.append(text);
        return this;
    }

    /** One digit is a tenth of a pixel. */
    private static String n(double value) {
        String text = String.format(Locale.ROOT, "%.1f", value);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }
}
