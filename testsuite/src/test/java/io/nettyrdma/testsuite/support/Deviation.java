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
package io.nettyrdma.testsuite.support;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Behaviour of a kernel driver that deviates from the specification. A test asserts the rest, or is skipped by {@link
 * #assumeNotHere}. docs/drivers.md lists each of these with the lines of the driver.
 */
public enum Deviation {

    /** A queue pair's failure is reported only by its completions. */
    RXE_REPORTS_NO_QUEUE_PAIR(Driver.RXE),
    /** Completion statuses of failures differ. */
    RXE_STATUSES(Driver.RXE),
    /** Flushed receives do not wake a waiter for solicited completions. */
    RXE_FLUSHES_RECEIVES_UNSOLICITED(Driver.CURRENT_RXE),
    /** Regions of more than 1 GiB are refused. */
    RXE_HAS_NO_LARGE_REGIONS(Driver.CURRENT_RXE),

    /** Local failures complete as LOC_QP_OP_ERR and GENERAL_ERR. */
    SIW_STATUSES(Driver.SIW),
    SIW_FLUSHES_ONLY_SIGNALED_SENDS(Driver.SIW),
    SIW_STAYS_READY_AFTER_LOCAL_FAILURES(Driver.SIW),
    /** A request that is posted after the end of the connection is accepted and never completes. */
    SIW_KEEPS_LATE_POSTS(Driver.SIW, "swallow"),
    SIW_IGNORES_ACCESS_OF_QUEUE_PAIRS(Driver.SIW),
    SIW_IGNORES_REMOTE_READ_ACCESS(Driver.SIW),
    SIW_HAS_NO_SOLICITED_EVENTS(Driver.SIW),
    SIW_REPORTS_NO_UNKNOWN_KEY(Driver.SIW),
    SIW_CONNECTS_QUEUE_PAIRS_ONCE(Driver.SIW),
    SIW_ACCEPTS_WHO_HAS_LEFT(Driver.SIW),
    SIW_REFUSES_BEYOND_THE_BACKLOG(Driver.SIW),
    /** No end answers a request that a closed listener has not taken: the client's handshake ends after 10 s. */
    SIW_FORGETS_REQUESTS_OF_CLOSED_LISTENERS(Driver.SIW),
    SIW_HAS_FEW_QUEUES(Driver.SIW),
    SIW_ANSWERS_NO_QUERY_OF_SHARED_QUEUES(Driver.SIW),
    SIW_HAS_A_SMALL_MOST_MTU(Driver.SIW);

    private enum Driver {
        RXE(0xffffff, 0),
        /** Linux 7 has it, 6.1 does not; the first affected version is unknown. */
        CURRENT_RXE(0xffffff, 7),
        SIW(0x626d74, 0);

        private final int vendorId;
        private final int linux;

        Driver(int vendorId, int linux) {
            this.vendorId = vendorId;
            this.linux = linux;
        }

        private boolean isHere() {
            int running = Integer.parseInt(System.getProperty("os.version").split("\\D", 2)[0]);
            return TestDevice.get().device().limits().vendorId() == vendorId && running >= linux;
        }
    }

    private final Driver driver;
    /** The fault that makes the software device behave in the same way. */
    private final String fault;

    Deviation(Driver driver) {
        this(driver, "none");
    }

    Deviation(Driver driver, String fault) {
        this.driver = driver;
        this.fault = fault;
    }

    /** Whether the device under test uses that driver or emulates the deviation. */
    public boolean isHere() {
        return SoftHca.isAlways(fault) || driver.isHere();
    }

    /** Skips the test on a device that deviates. */
    public void assumeNotHere() {
        assumeFalse(isHere(), this + ": docs/drivers.md");
    }
}
