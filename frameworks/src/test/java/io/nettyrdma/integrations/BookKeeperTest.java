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
package io.nettyrdma.integrations;

import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.LedgerEntry;
import org.apache.bookkeeper.client.LedgerHandle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** BookKeeper: a ledger with entries of many sizes, and a bookie that goes. */
@Tag("device")
@Tested(BookKeeper.class)
@CallsNioByName("org.apache.bookkeeper.")
class BookKeeperTest {

    private static final int ENTRIES = 200;
    private static final int SMALL = 3_000;
    private static final int LARGE = 1 << 20;
    private static final byte[] PASSWORD = { 1 };

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void entries(Carrier carrier, @TempDir Path directory) throws Exception {
        try (BookKeeperProgram program = new BookKeeperProgram(carrier, directory)) {
            LedgerHandle ledger = ledger(program);
            List<byte[]> written = new ArrayList<>();
            List<CompletableFuture<Long>> answers = new ArrayList<>();
            for (int i = 0; i < ENTRIES; i++) {
                written.add(random.next(i == ENTRIES / 2 ? LARGE : 1 + i * SMALL / ENTRIES));
                answers.add(ledger.appendAsync(written.get(i)));
            }
            for (int i = 0; i < ENTRIES; i++) {
                assertThat(Waiting.get(answers.get(i))).isEqualTo(i);
            }
            Enumeration<LedgerEntry> read = ledger.readEntries(0, ENTRIES - 1L);
            for (int i = 0; i < ENTRIES; i++) {
                assertThat(read.nextElement().getEntry()).as("entry %d", i).isEqualTo(written.get(i));
            }
            ledger.close();
        }
    }

    /** There is no other that could have the ledger. */
    @EachCarrier
    void bookieGone(Carrier carrier, @TempDir Path directory) throws Exception {
        try (BookKeeperProgram program = new BookKeeperProgram(carrier, directory)) {
            LedgerHandle ledger = ledger(program);
            ledger.addEntry(random.next(SMALL));
            program.stopBookie();
            assertThatThrownBy(() -> ledger.addEntry(random.next(SMALL))).isInstanceOf(BKException.class);
        }
    }

    private static LedgerHandle ledger(BookKeeperProgram program) throws Exception {
        return program.client().createLedger(1, 1, 1, BookKeeper.DigestType.CRC32C, PASSWORD);
    }
}
