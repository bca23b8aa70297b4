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
 * The files of the differential test, and the model that they share: what was posted at either side in this round, and
 * what must come of it. differential.c says how a round goes.
 */
#ifndef DIFFERENTIAL_H
#define DIFFERENTIAL_H

#include "differential_end.h"

#define STATIC_SIZE	(80u << 10)	/* bytes that nobody writes; reads come from here */
#define ATOMICS_AT	STATIC_SIZE
#define SHARED_WORD	ATOMICS_AT	/* every pair adds to this one; word 1 + pair belongs to a pair */
#define DYNAMIC_AT	(STATIC_SIZE + 4096)
#define PIECES_ROOM	320u		/* of the arena: what lies between the pieces of one list, at most */
#define MAX_POSTED	1024		/* of each queue in a round */
#define MAX_INLINE	256u
#define SHARED_RECEIVE	1024u		/* bytes of every receive in a shared queue */
#define RECEIVE_BIT	(1ull << 63)	/* of a wr_id */

struct send {
	struct work work;
	uint32_t length;
	uint8_t *bytes;		/* what must be at the target, or in the sink of a read or atomic; NULL: unknown */
	bool takes_receive;
	bool signaled;
	uint32_t message;	/* its number among what the peer receives */
	uint32_t promised;	/* bytes of the peer's arena, when no receive waits for it */
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
	uint32_t completed;	/* all before were polled, or lie before one that was: also what is free again */
	uint32_t unsignaled;
	struct receive receives[MAX_POSTED];
	uint32_t receives_posted;
	uint32_t receives_completed;
	uint32_t inbound[MAX_POSTED];	/* messages to come: indices into the peer's sends */
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
	uint32_t used;		/* of the arena */
	uint32_t promised;	/* of the rest: to receives for messages that wait for one */
	enum armed armed;
	bool event_due;
	struct end_info info;
	struct end *end;	/* NULL: in the other process */
};

extern struct side sides[2];
extern struct d_random chance;
extern struct d_random whim;	/* of polls: how many there are is a matter of time, and must not move the rest */
extern uint64_t seed;
extern uint64_t round_number;
extern bool lossy;
extern uint64_t operations;
extern uint64_t completions;
extern uint64_t violations;

/* ---- differential_sides.c: where the ends live ---- */

/* Ends for both sides, connected, in one process or two. */
void open_sides(uint64_t processes);
void close_sides(void);
void connect_sides(uint32_t pair);
struct reply run(int side, const struct command *command);
struct reply run_simple(int side, enum command_kind kind, uint32_t pair);

/* ---- differential_memory.c: what the arenas hold, and should ---- */

/*
 * What the other process writes here is written by a thread of the device, which has heard nothing of what the
 * two processes told each other: ThreadSanitizer sees no order. Through each queue pair's lock it does.
 */
void order_memory(int side);
/* Nothing of what take_room and take_payload gave is in use any more. */
void reset_memory(void);
bool has_room(int side, uint32_t length);
uint32_t take_room(int side, uint32_t length);
/* For the bytes of a message. */
uint8_t *take_payload(uint32_t length);
void set_memory(int side, uint32_t at, const void *bytes, uint32_t length);
void expect_memory(int side, uint32_t at, const void *bytes, uint32_t length);
void check_memory(int side, uint32_t at, const void *bytes, uint32_t length);
void compare_memory(int side);
/* Whatever is there is right. */
void believe(int side, uint32_t at, uint32_t length);
/* Calls it for each part of the bytes that goes into a piece of the list, behind those that are skipped. */
void scatter(int side, const struct work *work, uint32_t skip, const uint8_t *bytes, uint32_t length,
	     void (*with)(int side, uint32_t at, const void *bytes, uint32_t length));

/* ---- differential_model.c: what is posted, and waits for what ---- */

bool is_there(uint32_t pair);
struct flow *flow_of(int side, uint32_t pair);
bool is_atomic(uint32_t opcode);
bool is_send(uint32_t opcode);
bool takes_receive(uint32_t opcode);
uint64_t wr_id_of(bool receive, uint32_t pair, uint32_t index);
/* Enters it into the model: from now on its completion is expected. */
struct send *add_send(int side, uint32_t pair);
/* It takes a receive of the peer, one that is posted or will be. */
void add_inbound(int side, uint32_t pair, struct send *send);
uint32_t shared_messages(int side);
bool receive_waits(int side, uint32_t pair);
uint32_t free_sends(int side, uint32_t pair);
uint32_t free_receives(int side, uint32_t pair);
bool is_complete(int side, uint32_t pair);
void start_round(void);

/* ---- differential_plan.c: requests by chance, entered into the model ---- */

/* Cuts fresh memory of the side into at most so many pieces. */
void take_pieces(int side, struct work *work, uint32_t length, uint32_t most);
struct send *plan_send(int side, uint32_t pair, bool may_take_receive);
/* Without bytes, and with a Q_Key that is wrong. */
struct send *plan_empty_send(int side, uint32_t pair, uint32_t opcode);
struct receive *plan_receive(int side, uint32_t pair);
void add_receive(int side, uint32_t pair, struct receive *receive, uint32_t length, uint32_t index);

/* ---- differential_post.c ---- */

/* More than there is room for is refused from there on; by the extended functions as a whole. */
void post_sends(int side, uint32_t pair, uint32_t count);
void post_receives(int side, uint32_t pair, uint32_t count);
/* All of it is taken. */
void post_all(int side, const struct command *command);
void post_one(int side, uint32_t pair, const struct work *work, bool extended);
/* What no device takes: the answer is EINVAL, names the request, and nothing comes of it. */
void post_refused(int side, uint32_t pair);

/* ---- differential_completion.c ---- */

/* Compares what comes with the model; how many came. */
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
