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

#define SHARED_PAIR	7	/* stands for the shared queue in a wr_id */
#define DATAGRAM	1024u
#define WRONG_QKEY	0x7654321

/* ---- lists ---- */

static uint32_t some_length(uint32_t limit)
{
	static const uint32_t sizes[] = { 0, 8, 64, 300, 2000, 4096, 20000, 70000 };
	uint32_t most = sizes[d_below(&chance, d_once_in(&chance, 6) ? 8 : 6)];

	if (most > limit)
		most = limit;
	return d_once_in(&chance, 4) ? most : d_below(&chance, most + 1);
}

void take_elements(int side, struct work *work, uint32_t length, uint32_t most)
{
	uint32_t count = length ? 1 + d_below(&chance, most < length ? most : length) : 0;

	work->num_sge = count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t left = count - 1 - i;
		uint32_t part = left ? 1 + d_below(&chance, length - left) : length;

		work->sges[i] = (struct element){ take_room(side, part), part, KEY_FULL };
		length -= part;
	}
}

/* ---- sends ---- */

static uint32_t some_opcode(int side, uint32_t pair, bool may_take_receive)
{
	static const uint32_t all[] = {
		IBV_WR_SEND, IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	const struct end_info *info = &sides[side].info;

	for (;;) {
		uint32_t opcode = all[d_below(&chance, pair == UD_PAIR ? 3 : D_COUNT(all))];

		if ((takes_receive(opcode) && !may_take_receive) || (is_atomic(opcode) && !info->has_atomics) ||
		    (opcode == IBV_WR_RDMA_READ && info->deviations.reads_stall) ||
		    (!info->has_immediate &&
		     (opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM)))
			continue;
		return opcode;
	}
}

/* The longest message for that flow: a receive that already waits for it sets the limit. */
static uint32_t longest_message(const struct flow *to, uint32_t pair)
{
	if (pair == UD_PAIR)
		return to->receives[to->inbound_count].length - GRH_SIZE;
	if (end_uses_srq(pair))
		return SHARED_RECEIVE;
	if (to->inbound_count < to->receives_posted)
		return to->receives[to->inbound_count].length;
	return UINT32_MAX;
}

static void plan_source(int side, uint32_t pair, struct send *send, uint32_t length)
{
	const struct ibv_qp_cap *cap = &sides[side].info.caps[pair];

	take_elements(side, &send->work, length, cap->max_send_sge);
	send->bytes = take_payload(length);
	d_fill(send->bytes, length, d_random(&chance));
	scatter(side, &send->work, 0, send->bytes, length, set_memory);
	if (length <= cap->max_inline_data && length <= MAX_INLINE && cap->max_inline_data && d_once_in(&chance, 2)) {
		send->work.flags |= IBV_SEND_INLINE;
		/* The device does not use the keys of inline data. */
		for (uint32_t i = 0; i < send->work.num_sge; i++)
			send->work.sges[i].key = KEY_INVALID;
	}
}

static void plan_write(int side, uint32_t pair, struct send *send)
{
	struct flow *flow = flow_of(side, pair);
	/* Data that a message announces is not overwritten: it must be there when the completion is polled. */
	bool announced = send->work.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	bool over_old = !announced && flow->written_length && d_once_in(&chance, 4) &&
			!sides[side].info.deviations.fences_stall;
	uint32_t length = some_length(over_old ? flow->written_length : UINT32_MAX);

	if (!has_room(side, length) || !has_room(!side, length))
		length = 0;
	send->length = length;
	send->work.remote_offset = over_old ? flow->written_at : take_room(!side, length);
	/* A read of these bytes may still be in flight. */
	if (over_old)
		send->work.flags |= IBV_SEND_FENCE;
	if (!length && d_once_in(&chance, 2))
		send->work.remote_key = KEY_INVALID;
	plan_source(side, pair, send, length);
	memcpy(sides[!side].expected + send->work.remote_offset, send->bytes, length);
	if (length && !announced) {
		flow->written_at = (uint32_t)send->work.remote_offset;
		flow->written_length = length;
	}
}

static void plan_read(int side, uint32_t pair, struct send *send)
{
	struct flow *flow = flow_of(side, pair);
	bool back = flow->written_length && d_once_in(&chance, 2);
	uint32_t length = some_length(back ? flow->written_length : STATIC_SIZE);
	uint32_t most = sides[side].info.caps[pair].max_send_sge;

	if (!has_room(side, length))
		length = 0;
	if (most > sides[side].info.max_sge_rd)
		most = sides[side].info.max_sge_rd;
	send->length = length;
	send->work.remote_offset = back ? flow->written_at : d_below(&chance, STATIC_SIZE - length + 1);
	if (!length && d_once_in(&chance, 2))
		send->work.remote_key = KEY_INVALID;
	take_elements(side, &send->work, length, most);
	send->bytes = take_payload(length);
	memcpy(send->bytes, sides[!side].expected + send->work.remote_offset, length);
	scatter(side, &send->work, 0, send->bytes, length, expect_memory);
}

static void plan_atomic(int side, uint32_t pair, struct send *send)
{
	bool shared = send->work.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD && d_once_in(&chance, 2);
	uint32_t at = shared ? SHARED_WORD : ATOMICS_AT + 8 * (1 + pair);
	uint8_t *word = sides[!side].expected + at;
	uint64_t old;
	uint64_t value;

	memcpy(&old, word, sizeof(old));
	send->length = sizeof(old);
	send->work.remote_offset = at;
	take_elements(side, &send->work, sizeof(old), 1);
	send->work.operands[0] = d_random(&chance);
	send->work.operands[1] = d_random(&chance);
	value = old + send->work.operands[0];
	if (send->work.opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		if (d_once_in(&chance, 2))
			send->work.operands[0] = old;
		value = send->work.operands[0] == old ? send->work.operands[1] : old;
	}
	memcpy(word, &value, sizeof(value));
	/* The order in which several queue pairs access the shared word is not guaranteed. */
	if (shared)
		return;
	send->bytes = take_payload(sizeof(old));
	memcpy(send->bytes, &old, sizeof(old));
	scatter(side, &send->work, 0, send->bytes, sizeof(old), expect_memory);
}

static void choose_flags(int side, uint32_t pair, struct send *send)
{
	struct flow *flow = flow_of(side, pair);
	uint32_t depth = sides[side].info.caps[pair].max_send_wr;

	if (d_once_in(&chance, 2) || ++flow->unsignaled >= depth / 2) {
		send->work.flags |= IBV_SEND_SIGNALED;
		flow->unsignaled = 0;
	}
	send->signaled = send->work.flags & IBV_SEND_SIGNALED || end_signals_all(pair);
	if (pair != UD_PAIR && d_once_in(&chance, 8) && !sides[side].info.deviations.fences_stall)
		send->work.flags |= IBV_SEND_FENCE;
	if (send->takes_receive && d_once_in(&chance, 4))
		send->work.flags |= IBV_SEND_SOLICITED;
}

struct send *plan_send(int side, uint32_t pair, bool may_take_receive)
{
	struct flow *to = flow_of(!side, pair);
	bool has_no_receiver = pair == UD_PAIR && (!receive_waits(!side, pair) || d_once_in(&chance, 8));
	bool may_wait = !sides[side].info.deviations.needs_receives && has_room(!side, SHARED_RECEIVE);
	bool may_message = may_take_receive && (receive_waits(!side, pair) || may_wait);
	uint32_t opcode = some_opcode(side, pair, may_message || pair == UD_PAIR);
	struct send *send = add_send(side, pair);

	send->work.opcode = opcode;
	if (is_send(opcode)) {
		uint32_t length = some_length(has_no_receiver ? DATAGRAM : longest_message(to, pair));

		send->length = has_room(side, length) && has_room(!side, length) ? length : 0;
		plan_source(side, pair, send, send->length);
	} else if (opcode == IBV_WR_RDMA_READ) {
		plan_read(side, pair, send);
	} else if (is_atomic(opcode)) {
		plan_atomic(side, pair, send);
	} else {
		plan_write(side, pair, send);
	}
	if (has_no_receiver)
		send->work.qkey = WRONG_QKEY;
	else if (takes_receive(opcode))
		add_inbound(side, pair, send);
	choose_flags(side, pair, send);
	return send;
}

struct send *plan_empty_send(int side, uint32_t pair, uint32_t opcode)
{
	struct send *send = add_send(side, pair);

	send->work.opcode = opcode;
	send->work.flags = IBV_SEND_SIGNALED;
	send->work.qkey = WRONG_QKEY;
	send->bytes = take_payload(0);
	send->signaled = true;
	flow_of(side, pair)->unsignaled = 0;
	return send;
}

/* ---- receives ---- */

void add_receive(int side, uint32_t pair, struct receive *receive, uint32_t length, uint32_t index)
{
	memset(receive, 0, sizeof(*receive));
	if (!length && sides[side].info.deviations.receives_need_memory)
		length = 1;
	receive->length = length;
	receive->work.wr_id = wr_id_of(true, end_uses_srq(pair) ? SHARED_PAIR : pair, index);
	take_elements(side, &receive->work, length, end_uses_srq(pair) ? 2 : sides[side].info.caps[pair].max_recv_sge);
}

struct receive *plan_receive(int side, uint32_t pair)
{
	struct flow *flow = flow_of(side, pair);
	struct receive *receive = &flow->receives[flow->receives_posted];
	uint32_t length = some_length(UINT32_MAX);

	if (flow->receives_posted == MAX_POSTED || sides[side].shared_posted == MAX_POSTED)
		D_FAIL("pair %u: more receives than the model has room for", pair);
	if (end_uses_srq(pair)) {
		receive = &sides[side].shared[sides[side].shared_posted];
		if (shared_messages(side) > sides[side].shared_posted)
			sides[side].reserved -= ELEMENTS_ROOM + SHARED_RECEIVE;
		add_receive(side, pair, receive, SHARED_RECEIVE, sides[side].shared_posted++);
		return receive;
	}
	if (pair == UD_PAIR)
		length = GRH_SIZE + d_below(&chance, DATAGRAM);
	else if (!has_room(side, length))
		length = 0;
	if (pair != UD_PAIR && flow->inbound_count > flow->receives_posted) {
		const struct send *message = &flow_of(!side, pair)->sends[flow->inbound[flow->receives_posted]];

		sides[side].reserved -= message->reserved;
		if (is_send(message->work.opcode) && length < message->length)
			length = message->length;
	}
	add_receive(side, pair, receive, length, flow->receives_posted++);
	return receive;
}
