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
package io.nettyrdma.verbs;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The numbers of {@code infiniband/verbs.h}, written down again: they are a kernel ABI and never change. */
class VerbsNumbersTest {

    /** {@code enum ibv_wc_status}, from IBV_WC_SUCCESS on. */
    private static final WorkCompletionStatus[] STATUSES = {
            /*  0 SUCCESS */ WorkCompletionStatus.SUCCESS,
            /*  1 LOC_LEN_ERR */ WorkCompletionStatus.LOCAL_LENGTH_ERROR,
            /*  2 LOC_QP_OP_ERR */ WorkCompletionStatus.LOCAL_QUEUE_PAIR_OPERATION_ERROR,
            /*  3 LOC_EEC_OP_ERR */ WorkCompletionStatus.LOCAL_EE_CONTEXT_OPERATION_ERROR,
            /*  4 LOC_PROT_ERR */ WorkCompletionStatus.LOCAL_PROTECTION_ERROR,
            /*  5 WR_FLUSH_ERR */ WorkCompletionStatus.FLUSHED,
            /*  6 MW_BIND_ERR */ WorkCompletionStatus.MEMORY_WINDOW_BIND_ERROR,
            /*  7 BAD_RESP_ERR */ WorkCompletionStatus.BAD_RESPONSE,
            /*  8 LOC_ACCESS_ERR */ WorkCompletionStatus.LOCAL_ACCESS_ERROR,
            /*  9 REM_INV_REQ_ERR */ WorkCompletionStatus.REMOTE_INVALID_REQUEST,
            /* 10 REM_ACCESS_ERR */ WorkCompletionStatus.REMOTE_ACCESS_ERROR,
            /* 11 REM_OP_ERR */ WorkCompletionStatus.REMOTE_OPERATION_ERROR,
            /* 12 RETRY_EXC_ERR */ WorkCompletionStatus.TRANSPORT_RETRY_EXCEEDED,
            /* 13 RNR_RETRY_EXC_ERR */ WorkCompletionStatus.RNR_RETRY_EXCEEDED,
            /* 14 LOC_RDD_VIOL_ERR */ WorkCompletionStatus.LOCAL_RDD_VIOLATION,
            /* 15 REM_INV_RD_REQ_ERR */ WorkCompletionStatus.REMOTE_INVALID_RD_REQUEST,
            /* 16 REM_ABORT_ERR */ WorkCompletionStatus.REMOTE_ABORTED,
            /* 17 INV_EECN_ERR */ WorkCompletionStatus.INVALID_EE_CONTEXT_NUMBER,
            /* 18 INV_EEC_STATE_ERR */ WorkCompletionStatus.INVALID_EE_CONTEXT_STATE,
            /* 19 FATAL_ERR */ WorkCompletionStatus.FATAL,
            /* 20 RESP_TIMEOUT_ERR */ WorkCompletionStatus.RESPONSE_TIMEOUT,
            /* 21 GENERAL_ERR */ WorkCompletionStatus.GENERAL_ERROR,
            /* 22 TM_ERR */ WorkCompletionStatus.TAG_MATCHING_ERROR,
            /* 23 TM_RNDV_INCOMPLETE */ WorkCompletionStatus.TAG_MATCHING_RENDEZVOUS_INCOMPLETE,
    };

    /** {@code enum ibv_event_type}, from IBV_EVENT_CQ_ERR on. */
    private static final AsyncEventType[] EVENTS = {
            /*  0 CQ_ERR */ AsyncEventType.COMPLETION_QUEUE_ERROR,
            /*  1 QP_FATAL */ AsyncEventType.QUEUE_PAIR_FATAL,
            /*  2 QP_REQ_ERR */ AsyncEventType.QUEUE_PAIR_REQUEST_ERROR,
            /*  3 QP_ACCESS_ERR */ AsyncEventType.QUEUE_PAIR_ACCESS_ERROR,
            /*  4 COMM_EST */ AsyncEventType.COMMUNICATION_ESTABLISHED,
            /*  5 SQ_DRAINED */ AsyncEventType.SEND_QUEUE_DRAINED,
            /*  6 PATH_MIG */ AsyncEventType.PATH_MIGRATED,
            /*  7 PATH_MIG_ERR */ AsyncEventType.PATH_MIGRATION_ERROR,
            /*  8 DEVICE_FATAL */ AsyncEventType.DEVICE_FATAL,
            /*  9 PORT_ACTIVE */ AsyncEventType.PORT_ACTIVE,
            /* 10 PORT_ERR */ AsyncEventType.PORT_ERROR,
            /* 11 LID_CHANGE */ AsyncEventType.LID_CHANGE,
            /* 12 PKEY_CHANGE */ AsyncEventType.PARTITION_KEY_CHANGE,
            /* 13 SM_CHANGE */ AsyncEventType.SUBNET_MANAGER_CHANGE,
            /* 14 SRQ_ERR */ AsyncEventType.SHARED_RECEIVE_QUEUE_ERROR,
            /* 15 SRQ_LIMIT_REACHED */ AsyncEventType.SHARED_RECEIVE_QUEUE_LIMIT_REACHED,
            /* 16 QP_LAST_WQE_REACHED */ AsyncEventType.QUEUE_PAIR_LAST_RECEIVE_REACHED,
            /* 17 CLIENT_REREGISTER */ AsyncEventType.CLIENT_REREGISTER,
            /* 18 GID_CHANGE */ AsyncEventType.GID_CHANGE,
            /* 19 WQ_FATAL */ AsyncEventType.WORK_QUEUE_FATAL,
    };

    @Test
    void statuses() {
        for (int number = 0; number < STATUSES.length; number++) {
            assertThat(WorkCompletionStatus.of(number)).as("status %d", number).isEqualTo(STATUSES[number]);
        }
        assertThat(WorkCompletionStatus.of(24)).isEqualTo(WorkCompletionStatus.GENERAL_ERROR);
        assertThat(WorkCompletionStatus.of(255)).isEqualTo(WorkCompletionStatus.GENERAL_ERROR);
        assertThat(WorkCompletionStatus.values()).hasSameSizeAs(STATUSES);
    }

    @Test
    void statusMeaningsAreDistinct() {
        assertThat(WorkCompletionStatus.values()).extracting(WorkCompletionStatus::meaning)
                .doesNotHaveDuplicates().noneMatch(String::isBlank);
    }

    @Test
    void asynchronousEvents() {
        for (int number = 0; number < EVENTS.length; number++) {
            assertThat(AsyncEventType.of(number)).as("event %d", number).isEqualTo(EVENTS[number]);
        }
        assertThat(AsyncEventType.of(20)).isEqualTo(AsyncEventType.UNKNOWN);
        assertThat(AsyncEventType.of(-1)).isEqualTo(AsyncEventType.UNKNOWN);
        assertThat(AsyncEventType.of(Integer.MAX_VALUE)).isEqualTo(AsyncEventType.UNKNOWN);
    }

    /** {@code enum ibv_wc_opcode}; this binding never posts requests that complete with 5 to 127, or 130 and above. */
    @Test
    void opcodesOfCompletions() {
        for (int number = 0; number < 256; number++) {
            WorkCompletionOpcode expected = switch (number) {
            case 0 -> WorkCompletionOpcode.SEND;
            case 1 -> WorkCompletionOpcode.RDMA_WRITE;
            case 2 -> WorkCompletionOpcode.RDMA_READ;
            case 3 -> WorkCompletionOpcode.COMPARE_AND_SWAP;
            case 4 -> WorkCompletionOpcode.FETCH_AND_ADD;
            case 128 -> WorkCompletionOpcode.RECEIVE;
            case 129 -> WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE;
            default -> WorkCompletionOpcode.OTHER;
            };
            assertThat(WorkCompletionOpcode.of(number)).as("opcode %d", number).isEqualTo(expected);
            assertThat(expected.isReceive()).isEqualTo(number == 128 || number == 129);
        }
    }

    /** {@code enum ibv_wr_opcode}. */
    @Test
    void opcodesOfSends() {
        assertThat(SendOpcode.values()).containsExactly(SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMMEDIATE,
                SendOpcode.SEND, SendOpcode.SEND_WITH_IMMEDIATE, SendOpcode.RDMA_READ, SendOpcode.COMPARE_AND_SWAP,
                SendOpcode.FETCH_AND_ADD);
        assertThat(SendOpcode.values()).extracting(opcode -> opcode.number).containsExactly(0, 1, 2, 3, 4, 5, 6);
        assertThat(SendOpcode.values()).extracting(opcode -> opcode.bit).containsExactly(1, 2, 4, 8, 16, 32, 64);
    }

    /** {@code enum ibv_qp_type}. */
    @Test
    void typesOfQueuePairs() {
        assertThat(QueuePairType.RC.number()).isEqualTo(2);
        assertThat(QueuePairType.RC.opcodes()).isEqualTo(127);
        assertThat(QueuePairType.UD.number()).isEqualTo(4);
        assertThat(QueuePairType.UD.opcodes()).isEqualTo(4 | 8);
    }

    /** {@code enum ibv_transport_type}: unknown is -1. */
    @Test
    void transports() {
        assertThat(RdmaDeviceInfo.Transport.of(0)).isEqualTo(RdmaDeviceInfo.Transport.INFINIBAND);
        assertThat(RdmaDeviceInfo.Transport.of(1)).isEqualTo(RdmaDeviceInfo.Transport.IWARP);
        assertThat(RdmaDeviceInfo.Transport.of(4)).isEqualTo(RdmaDeviceInfo.Transport.OTHER);
        assertThat(RdmaDeviceInfo.Transport.of(-1)).isEqualTo(RdmaDeviceInfo.Transport.OTHER);
    }
}
