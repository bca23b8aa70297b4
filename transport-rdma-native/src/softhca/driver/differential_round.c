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

#include "differential.h"

#define STEPS		60
#define STEP_ROOM	16384u	/* bytes of the arena that the receives of one step may take */

void arm(void)
{
	for (int side = 0; side < 2; side++) {
		struct command command = { .kind = DO_ARM };
		enum armed armed = (enum armed)d_below(&chance, 3);

		if (armed == ARMED_SOLICITED && sides[side].info.deviations.has_no_solicited_events)
			armed = ARMED_ALL;
		/* The queue stays armed until the event; arming it for less takes nothing back. */
		if (sides[side].event_due)
			sides[side].armed = NOT_ARMED;
		if (sides[side].armed < armed)
			sides[side].armed = armed;
		sides[side].event_due = false;
		command.solicited = armed == ARMED_SOLICITED;
		if (armed != NOT_ARMED)
			run(side, &command);
	}
}

static bool is_near_full(int side, uint32_t pair)
{
	const struct flow *flow = flow_of(side, pair);

	return flow->posted > MAX_POSTED / 2 || flow->receives_posted > MAX_POSTED / 2 ||
	       sides[side].shared_posted > MAX_POSTED / 2;
}

static void step(void)
{
	int side = (int)d_below(&chance, 2);
	uint32_t pair = d_below(&chance, PAIRS);
	uint32_t action = d_below(&chance, 100);

	if (!is_there(pair) || is_near_full(side, pair) || is_near_full(!side, pair) || !has_room(side, STEP_ROOM))
		action = 99;
	if (action < 35)
		post_sends(side, pair, 1 + d_below(&chance, MAX_BATCH));
	else if (action < 65)
		post_receives(side, pair, 1 + d_below(&chance, MAX_BATCH));
	else if (action < 70)
		post_refused(side, pair);
	else
		poll_some(side, d_below(&chance, CQS), 1 + d_below(&chance, MAX_POLLED));
}

/* Posts a receive for messages without one, or a message for receives without one. */
static bool settle_partners(int side, uint32_t pair)
{
	struct flow *flow = flow_of(side, pair);
	uint32_t receives = end_uses_srq(pair) ? sides[side].shared_posted : flow->receives_posted;
	uint32_t messages = end_uses_srq(pair) ? shared_messages(side) : flow->inbound_count;

	if (messages > receives) {
		if (free_receives(side, pair))
			post_receives(side, pair, 1);
		return true;
	}
	if (messages < receives) {
		struct send *send;

		if (!free_sends(!side, pair))
			return true;
		send = plan_empty_send(!side, pair, IBV_WR_SEND);
		send->work.qkey = sides[side].info.addresses[pair].qkey;
		add_inbound(!side, pair, send);
		post_one(!side, pair, &send->work, d_once_in(&chance, 2));
		return true;
	}
	return false;
}

static bool settle_last(int side, uint32_t pair)
{
	struct flow *flow = flow_of(side, pair);

	if (!flow->posted || flow->sends[flow->posted - 1].signaled)
		return false;
	if (free_sends(side, pair)) {
		uint32_t opcode = pair == UD_PAIR ? IBV_WR_SEND : IBV_WR_RDMA_WRITE;

		post_one(side, pair, &plan_empty_send(side, pair, opcode)->work, false);
	}
	return true;
}

static void settle(void)
{
	bool busy;

	do {
		busy = false;
		for (int side = 0; side < 2; side++)
			for (uint32_t pair = 0; pair < PAIRS; pair++)
				busy |= is_there(pair) && (settle_partners(side, pair) || settle_last(side, pair));
		if (busy)
			poll_all();
	} while (busy);
	poll_until_complete();
}

/*
 * For devices on which a send completes when it is handed over: a further message on each queue pair shows, when it
 * comes, that all before it has arrived.
 */
static void deliver(void)
{
	for (int side = 0; side < 2; side++) {
		for (uint32_t pair = 0; pair < PAIRS; pair++) {
			struct send *send;

			if (!is_there(pair))
				continue;
			post_receives(!side, pair, 1);
			send = plan_empty_send(side, pair, IBV_WR_SEND);
			add_inbound(side, pair, send);
			post_one(side, pair, &send->work, false);
		}
	}
	poll_until_complete();
}

void compare(void)
{
	for (int side = 0; side < 2; side++) {
		struct command event = { .kind = DO_COMPLETION_EVENT, .wait = sides[side].event_due };

		for (uint32_t cq = 0; cq < CQS; cq++)
			D_EQ(0, poll_some(side, cq, MAX_POLLED));
		D_EQ(sides[side].event_due, run(side, &event).count);
		event.wait = false;
		D_EQ(0, run(side, &event).count);
		D_EQ(-1, run_simple(side, DO_ASYNC_EVENT, 0).error);
		order_memory(side);
		for (uint32_t pair = 0; pair < PAIRS; pair++) {
			const struct flow *flow = flow_of(side, pair);

			for (uint32_t i = 0; i < flow->posted; i++) {
				const struct send *send = &flow->sends[i];

				if (!send->bytes)
					adopt_actual(side, send->work.sges[0].offset, send->work.sges[0].length);
			}
		}
		compare_memory(side);
	}
}

void do_round(void)
{
	uint32_t steps;

	poll_chance.state = chance.state = seed + round_number * 0x2545f4914f6cdd1d;
	d_context("--seed %llu --first %llu", (unsigned long long)seed, (unsigned long long)round_number);
	start_round();
	arm();
	steps = 1 + d_below(&chance, STEPS);
	for (uint32_t i = 0; i < steps; i++) {
		d_context("--seed %llu --first %llu, step %u", (unsigned long long)seed,
			  (unsigned long long)round_number, i);
		step();
	}
	d_context("--seed %llu --first %llu, settling", (unsigned long long)seed, (unsigned long long)round_number);
	settle();
	if (sides[0].info.deviations.success_is_hand_over)
		deliver();
	compare();
	if (d_once_in(&chance, 3) && !lossy && !sides[0].info.deviations.fails_its_own_way)
		violate();
}
