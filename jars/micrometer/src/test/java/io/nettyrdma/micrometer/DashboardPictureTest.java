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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.xml.parsers.DocumentBuilderFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** The picture of docs/observability.md. */
class DashboardPictureTest {

    private static final String FILE = "dashboard.picture";
    private static final int SCRAPE_MILLIS = 250;
    /** Of each kind of traffic. */
    private static final int SECONDS = 10;
    private static final int SMALL = 64;
    private static final int LARGE = 1 << 20;
    /** More than a channel copies aside for its application. */
    private static final int UNREAD = 1 << 24;

    /** A step of the traffic, which is repeated for some seconds. */
    @FunctionalInterface
    private interface Step {

        void run() throws Exception;
    }

    @Test
    void pictureHasALineForEachSeriesThatIsNotZero() throws Exception {
        try (PrometheusEndpoint endpoint = new PrometheusEndpoint(); RdmaMeterBinder binder = new RdmaMeterBinder();
                EchoTraffic traffic = new EchoTraffic()) {
            binder.bindTo(endpoint.registry());
            Recording recording = new Recording();
            recording.add(endpoint.scrape());
            traffic.echo(SMALL, LARGE);
            recording.add(endpoint.scrape());
            String picture = DashboardPicture.draw(Dashboard.panels(), recording);
            assertThat(picture).contains("sent, gathered", "sent, inline", "received",
                    "registered, " + traffic.device());
            DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new ByteArrayInputStream(
                    picture.getBytes(StandardCharsets.UTF_8)));
        }
    }

    /**
     * Draws the picture again: small messages, large ones, connections, a reader that pauses. Run it by hand, with the
     * name of the file as a property.
     */
    @Test
    @EnabledIfSystemProperty(named = FILE, matches = ".+")
    void recordsAndDraws() throws Exception {
        Recording recording = new Recording();
        try (PrometheusEndpoint endpoint = new PrometheusEndpoint(); RdmaMeterBinder binder = new RdmaMeterBinder();
                EchoTraffic traffic = new EchoTraffic()) {
            binder.bindTo(endpoint.registry());
            Thread scraper = new Thread(() -> record(endpoint, recording), "scraper");
            scraper.start();
            List<Step> steps = List.of(() -> traffic.echo(SMALL, 0), () -> traffic.echo(0, LARGE),
                    () -> {
                        traffic.connectAndClose();
                        Thread.sleep(SCRAPE_MILLIS);
                    }, () -> {
                        traffic.pauseReading(true);
                        traffic.write(UNREAD);
                        Thread.sleep(4 * SCRAPE_MILLIS);
                        traffic.pauseReading(false);
                        Thread.sleep(SCRAPE_MILLIS);
                    });
            for (Step step : steps) {
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
                while (System.nanoTime() - end < 0) {
                    step.run();
                }
            }
            scraper.interrupt();
            scraper.join();
        }
        Files.writeString(Path.of(System.getProperty(FILE)), DashboardPicture.draw(Dashboard.panels(), recording));
    }

    private static void record(PrometheusEndpoint endpoint, Recording recording) {
        try {
            while (true) {
                recording.add(endpoint.scrape());
                Thread.sleep(SCRAPE_MILLIS);
            }
        } catch (InterruptedException e) {
            // The traffic has ended.
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
