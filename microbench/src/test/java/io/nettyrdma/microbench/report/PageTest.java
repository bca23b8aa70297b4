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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** The page of given raw results. */
class PageTest {

    @TempDir
    private Path directory;

    @Test
    void pageHasARowForEveryFigure() throws Exception {
        GivenReport given = new GivenReport(directory).section("round-trips", null)
                .figure("round trip, 64 B", "rdma-adaptive", "p50 us", "epoll", 2, 4, 3)
                .figure("round trip, 64 B", "rdma-adaptive", "p99 us", "epoll", 5, 5, 5)
                .figure("round trip, 64 B", "epoll", "p50 us", "epoll", 10, 10, 12)
                .figure("without rounds", "epoll", "p50 us", "epoll");
        Document page = page(given.written());
        assertThat(texts(page, "td")).containsSubsequence("round trip, 64 B", "rdma-adaptive", "p50 us",
                "3.00 (2.00 to 4.00)", "4.00 (2.50 to 5.00)", "epoll");
        assertThat(texts(page, "td")).containsSubsequence("p99 us", "5.00 (5.00 to 5.00)", "round trip, 64 B", "epoll",
                "p50 us", "10.0 (10.0 to 12.0)", "without rounds", "n/a");
        assertThat(texts(page, "summary")).containsExactly("4 figures");
        assertThat(texts(page, "td")).contains("one & only");
        assertThat(texts(page, "pre")).containsExactly("microbench/echo --kinds '<round-trips>'");
    }

    @Test
    void pageNeedsNoOtherFile() throws Exception {
        Path written = new GivenReport(directory).section("round-trips", null)
                .figure("round trip, 64 B", "rdma-busy", "p50 us", "epoll", 1).written();
        String html = Files.readString(written.resolve("index.html"));
        assertThat(html).doesNotContain("<script", "<img", "src=", "url(", "@import", "http:", "https:");
        assertThat(elements(page(written), "link")).allMatch(link -> link.getAttribute("href").startsWith("data:"));
        assertThat(elements(page(written), "a")).allMatch(link -> link.getAttribute("href").startsWith("#"));
        assertThat(html).contains("prefers-color-scheme:dark", "width=device-width");
    }

    @Test
    void failedSectionIsReportedWithItsReason() throws Exception {
        Document page = page(new GivenReport(directory).section("round-trips", null)
                .section("spark", "bin/spark-demo ended with status 1: no <master>").written());
        assertThat(texts(page, "p")).anyMatch(text -> text.contains("ended with status 1: no <master>"))
                .anyMatch(text -> text.startsWith("Not measured: ") && text.contains("A Spark job")
                        && !text.contains("Round trips"))
                .anyMatch(text -> text.contains("it is not in the raw results"));
    }

    @Test
    void histogramsBecomeCurves() throws Exception {
        Document page = page(new GivenReport(directory).section("round-trips", null)
                .figure("round trip, 4,096 B", "epoll", "p50 us", "epoll", 500)
                .histogram("round-trip-4-096-B/epoll", 1000).written());
        Element curve = elements(page, "polyline").get(0);
        String[] points = curve.getAttribute("points").split(" ");
        assertThat(points).hasSizeGreaterThan(10).allMatch(point -> point.matches("[\\d.]+,[\\d.]+"));
        assertThat(texts(page, "figcaption")).contains("round trip, 4,096 B");
        // A thousand values say something up to 99 %, the fourth of six labels.
        double end = Double.parseDouble(points[points.length - 1].split(",")[0]);
        assertThat(end).isBetween(200.0, 300.0);
    }

    @Test
    void enoughSizesBecomeACurve() throws Exception {
        GivenReport given = new GivenReport(directory).section("round-trips", null);
        for (int size : new int[] { 64, 512, 4096, 32768 }) {
            given.figure(String.format("one way, %,d B", size), "epoll", "MiB/s", "epoll", size / 10.0);
        }
        Document page = page(given.written());
        assertThat(elements(page, "polyline")).hasSize(1);
        assertThat(texts(page, "text")).contains("64", "4 Ki", "32 Ki", "bytes", "MiB/s");
    }

    @Test
    void overviewIsADrawingOfItsOwn() throws Exception {
        Path written = new GivenReport(directory).section("round-trips", null)
                .figure("round trip, 64 B", "rdma-adaptive", "p50 us", "epoll", 2, 4, 3)
                .figure("round trip, 64 B", "epoll", "p50 us", "epoll", 10, 10, 12).written();
        Document svg = parse(Files.readString(written.resolve("overview.svg")));
        assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
        assertThat(texts(svg, "text")).contains("Round trips", "4.00");
        assertThat(texts(svg, "style").get(0)).contains("prefers-color-scheme:dark");
    }

    @Test
    void otherWorkOnTheMachineIsReported() throws Exception {
        Path written = new GivenReport(directory).section("round-trips", null).machine("processors", "2")
                .machine("load before, after", "1.5, 3.0").figure("x, 64 B", "rdma-adaptive", "p50 us", "epoll", 2)
                .figure("x, 64 B", "epoll", "p50 us", "epoll", 2).written();
        assertThat(texts(page(written), "p")).anyMatch(text -> text.contains("its load was 1.5 before"));
        assertThat(texts(parse(Files.readString(written.resolve("overview.svg"))), "text")).anyMatch(
                text -> text.endsWith("beside other work (load 1.5)"));
    }

    private static Document page(Path written) throws Exception {
        return parse(Files.readString(written.resolve("index.html")).replace("<!DOCTYPE html>", ""));
    }

    /** Fails if the text is no XML. */
    private static Document parse(String text) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(text)));
    }

    private static List<Element> elements(Document document, String tag) {
        NodeList all = document.getElementsByTagName(tag);
        return IntStream.range(0, all.getLength()).mapToObj(i -> (Element) all.item(i)).toList();
    }

    private static List<String> texts(Document document, String tag) {
        List<String> texts = new ArrayList<>();
        elements(document, tag).forEach(each -> texts.add(each.getTextContent()));
        return texts;
    }
}
