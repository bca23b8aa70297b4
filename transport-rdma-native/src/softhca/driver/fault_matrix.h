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

/*
 * The files of the fault matrix: functions that all cases use, and the cases, grouped by what fails. fault_matrix.c
 * says what each must cause.
 */
#ifndef FAULT_MATRIX_H
#define FAULT_MATRIX_H

#include "support.h"

#define DEPTH	64
#define SIZE	256u	/* bytes of a message */

/* One end of a connection. Its memory: DEPTH messages to send, DEPTH received, a word for atomics. */
struct end {
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct d_address address;
	uint8_t sent[DEPTH][SIZE];
	uint8_t received[DEPTH][SIZE];
	uint64_t word;
	uint64_t old[DEPTH];
};

extern struct end ends[2];
extern struct ibv_context *context;
extern struct ibv_pd *pd;
extern uint64_t current_seed;

extern const struct d_timers quick;
extern const struct d_timers hasty;
extern const struct d_timers never;	/* gives up at the first RNR */

/* ---- fault_matrix_ends.c ---- */

void open_device(void);
void close_device(void);
void make_end(struct end *end, int cqe);
void destroy_end(struct end *end);
void make_ends(const struct d_timers *timers);
/* Checks that nothing is left in their queues. */
void destroy_ends(void);
int post_receive(struct end *end, uint32_t slot);
int post_send(struct end *end, uint32_t message);
/* Adds 1 to the word of the target. */
int post_add(struct end *end, struct end *target, uint32_t message);

void expect_completion(struct ibv_cq *cq, uint64_t wr_id, enum ibv_wc_status status);
void expect_content(const struct end *end, uint32_t message);
/* Expects the completion, and the content. */
void expect_message(struct end *end, uint32_t message);
/* Expects these receives to be still posted: moves the queue pair into the error state, which flushes them. */
void expect_receives_left(struct end *end, uint32_t first, uint32_t count);
/*
 * Expects the completions of DEPTH requests: successes in order, then one with that status, then flushes. Returns the
 * number of successes.
 */
uint32_t expect_break(struct ibv_cq *cq, enum ibv_wc_status status);
void expect_async(enum ibv_event_type type);
/* Expects both, in any order. */
void expect_async_both(enum ibv_event_type one, enum ibv_event_type other);
/* Turns off all earlier faults, and sets these. The format may have one %llu, for the number. */
void faults(const char *format, uint64_t number);
/* Calls run in a process of its own, and waits for its end. */
void run_alone(void (*run)(int fd));

/* ---- fault_matrix_delivery.c: packets are lost or late, or find no receive ---- */

void drop(void);
void drop_one(void);
void delay(void);
void receiver_not_ready(void);
void drop_and_delay_and_not_ready(void);
void drop_all(void);
void never_ready(void);
void no_receive(void);
void retries_are_counted(void);

/* ---- fault_matrix_device.c: a resource of the device is full, refused or down ---- */

void overrun(void);
void real_overrun(void);
void registration(void);
void port(void);

/* ---- fault_matrix_peer.c: the peer is lost or killed ---- */

void lose(void);
void killed_process(void);

/* ---- fault_matrix_cm.c: rdma_cm messages are lost, a connected process is killed ---- */

void killed_connection(void);
void lost_message(void);
void repeated_message(void);
void late_message(void);
void lost_messages(void);

/* ---- fault_matrix_removal.c: the device is removed ---- */

void removal(void);
void removal_of_ids(void);

#endif
