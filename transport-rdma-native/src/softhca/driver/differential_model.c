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

bool is_there(uint32_t pair)
{
	return sides[0].info.has_pair[pair] && (!lossy || pair != UD_PAIR);
}

struct flow *flow_of(int side, uint32_t pair)
{
	return &sides[side].flows[pair];
}

bool is_atomic(uint32_t opcode)
{
	return opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

bool is_send(uint32_t opcode)
{
	return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM;
}

bool takes_receive(uint32_t opcode)
{
	return is_send(opcode) || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

uint64_t wr_id_of(bool receive, uint32_t pair, uint32_t index)
{
	return (receive ? RECEIVE_BIT : 0) | (uint64_t)pair << 56 | (round_number & 0xffffffffff) << 16 | index;
}

struct send *add_send(int side, uint32_t pair)
{
	struct flow *flow = flow_of(side, pair);
	struct send *send = &flow->sends[flow->posted];

	if (flow->posted == MAX_POSTED)
		D_FAIL("pair %u: more sends than the model has room for", pair);
	memset(send, 0, sizeof(*send));
	send->work.wr_id = wr_id_of(false, pair, flow->posted++);
	send->work.immediate = (uint32_t)d_random(&chance);
	send->work.remote_key = KEY_FULL;
	send->work.qkey = sides[!side].info.addresses[pair].qkey;
	return send;
}

uint32_t shared_messages(int side)
{
	uint32_t messages = 0;

	for (uint32_t pair = 0; pair < PAIRS; pair++)
		if (end_uses_srq(pair))
			messages += flow_of(side, pair)->inbound_count;
	return messages;
}

bool receive_waits(int side, uint32_t pair)
{
	const struct flow *flow = flow_of(side, pair);

	return end_uses_srq(pair) ? shared_messages(side) < sides[side].shared_posted :
				    flow->inbound_count < flow->receives_posted;
}

void add_inbound(int side, uint32_t pair, struct send *send)
{
	struct flow *to = flow_of(!side, pair);

	if (!receive_waits(!side, pair)) {
		send->reserved = ELEMENTS_ROOM + (end_uses_srq(pair) ? SHARED_RECEIVE :
						is_send(send->work.opcode) ? send->length : 0);
		sides[!side].reserved += send->reserved;
	}
	send->takes_receive = true;
	send->message = to->inbound_count;
	to->inbound[to->inbound_count++] = (uint32_t)(send - flow_of(side, pair)->sends);
}

uint32_t free_sends(int side, uint32_t pair)
{
	struct flow *flow = flow_of(side, pair);

	return sides[side].info.caps[pair].max_send_wr - (flow->posted - flow->completed);
}

uint32_t free_receives(int side, uint32_t pair)
{
	struct flow *flow = flow_of(side, pair);

	if (end_uses_srq(pair))
		return SRQ_DEPTH - (sides[side].shared_posted - sides[side].shared_completed);
	return sides[side].info.caps[pair].max_recv_wr - (flow->receives_posted - flow->receives_completed);
}

bool is_complete(int side, uint32_t pair)
{
	const struct flow *flow = flow_of(side, pair);

	return flow->completed == flow->posted && flow->receives_completed == flow->receives_posted &&
	       sides[side].shared_completed == sides[side].shared_posted;
}

void start_round(void)
{
	reset_memory();
	for (int side = 0; side < 2; side++) {
		struct side *s = &sides[side];

		for (uint32_t pair = 0; pair < PAIRS; pair++) {
			struct flow *flow = &s->flows[pair];

			flow->posted = 0;
			flow->completed = 0;
			flow->unsignaled = 0;
			flow->receives_posted = 0;
			flow->receives_completed = 0;
			flow->inbound_count = 0;
			flow->inbound_completed = 0;
			flow->written_length = 0;
		}
		s->shared_posted = 0;
		s->shared_completed = 0;
	}
}
