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

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelConfig;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.channel.RdmaDatagramChannelConfig;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.channel.RdmaServerChannelConfig;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The options of Netty that a kind of channel has.
 *
 * @param title of its section.
 * @param config of a channel.
 * @param source of the class of the configuration; its comment has a table.
 */
record StandardOptions(String title, ChannelConfig config, String source) {

    /** Superseded by WRITE_BUFFER_WATER_MARK. */
    private static final Set<String> OLD = Set.of("WRITE_BUFFER_HIGH_WATER_MARK", "WRITE_BUFFER_LOW_WATER_MARK");

    /** An option, the value that it has by default, and its meaning. */
    record Row(String name, String initial, String meaning) { }

    static List<StandardOptions> all() {
        return List.of(
                of("Netty's options of `RdmaChannel`", new RdmaChannel().config(), RdmaChannelConfig.class),
                of("Netty's options of `RdmaServerChannel`", new RdmaServerChannel().config(),
                        RdmaServerChannelConfig.class),
                of("Netty's options of `RdmaDatagramChannel` and `EfaDatagramChannel`",
                        new RdmaDatagramChannel().config(), RdmaDatagramChannelConfig.class));
    }

    private static StandardOptions of(String title, ChannelConfig config, Class<?> type) {
        return new StandardOptions(title, config, SourceComment.source("transport-rdma", type.getName()));
    }

    /** In the order of the comment, which must name each option that the channel has. */
    List<Row> rows() {
        List<Row> rows = SourceComment.rows(source).stream().flatMap(row -> List.of(row[0].split(", ")).stream()
                .map(name -> new Row(name, initial(option(name)), row[1]))).toList();
        Set<String> described = new TreeSet<>();
        rows.forEach(row -> described.add(row.name()));
        Set<String> present = new TreeSet<>();
        config.getOptions().keySet().stream().map(ChannelOption::name).filter(name -> !name.startsWith("io.nettyrdma."))
                .map(name -> name.substring(name.indexOf('#') + 1)).filter(name -> !OLD.contains(name))
                .forEach(present::add);
        if (!described.equals(present)) {
            throw new IllegalStateException(config.getClass() + " has the options " + present
                    + ", and its comment describes " + described);
        }
        return rows;
    }

    private static ChannelOption<?> option(String name) {
        try {
            return (ChannelOption<?>) ChannelOption.class.getField(name).get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private String initial(ChannelOption<?> option) {
        Object value = config.getOption(option);
        if (option == ChannelOption.SO_BACKLOG) {
            return "`somaxconn` of the system";
        }
        if (value instanceof WriteBufferWaterMark mark) {
            return mark.low() + ", " + mark.high();
        }
        if (value instanceof ByteBufAllocator) {
            return '`' + value.getClass().getSimpleName() + '`';
        }
        if (value instanceof Integer || value instanceof Boolean) {
            return value.toString();
        }
        return value.getClass().getPackageName().startsWith("io.netty.") ? "Netty's" : "the transport's";
    }
}
