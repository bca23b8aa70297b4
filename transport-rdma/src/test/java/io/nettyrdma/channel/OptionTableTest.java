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
package io.nettyrdma.channel;

import io.netty.channel.ChannelOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class OptionTableTest {

    private static final class Config {

        private int backlog;
    }

    private final OptionTable<Config> table = new OptionTable<Config>()
            .with(ChannelOption.SO_BACKLOG, config -> config.backlog, (config, value) -> config.backlog = value)
            .withReadOnly(ChannelOption.SO_RCVBUF, config -> 2 * config.backlog)
            .withFixed(ChannelOption.SO_BROADCAST, false);
    private final Config config = new Config();

    @Test
    void optionsAreInTheOrderInWhichTheyWereAdded() {
        assertThat(table.options()).containsExactly(ChannelOption.SO_BACKLOG, ChannelOption.SO_RCVBUF,
                ChannelOption.SO_BROADCAST);
    }

    @Test
    void otherOptionIsNotInTheTable() {
        assertThat(table.has(ChannelOption.SO_BACKLOG)).isTrue();
        assertThat(table.has(ChannelOption.SO_LINGER)).isFalse();
    }

    @Test
    void valueIsThatOfTheConfiguration() {
        assertThat(table.set(config, ChannelOption.SO_BACKLOG, 7)).isTrue();
        assertThat(config.backlog).isEqualTo(7);
        assertThat(table.get(config, ChannelOption.SO_BACKLOG)).isEqualTo(7);
        assertThat(table.get(new Config(), ChannelOption.SO_BACKLOG)).isZero();
    }

    @Test
    void readOnlyOptionRefusesEveryValue() {
        config.backlog = 4;
        assertThat(table.get(config, ChannelOption.SO_RCVBUF)).isEqualTo(8);
        assertThat(table.set(config, ChannelOption.SO_RCVBUF, 8)).isFalse();
        assertThat(config.backlog).isEqualTo(4);
    }

    @Test
    void fixedOptionTakesItsOnlyValue() {
        assertThat(table.get(config, ChannelOption.SO_BROADCAST)).isFalse();
        assertThat(table.set(config, ChannelOption.SO_BROADCAST, false)).isTrue();
        assertThat(table.set(config, ChannelOption.SO_BROADCAST, true)).isFalse();
    }

    /** A caller that has erased the type can give any value: Netty's bootstraps do. */
    @Test
    @SuppressWarnings("unchecked")
    void valueOfAnotherTypeIsRefused() {
        ChannelOption<Object> erased = (ChannelOption<Object>) (ChannelOption<?>) ChannelOption.SO_BACKLOG;
        assertThatExceptionOfType(ClassCastException.class).isThrownBy(() -> table.set(config, erased, "7"));
    }

    @Test
    void numberOutOfRangeIsRefused() {
        assertThat(OptionTable.inRange(ChannelOption.SO_BACKLOG, 1, 1, 3)).isEqualTo(1);
        assertThat(OptionTable.inRange(ChannelOption.SO_BACKLOG, 3, 1, 3)).isEqualTo(3);
        for (int outside : new int[] { 0, 4, Integer.MIN_VALUE, Integer.MAX_VALUE }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> OptionTable.inRange(ChannelOption.SO_BACKLOG, outside, 1, 3))
                    .withMessage("SO_BACKLOG is " + outside + ", not within 1 to 3");
        }
    }
}
