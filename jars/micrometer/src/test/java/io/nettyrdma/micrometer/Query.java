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

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A query of the form that the dashboard uses: {@code sum by (label) (rate(name{label="value"}[$__rate_interval]))},
 * where all but the sum and the name may be absent.
 *
 * @param by the label that remains; {@code null} for one line.
 * @param selector labels with the values that are wanted, without the process.
 */
record Query(String text, String by, boolean isRate, String name, Map<String, String> selector) {

    private static final Pattern FORM = Pattern.compile("sum (?:by \\((\\w+)\\) )?\\((?:(rate)\\()?(\\w+)"
            + "\\{instance=~\"\\$instance\"(?:, (\\w+)=\"(\\w+)\")?\\}(\\[\\$__rate_interval\\]\\))?\\)");

    static Query parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches() || form.group(2) == null != (form.group(6) == null)) {
            throw new IllegalArgumentException("a query of another form: " + text);
        }
        Map<String, String> selector = form.group(4) == null ? Map.of() : Map.of(form.group(4), form.group(5));
        return new Query(text, form.group(1), form.group(2) != null, form.group(3), selector);
    }

    /** The samples that are selected. */
    List<Scrape.Sample> samples(Scrape scrape) {
        return scrape.samples().stream().filter(sample -> sample.name().equals(name)
                && sample.labels().entrySet().containsAll(selector.entrySet())).toList();
    }

    /** The sums by the value of the label, or of an empty text. Of a rate, the sums of the counters. */
    Map<String, Double> sums(Scrape scrape) {
        Map<String, Double> sums = new TreeMap<>();
        samples(scrape).forEach(sample -> sums.merge(by == null ? "" : sample.labels().get(by), sample.value(),
                Double::sum));
        return sums;
    }
}
