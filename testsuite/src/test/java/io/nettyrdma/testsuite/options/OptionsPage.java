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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The page docs/options.md. Values and ranges are those of the classes, words are those of the comments beside them.
 *
 * <pre>
 *   OptionsPage            writes the page
 *   OptionsPage --check    fails if that would change it
 * </pre>
 */
public final class OptionsPage {

    static final Path FILE = ProjectTree.directory("docs").resolve("options.md");

    private final MarkdownPage page = new MarkdownPage();

    private OptionsPage() {
    }

    public static void main(String[] arguments) throws IOException {
        String text = text();
        if (!Arrays.asList(arguments).contains("--check")) {
            Files.writeString(FILE, text);
        } else if (!text.equals(Files.readString(FILE))) {
            throw new IllegalStateException(FILE + " is not what bin/options would write: run it");
        }
    }

    static String text() {
        OptionsPage options = new OptionsPage();
        options.write();
        return options.page.toString();
    }

    private void write() {
        page.heading(1, "Options");
        page.paragraph("""
                All options of channels, loops and the allocator, all system properties and environment variables, with
                their defaults and ranges. `bin/options` writes this page from the code; a test compares the two.""");
        page.code("""
                new ServerBootstrap().group(loops).channel(RdmaServerChannel.class)
                        .option(RdmaChannelOption.MAX_ACCEPTING, 256)
                        .childOption(RdmaChannelOption.MAX_WINDOW, 256);
                """);
        page.paragraph("""
                A value out of range is refused by an `IllegalArgumentException` that names the option and the range. An
                option that is fixed already is refused by an `IllegalStateException`. Netty's bootstraps log either
                one; newer versions of Netty 4.2 also close the channel. A property with a value that is out of range
                fails where it is first read.""");
        settings("RDMA channels", """
                `RdmaChannelOption`, for `RdmaChannel` and, where it says so, `RdmaServerChannel`. A child of a server
                has its queue pair before the application sees it: set its options by `childOption`.""",
                Settings.channel());
        settings("RDMA or TCP", """
                `RdmaOrTcpOption`, for `RdmaOrTcpChannel` and `RdmaOrTcpServerChannel`, which also have the options of
                the transports that they use ([one port](one-port.md)).""", Settings.eitherChannel());
        settings("Datagram channels", """
                `RdmaDatagramChannelOption`, for `RdmaDatagramChannel` and `EfaDatagramChannel`.""",
                Settings.datagramChannel());
        settings("EFA channels", """
                `EfaChannelOption`, for `EfaDatagramChannel`, which also has the options of datagram channels
                ([EFA](efa.md)).""", Settings.efaChannel());
        StandardOptions.all().forEach(this::standard);
        settings("Loops", """
                `RdmaIoHandlerConfig`, given to `RdmaIoHandler.newFactory`. `withSpin` sets `spin`, and so on;
                `withSelect` and `withCompletionQueue` set two each.""", Settings.loop());
        settings("Allocator", """
                `RdmaByteBufAllocator.builder()`. Set [system properties](#system-properties) for the default
                allocator.""", Settings.allocator());
        properties();
        environment();
        agent();
    }

    private void settings(String title, String introduction, List<Setting> settings) {
        page.heading(2, title);
        page.paragraph(introduction);
        page.table(List.of("option", "type", "default", "range and unit", "can be changed"), settings.stream()
                .map(each -> List.of("[`" + each.name() + "`](#" + page.nextAnchor(each.name()) + ')',
                        each.type().getSimpleName(), each.defaultText(), each.range(), each.change())).toList());
        for (Setting each : settings) {
            page.heading(3, '`' + each.name() + '`');
            page.paragraph(each.comment().text());
            page.paragraph("*When to change it*: " + each.advice() + '.');
        }
    }

    private void standard(StandardOptions options) {
        page.heading(2, options.title());
        page.table(List.of("option", "default", "meaning"), options.rows().stream()
                .map(row -> List.of('`' + row.name() + '`', row.initial(), row.meaning())).toList());
    }

    private void properties() {
        page.heading(2, "System properties");
        page.paragraph("""
                Each is read when the transport first needs it, and later changes have no effect. Set them on the
                command line, or before the first use of the transport. Those of `io.nettyrdma.verbs` switch off a
                capability that a device has, to use its fallback.""");
        page.table(List.of("property", "default", "values", "meaning"), Property.all().stream()
                .map(each -> List.of('`' + each.name() + '`', each.initial(), each.values(), each.text())).toList());
    }

    private void environment() {
        page.heading(2, "Environment variables");
        page.paragraph("""
                The transport itself reads none. The [software device](softhca.md) reads these once, when it is first
                used.""");
        page.table(List.of("variable", "default", "meaning"), environmentRows());
    }

    static List<List<String>> environmentRows() {
        return MarkdownPage.rowsOf(SourceComment.read("docs/softhca.md"), "softhca.md", "Environment");
    }

    private void agent() {
        page.heading(2, "Options of the agent");
        page.paragraph("They follow the name of the jar, separated by commas: [the agent](agent.md#options).");
        page.table(List.of("option", "meaning"), agentRows());
    }

    static List<List<String>> agentRows() {
        return new ArrayList<>(MarkdownPage.rowsOf(SourceComment.read("docs/agent.md"), "agent.md", "Options"));
    }
}
