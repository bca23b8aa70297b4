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

/**
 * A drawing with its caption.
 *
 * @param legend the variants that the drawing has no label for.
 */
record Chart(String caption, Svg drawing, double height, List<Variant> legend) {

    /** Space for the labels of an axis. */
    static final double FOOT = 34;

    String html() {
        StringBuilder html = new StringBuilder("<figure>\n<figcaption>" + Svg.escape(caption) + "</figcaption>\n");
        if (!legend.isEmpty()) {
            html.append("<div class='legend'>");
            legend.forEach(each -> html.append("<span>").append(symbol(each)).append(' ')
                    .append(Svg.escape(each.name())).append("</span>"));
            html.append("</div>\n");
        }
        return html.append(drawing.inPage(height)).append("</figure>\n").toString();
    }

    private static String symbol(Variant variant) {
        return new Svg(variant.name()).mark(7, 7, variant, null).inPage(14)
                .replaceFirst("viewBox='[^']*' role='img' aria-label='[^']*'", "viewBox='0 0 14 14' aria-hidden='true'")
                .replace("\n", "");
    }
}
