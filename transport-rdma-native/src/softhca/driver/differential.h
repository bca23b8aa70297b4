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
 * The files of the differential test, and the model that they share: the requests posted at either side in this round,
 * and their expected results. differential.c describes a round.
 */
#ifndef DIFFERENTIAL_H
#define DIFFERENTIAL_H

#include "differential_end.h"

#define STATIC_SIZE	(80u << 10)	/* never written: for reads */
#define ATOMICS_AT	STATIC_SIZE
#define SHARED_WORD	ATOMICS_AT	/* every pair adds to this one; word 1 + pair belongs to a pair */
#define DYNAMIC_AT	(STATIC_SIZE + 4096)
#define ELEMENTS_ROOM	320u		/* the most bytes of the arena between the SGEs of one list */
#define MAX_POSTED	1024		/* in each queue, per round */
#define MAX_INLINE	256u
#define SHARED_RECEIVE	1024u		/* bytes of every receive in the shared queue */
#define RECEIVE_BIT	(1ull << 63)	/* in a wr_id */

struct send {
	struct work work;
	uint32_t length;
	uint8_t *bytes;		/* expected at the target, or in the sink of a read or atomic; NULL: unknown */
	bool takes_receive;
	bool signaled;
	uint32_t message;	/* its number among the messages that the peer receives */
	uint32_t reserved;	/* bytes reserved in the peer's arena, if no receive waits for it */
	enum ibv_wc_status status;
};

struct receive {
	struct work work;
	uint32_t length;
	enum ibv_wc_status status;
	bool completed;
};

/* One queue pair of one side. */
struct flow {
	struct send sends[MAX_POSTED];
	uint32_t posted;
	uint32_t completed;	/* sends before it have been polled, or precede one that was: their entries are free */
	uint32_t unsignaled;
	struct receive receives[MAX_POSTED];
	uint32_t receives_posted;
	uint32_t receives_completed;
	uint32_t inbound[MAX_POSTED];	/* messages for this side: indices into the peer's sends */
	uint32_t inbound_count;
	uint32_t inbound_completed;
	uint32_t written_at;	/* a range of the peer's arena that this queue pair wrote in this round */
	uint32_t written_length;
};

enum armed { NOT_ARMED, ARMED_SOLICITED, ARMED_ALL };

struct side {
	struct flow flows[PAIRS];
	struct receive shared[MAX_POSTED];
	uint32_t shared_posted;
	uint32_t shared_completed;
	uint8_t *actual;
	uint8_t *expected;
	uint32_t used;		/* bytes of the arena */
	uint32_t reserved;	/* bytes of the rest, reserved for receives that messages wait for */
	enum armed armed;
	bool event_due;
	struct end_info info;
	struct end *end;	/* NULL: it is in the other process */
};

extern struct side sides[2];
extern struct d_random chance;
extern struct d_random poll_chance;	/* for polls: their number depends on timing, and must not affect chance */
extern uint64_t seed;
extern uint64_t round_number;
extern bool lossy;
extern uint64_t operations;
extern uint64_t completions;
extern uint64_t violations;

/* ---- differential_sides.c: where the ends live ---- */

/* Opens and connects an end for each side, in one process or two. */
void open_sides(uint64_t processes);
void close_sides(void);
void connect_sides(uint32_t pair);
struct reply run(int side, const struct command *command);
struct reply run_simple(int side, enum command_kind kind, uint32_t pair);

/* ---- differential_memory.c: the actual and the expected content of the arenas ---- */

/*
 * Orders the other process's writes to this memory for ThreadSanitizer. A thread of the device makes them, and the
 * messages between the two processes do not order that thread; each queue pair's lock does.
 */
void order_memory(int side);
/* Frees everything that take_room and take_payload returned. */
void reset_memory(void);
bool has_room(int side, uint32_t length);
uint32_t take_room(int side, uint32_t length);
/* Returns room for the bytes of a message. */
uint8_t *take_payload(uint32_t length);
void set_memory(int side, uint32_t at, const void *bytes, uint32_t length);
void expect_memory(int side, uint32_t at, const void *bytes, uint32_t length);
void check_memory(int side, uint32_t at, const void *bytes, uint32_t length);
void compare_memory(int side);
/* Makes the actual bytes the expected ones. */
void adopt_actual(int side, uint32_t at, uint32_t length);
/* Calls with for each part of the bytes that goes into an SGE of the list, after the first skip bytes of the list. */
void scatter(int side, const struct work *work, uint32_t skip, const uint8_t *bytes, uint32_t length,
	     void (*with)(int side, uint32_t at, const void *bytes, uint32_t length));

/* ---- differential_model.c: the posted requests, and what they wait for ---- */

bool is_there(uint32_t pair);
struct flow *flow_of(int side, uint32_t pair);
bool is_atomic(uint32_t opcode);
bool is_send(uint32_t opcode);
bool takes_receive(uint32_t opcode);
uint64_t wr_id_of(bool receive, uint32_t pair, uint32_t index);
/* Adds a send to the model: from now on its completion is expected. */
struct send *add_send(int side, uint32_t pair);
/* The send takes a receive of the peer that is posted, or will be. */
void add_inbound(int side, uint32_t pair, struct send *send);
uint32_t shared_messages(int side);
bool receive_waits(int side, uint32_t pair);
uint32_t free_sends(int side, uint32_t pair);
uint32_t free_receives(int side, uint32_t pair);
bool is_complete(int side, uint32_t pair);
void start_round(void);

/* ---- differential_plan.c: random requests, added to the model ---- */

/* Cuts fresh memory of the side into SGEs; most is the largest number of them. */
void take_elements(int side, struct work *work, uint32_t length, uint32_t most);
struct send *plan_send(int side, uint32_t pair, bool may_take_receive);
/* A request without bytes, and with a wrong Q_Key. */
struct send *plan_empty_send(int side, uint32_t pair, uint32_t opcode);
struct receive *plan_receive(int side, uint32_t pair);
void add_receive(int side, uint32_t pair, struct receive *receive, uint32_t length, uint32_t index);

/* ---- differential_post.c ---- */

/* Requests that have no room are refused; the extended functions then refuse all of them. */
void post_sends(int side, uint32_t pair, uint32_t count);
void post_receives(int side, uint32_t pair, uint32_t count);
/* All of it must be accepted. */
void post_all(int side, const struct command *command);
void post_one(int side, uint32_t pair, const struct work *work, bool extended);
/* Posts what no device accepts: the post returns EINVAL and names the request, which has no effect. */
void post_refused(int side, uint32_t pair);

/* ---- differential_completion.c ---- */

/* Compares the completions with the model. Returns their number. */
uint32_t poll_some(int side, uint32_t cq, uint32_t count);
void poll_all(void);
void poll_until_complete(void);

/* ---- differential_round.c ---- */

void do_round(void);
void arm(void);
void compare(void);

/* ---- differential_violation.c ---- */

void violate(void);

#endif
