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
 * One end of the differential test: a device, its objects, and a function that carries out commands on
 * them. It does not know what should happen; the model does (differential.h). Commands and replies are plain
 * data, because the end may be in another process. They name memory by its offset in the end's arena, which
 * both processes see.
 *
 *    pair  type  queues                       send CQ  receive CQ  API
 *     0    RC    its own                         0         0       classic
 *     1    RC    its own                         1         1       extended where there is one
 *     2    RC    shared receive queue            0         0       classic
 *     3    RC    shared, all sends signaled      0         1       extended where there is one
 *     4    RC    its own, four deep              1         0       classic
 *     5    UD    its own                         0         1       extended where there is one
 */
#ifndef DIFFERENTIAL_END_H
#define DIFFERENTIAL_END_H

#include "support.h"

#define PAIRS		6
#define UD_PAIR		5
#define CQS		2
#define MAX_SGE		4
#define MAX_BATCH	8
#define MAX_POLLED	16
#define SRQ_DEPTH	64
#define ARENA		(512u << 10)	/* small, so that all its registrations fit a usual ulimit -l */
#define GRH_SIZE	40

/* The arena is registered once for each of these, with these rights. */
enum key {
	KEY_FULL,
	KEY_LOCAL,		/* local write only */
	KEY_READ_ONLY,		/* local read only */
	KEY_NO_WRITE,		/* all but remote write */
	KEY_NO_READ,		/* all but remote read */
	KEY_NO_ATOMIC,
	KEY_OTHER_PD,		/* everything, in another protection domain */
	KEY_REGISTERED,
	KEY_INVALID = KEY_REGISTERED,	/* a number that is not a key */
	KEYS,
};

struct element {
	uint32_t offset;
	uint32_t length;
	uint32_t key;
};

/* A work request for either queue. */
struct work {
	uint64_t wr_id;
	uint32_t opcode;	/* enum ibv_wr_opcode */
	uint32_t flags;		/* enum ibv_send_flags */
	uint32_t num_sge;
	struct element sges[MAX_SGE + 1];	/* one more, for lists that must be refused */
	uint64_t remote_offset;
	uint32_t remote_key;
	uint32_t immediate;
	uint64_t operands[2];
	uint32_t qkey;
};

struct completion {
	uint64_t wr_id;
	uint32_t status;
	uint32_t opcode;
	uint32_t pair;
	uint32_t byte_len;
	uint32_t flags;
	uint32_t immediate;
	uint32_t src_qp;
};

/* How a device, or its library, deviates from the specification of RoCE: docs/drivers.md. differential_device.c */
struct deviations {
	bool connected_by_cm;		/* nothing else can connect */
	bool success_is_hand_over;	/* a send completes before the peer has it */
	bool receives_need_memory;	/* even for messages without bytes */
	bool needs_receives;		/* a message that finds no receive is not repeated, or must not be */
	bool fails_its_own_way;		/* other statuses and events, which Java tests check one by one */
	bool classic_only;		/* its library's extended functions are broken: nrdma_soft_roce.h */
	bool always_grh;		/* it reports one for every receive */
	bool takes_nonsense;		/* it refuses no post that has room */
	bool has_more_room;		/* its queues are deeper than it reports */
	bool has_no_solicited_events;
	bool reads_stall;		/* sometimes a read, and what follows it, never completes */
	bool fences_stall;		/* the same for a fenced request that is repeated while a read is in flight */
	bool repeats_wrongly;		/* a request that is repeated may bring wrong bytes */
	bool spoils_short_sends;	/* those that cross a page boundary */
};

struct deviations end_deviations_of(struct ibv_context *context);

/* What the other end needs to know, and the model of both ends. */
struct end_info {
	uint64_t arena;
	uint32_t rkeys[KEYS];
	struct d_address addresses[PAIRS];
	struct ibv_qp_cap caps[PAIRS];
	bool has_pair[PAIRS];
	bool has_immediate;
	bool has_atomics;
	bool has_extended_cq;
	bool has_extended_qp;
	uint32_t max_sge_rd;
	uint16_t port;		/* for the peer to connect to */
	struct deviations deviations;
};

enum command_kind {
	DO_INFO,
	DO_CONNECT,		/* pair, peer; where only rdma_cm connects, then these four: differential_connect.h */
	DO_RESOLVE,		/* pair */
	DO_ANSWER,		/* pair */
	DO_SEND_FIRST,		/* pair */
	DO_RECEIVE_FIRST,	/* pair */
	DO_POST_SEND,		/* pair, works, extended */
	DO_POST_RECEIVE,	/* pair, works; goes into the shared queue for pairs that have it */
	DO_POLL,		/* cq, count, extended */
	DO_ARM,			/* solicited; completion queue 0 */
	DO_COMPLETION_EVENT,	/* wait: -> count 0 or 1 */
	DO_ASYNC_EVENT,		/* -> error is the event or -1, pair */
	DO_STATE,		/* pair -> error is the state */
	DO_FAIL,		/* pair: moves it into the error state */
	DO_RENEW,		/* pair, extended: destroys and creates it, else resets it */
	DO_QUIT,
};

struct command {
	enum command_kind kind;
	uint32_t pair;
	uint32_t cq;
	uint32_t count;
	bool extended;
	bool solicited;
	bool wait;
	struct work works[MAX_BATCH];
	struct end_info peer;
};

struct reply {
	int error;		/* the result of the call, made positive */
	uint32_t bad;		/* the index of the refused request; count when none was refused */
	uint32_t count;
	uint32_t pair;
	struct completion completions[MAX_POLLED];
	struct end_info info;
};

struct end;

/* seed: for packet numbers and the like. */
struct end *end_open(uint8_t *arena, uint64_t seed);
void end_close(struct end *end);
void end_execute(struct end *end, const struct command *command, struct reply *reply);
bool end_uses_srq(uint32_t pair);
uint32_t end_send_cq(uint32_t pair);
uint32_t end_recv_cq(uint32_t pair);
bool end_signals_all(uint32_t pair);

#endif
