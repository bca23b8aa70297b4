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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text of a Prometheus endpoint. */
final class Scrape {

    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
    private static final Pattern SAMPLE = Pattern.compile("(\\w+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    /** One line of a scrape. */
    record Sample(String name, Map<String, String> labels, double value) { }

    private final Map<String, String> types = new TreeMap<>();
    private final List<Sample> samples = new ArrayList<>();

    Scrape(String text) {
        for (String line : text.split("\n")) {
            Matcher type = TYPE.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (type.matches()) {
                types.put(type.group(1), type.group(2));
            } else if (!line.startsWith("#") && sample.matches()) {
                samples.add(new Sample(sample.group(1), labels(sample.group(2)), Double.parseDouble(sample.group(3))));
            }
        }
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new TreeMap<>();
        if (text != null) {
            LABEL.matcher(text).results().forEach(label -> labels.put(label.group(1), label.group(2)));
        }
        return labels;
    }

    /** By the name of a family. */
    Map<String, String> types() {
        return types;
    }

    List<Sample> samples() {
        return samples;
    }

    /** The names of all samples. */
    Set<String> names() {
        Set<String> names = new TreeSet<>();
        samples.forEach(sample -> names.add(sample.name()));
        return names;
    }

    /** The sum of all samples with a name, and with these labels: keys and values. */
    double sum(String name, String... labels) {
        return samples.stream().filter(sample -> sample.name().equals(name)).filter(sample -> {
            for (int i = 0; i < labels.length; i += 2) {
                if (!labels[i + 1].equals(sample.labels().get(labels[i]))) {
                    return false;
                }
            }
            return true;
        }).mapToDouble(Sample::value).sum();
    }
}
