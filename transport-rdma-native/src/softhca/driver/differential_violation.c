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
 * Misuses one pair, in one of many ways. Each has its statuses and events at both sides; all other posted requests are
 * flushed, and the pair is renewed.
 */
#include "differential.h"

#define SUCCESS IBV_WC_SUCCESS

uint64_t violations;

enum violated {
	WRITE_INVALID_KEY, WRITE_BOUNDS, WRITE_NO_RIGHT, WRITE_LOCAL_KEY, WRITE_OTHER_PD, WRITE_IMMEDIATE_INVALID_KEY,
	READ_BOUNDS, READ_NO_RIGHT, ATOMIC_NO_RIGHT, ATOMIC_UNALIGNED,
	SEND_INVALID_KEY, SEND_OTHER_PD, SEND_BOUNDS, READ_INTO_READ_ONLY,
	SHORT_RECEIVE, RECEIVE_READ_ONLY, RECEIVE_INVALID_KEY,
	BY_APPLICATION, VIOLATIONS,
};

struct outcome {
	enum ibv_wc_status status;		/* of the request */
	enum ibv_wc_status receive_status;	/* of the receive that it takes; success: it takes none */
	int event;				/* at the other side; -1: none */
	bool other_fails;
};

static const struct outcome denied = { IBV_WC_REM_ACCESS_ERR, SUCCESS, IBV_EVENT_QP_ACCESS_ERR, true };
static const struct outcome denied_with_receive = { IBV_WC_REM_ACCESS_ERR, IBV_WC_LOC_ACCESS_ERR, -1, true };
static const struct outcome invalid = { IBV_WC_REM_INV_REQ_ERR, SUCCESS, IBV_EVENT_QP_REQ_ERR, true };
static const struct outcome not_sent = { IBV_WC_LOC_PROT_ERR, SUCCESS, -1, false };
static const struct outcome too_long = { IBV_WC_REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR, -1, true };
static const struct outcome not_received = { IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR, -1, true };
static const struct outcome ended = { SUCCESS, SUCCESS, -1, false };

static const struct violation {
	const char *name;
	uint32_t opcode;
	enum key local;
	enum key remote;
	const struct outcome *outcome;
} violation_table[VIOLATIONS] = {
	[WRITE_INVALID_KEY] = { "write with an invalid key", IBV_WR_RDMA_WRITE, KEY_FULL, KEY_INVALID, &denied },
	[WRITE_BOUNDS] = { "write beyond the region", IBV_WR_RDMA_WRITE, KEY_FULL, KEY_FULL, &denied },
	[WRITE_NO_RIGHT] = { "write without the right", IBV_WR_RDMA_WRITE, KEY_FULL, KEY_NO_WRITE, &denied },
	[WRITE_LOCAL_KEY] = { "write with a local region's key", IBV_WR_RDMA_WRITE, KEY_FULL, KEY_LOCAL, &denied },
	[WRITE_OTHER_PD] = { "write into another domain", IBV_WR_RDMA_WRITE, KEY_FULL, KEY_OTHER_PD, &denied },
	[WRITE_IMMEDIATE_INVALID_KEY] = { "write-with-immediate with an invalid key", IBV_WR_RDMA_WRITE_WITH_IMM,
				      KEY_FULL, KEY_INVALID, &denied_with_receive },
	[READ_BOUNDS] = { "read beyond the region", IBV_WR_RDMA_READ, KEY_FULL, KEY_FULL, &denied },
	[READ_NO_RIGHT] = { "read without the right", IBV_WR_RDMA_READ, KEY_FULL, KEY_NO_READ, &denied },
	[ATOMIC_NO_RIGHT] = { "atomic without the right", IBV_WR_ATOMIC_FETCH_AND_ADD,
			      KEY_FULL, KEY_NO_ATOMIC, &denied },
	[ATOMIC_UNALIGNED] = { "unaligned atomic", IBV_WR_ATOMIC_CMP_AND_SWP, KEY_FULL, KEY_FULL, &invalid },
	[SEND_INVALID_KEY] = { "send from an invalid key", IBV_WR_SEND, KEY_INVALID, KEY_FULL, &not_sent },
	[SEND_OTHER_PD] = { "send from another domain", IBV_WR_SEND, KEY_OTHER_PD, KEY_FULL, &not_sent },
	[SEND_BOUNDS] = { "send from beyond the region", IBV_WR_SEND, KEY_FULL, KEY_FULL, &not_sent },
	[READ_INTO_READ_ONLY] = { "read into what may not be written", IBV_WR_RDMA_READ,
				  KEY_READ_ONLY, KEY_FULL, &not_sent },
	[SHORT_RECEIVE] = { "receive too short", IBV_WR_SEND, KEY_FULL, KEY_FULL, &too_long },
	[RECEIVE_READ_ONLY] = { "receive into what may not be written", IBV_WR_SEND,
				KEY_FULL, KEY_FULL, &not_received },
	[RECEIVE_INVALID_KEY] = { "receive with an invalid key", IBV_WR_SEND, KEY_FULL, KEY_FULL, &not_received },
	[BY_APPLICATION] = { "the application's own", 0, KEY_FULL, KEY_FULL, &ended },
};

static bool is_possible(int side, uint32_t pair, enum violated violated)
{
	const struct end_info *info = &sides[side].info;
	uint32_t opcode = violation_table[violated].opcode;

	if (is_atomic(opcode))
		return info->has_atomics;
	/* Violations that make a receive fail are left to pairs with a receive queue of their own. */
	return (opcode != IBV_WR_RDMA_WRITE_WITH_IMM || info->has_immediate) &&
	       (violation_table[violated].outcome->receive_status == SUCCESS || !end_uses_srq(pair));
}

static void plan_violating_receive(int side, uint32_t pair, enum violated violated, uint32_t length)
{
	struct flow *flow = flow_of(side, pair);
	struct receive *receive = &flow->receives[flow->receives_posted];

	add_receive(side, pair, receive, violated == SHORT_RECEIVE ? length - 1 : length, flow->receives_posted++);
	receive->status = violation_table[violated].outcome->receive_status;
	for (uint32_t i = 0; i < receive->work.num_sge; i++) {
		if (violated == RECEIVE_READ_ONLY)
			receive->work.sges[i].key = KEY_READ_ONLY;
		else if (violated == RECEIVE_INVALID_KEY)
			receive->work.sges[i].key = KEY_INVALID;
	}
}

static void plan_violating_send(int side, uint32_t pair, enum violated violated, uint32_t length)
{
	const struct violation *violation = &violation_table[violated];
	struct send *send = plan_empty_send(side, pair, violation->opcode);
	uint32_t last = 0;

	if (is_atomic(violation->opcode))
		length = 8;
	send->length = length;
	send->status = violation->outcome->status;
	send->signaled = true;
	send->work.flags = d_once_in(&chance, 2) ? IBV_SEND_SIGNALED : 0;
	send->work.remote_key = violation->remote;
	send->work.remote_offset = violation->opcode == IBV_WR_RDMA_READ ? 0 : take_room(!side, length);
	if (violated == WRITE_BOUNDS || violated == READ_BOUNDS)
		send->work.remote_offset = ARENA - length + 1;
	else if (is_atomic(violation->opcode))
		send->work.remote_offset = ATOMICS_AT + 8 + (violated == ATOMIC_UNALIGNED ? 4 : 0);
	take_elements(side, &send->work, length, is_atomic(violation->opcode) ? 1 :
						sides[side].info.caps[pair].max_send_sge);
	if (violation->opcode == IBV_WR_RDMA_READ && send->work.num_sge > sides[side].info.max_sge_rd)
		D_FAIL("reads take fewer elements than sends here");
	last = send->work.num_sge - 1;
	/* Only the last SGE is wrong: the valid ones before it must not hide it. */
	send->work.sges[last].key = violation->local;
	if (violated == SEND_BOUNDS)
		send->work.sges[last].offset = ARENA - send->work.sges[last].length + 1;
}

/* Posts receives that will be flushed, or serve the requests before the violation. For both sides. */
static void post_some_receives(int side, uint32_t pair)
{
	uint32_t room = free_receives(side, pair);
	uint32_t count = d_below(&chance, room < 4 ? room + 1 : 4);

	if (count && !end_uses_srq(pair))
		post_receives(side, pair, count);
}

static void post_violation(int side, uint32_t pair, enum violated violated)
{
	const struct violation *violation = &violation_table[violated];
	struct command command = { .kind = DO_POST_SEND, .pair = pair, .extended = d_once_in(&chance, 2) };
	struct flow *to = flow_of(!side, pair);
	uint32_t before = d_below(&chance, 3);
	uint32_t length = 2 + d_below(&chance, d_once_in(&chance, 3) ? 100000 : 200);

	if (violation->outcome->receive_status != SUCCESS) {
		struct command receive = { .kind = DO_POST_RECEIVE, .pair = pair, .count = 1 };

		plan_violating_receive(!side, pair, violated, length);
		receive.works[0] = to->receives[0].work;
		post_all(!side, &receive);
		before = 0;
	}
	post_some_receives(!side, pair);
	for (uint32_t i = 0; i < before; i++)
		command.works[command.count++] =
			plan_send(side, pair, !end_uses_srq(pair) && to->inbound_count < to->receives_posted)->work;
	plan_violating_send(side, pair, violated, length);
	command.works[command.count++] = flow_of(side, pair)->sends[before].work;
	/* This request is neither carried out nor dropped, but flushed. */
	if (d_once_in(&chance, 2)) {
		struct send *send = plan_empty_send(side, pair, IBV_WR_SEND);

		send->work.flags = 0;
		send->status = IBV_WC_WR_FLUSH_ERR;
		command.works[command.count++] = send->work;
	}
	post_all(side, &command);
}

/* Expects a flush of all receives that are posted and not completed. */
static void expect_flush(int side, uint32_t pair)
{
	struct flow *flow = flow_of(side, pair);

	for (uint32_t i = flow->receives_completed; i < flow->receives_posted; i++)
		if (flow->receives[i].status == SUCCESS && i >= flow->inbound_count)
			flow->receives[i].status = IBV_WC_WR_FLUSH_ERR;
}

static void post_in_error(int side, uint32_t pair)
{
	struct send *send;

	poll_until_complete();
	D_EQ(IBV_QPS_ERR, run_simple(side, DO_STATE, pair).error);
	send = plan_empty_send(side, pair, IBV_WR_SEND);
	send->work.flags = 0;
	send->status = IBV_WC_WR_FLUSH_ERR;
	post_one(side, pair, &send->work, false);
	if (!end_uses_srq(pair)) {
		post_receives(side, pair, 1);
		expect_flush(side, pair);
	}
	poll_until_complete();
}

static void expect_async_events(int side, uint32_t pair, int event)
{
	uint32_t expected = (event >= 0) + end_uses_srq(pair);
	struct command command = { .kind = DO_ASYNC_EVENT, .wait = true };
	bool seen[2] = { false, false };

	while (expected--) {
		struct reply reply = run(side, &command);
		bool is_last = reply.error == IBV_EVENT_QP_LAST_WQE_REACHED;

		if (reply.pair != pair || seen[is_last] || (!is_last && reply.error != event) ||
		    (is_last && !end_uses_srq(pair)))
			D_FAIL("side %d pair %u: asynchronous event %d (%s) of pair %u", side, pair, reply.error,
			       ibv_event_type_str((enum ibv_event_type)reply.error), reply.pair);
		seen[is_last] = true;
	}
	D_EQ(-1, run_simple(side, DO_ASYNC_EVENT, pair).error);
}

static void renew(uint32_t pair)
{
	for (int side = 0; side < 2; side++) {
		struct command command = { .kind = DO_RENEW, .pair = pair, .extended = d_once_in(&chance, 2) };

		sides[side].info = run(side, &command).info;
	}
	connect_sides(pair);
}

void violate(void)
{
	int side = (int)d_below(&chance, 2);
	uint32_t pair = d_below(&chance, UD_PAIR);
	enum violated violated = (enum violated)d_below(&chance, VIOLATIONS);
	const struct violation *violation = &violation_table[violated];

	if (!is_there(pair) || !is_possible(side, pair, violated))
		return;
	d_context("--seed %llu --first %llu, violation: %s by side %d on pair %u", (unsigned long long)seed,
		  (unsigned long long)round_number, violation->name, side, pair);
	start_round();
	arm();
	post_some_receives(side, pair);
	expect_flush(side, pair);
	if (violated == BY_APPLICATION)
		post_some_receives(!side, pair);
	else
		post_violation(side, pair, violated);
	expect_flush(!side, pair);
	if (violated == BY_APPLICATION)
		run_simple(side, DO_FAIL, pair);
	while (flow_of(side, pair)->completed != flow_of(side, pair)->posted)
		poll_all();
	if (!violation->outcome->other_fails) {
		D_EQ(IBV_QPS_RTS, run_simple(!side, DO_STATE, pair).error);
		run_simple(!side, DO_FAIL, pair);
	}
	post_in_error(side, pair);
	post_in_error(!side, pair);
	expect_async_events(side, pair, -1);
	expect_async_events(!side, pair, violation->outcome->event);
	/* How much arrives of a message that is too long is not specified. */
	if (violated == SHORT_RECEIVE)
		for (uint32_t i = 0; i < flow_of(!side, pair)->receives[0].work.num_sge; i++)
			adopt_actual(!side, flow_of(!side, pair)->receives[0].work.sges[i].offset,
				flow_of(!side, pair)->receives[0].work.sges[i].length);
	compare();
	renew(pair);
	violations++;
}
