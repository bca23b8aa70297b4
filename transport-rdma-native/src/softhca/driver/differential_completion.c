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

#include <time.h>

#include "differential.h"

#define SILENCE_SECONDS	60

uint64_t completions;

static void note_event(int side, uint32_t cq, bool solicited)
{
	if (cq == 0 && (sides[side].armed == ARMED_ALL || (sides[side].armed == ARMED_SOLICITED && solicited)))
		sides[side].event_due = true;
}

static enum ibv_wc_opcode completion_opcode(uint32_t opcode)
{
	switch (opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_WC_RDMA_WRITE;
	case IBV_WR_RDMA_READ:
		return IBV_WC_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return IBV_WC_COMP_SWAP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return IBV_WC_FETCH_ADD;
	default:
		return IBV_WC_SEND;
	}
}

static void check_common(int side, const struct completion *completion, uint64_t wr_id, enum ibv_wc_status status)
{
	if (completion->wr_id != wr_id)
		D_FAIL("side %d pair %u: wr_id %llx (%s) instead of %llx (%s)", side, completion->pair,
		       (unsigned long long)completion->wr_id, ibv_wc_status_str(completion->status),
		       (unsigned long long)wr_id, ibv_wc_status_str(status));
	if (completion->status != status)
		D_FAIL("side %d pair %u wr_id %llx: %s instead of %s", side, completion->pair,
		       (unsigned long long)wr_id, ibv_wc_status_str(completion->status), ibv_wc_status_str(status));
}

static void check_send(int side, uint32_t cq, const struct completion *completion)
{
	struct flow *flow = flow_of(side, completion->pair);
	const struct send *send;

	while (flow->completed < flow->posted && !flow->sends[flow->completed].signaled &&
	       flow->sends[flow->completed].status == IBV_WC_SUCCESS)
		flow->completed++;
	if (flow->completed == flow->posted)
		D_FAIL("side %d pair %u: completion of wr_id %llx (%s), but all were completed", side,
		       completion->pair, (unsigned long long)completion->wr_id,
		       ibv_wc_status_str(completion->status));
	send = &flow->sends[flow->completed++];
	check_common(side, completion, send->work.wr_id, send->status);
	D_EQ(end_send_cq(completion->pair), cq);
	note_event(side, cq, send->status != IBV_WC_SUCCESS);
	if (send->status != IBV_WC_SUCCESS)
		return;
	D_EQ(completion_opcode(send->work.opcode), completion->opcode);
	if (completion->pair != UD_PAIR && send->takes_receive && !end_uses_srq(completion->pair))
		D_CHECK(send->message < flow_of(!side, completion->pair)->receives_posted);
	if (send->work.opcode != IBV_WR_RDMA_READ && !is_atomic(send->work.opcode))
		return;
	D_EQ(send->length, completion->byte_len);
	if (send->bytes)
		scatter(side, &send->work, 0, send->bytes, send->length, check_memory);
}

static struct receive *completed_receive(int side, const struct completion *completion)
{
	struct flow *flow = flow_of(side, completion->pair);

	if (end_uses_srq(completion->pair)) {
		uint32_t index = completion->wr_id & 0xffff;

		if (index >= sides[side].shared_posted || sides[side].shared[index].completed)
			D_FAIL("side %d pair %u: wr_id %llx is no receive that waits in the shared queue", side,
			       completion->pair, (unsigned long long)completion->wr_id);
		sides[side].shared_completed++;
		return &sides[side].shared[index];
	}
	if (flow->receives_completed == flow->receives_posted)
		D_FAIL("side %d pair %u: wr_id %llx, but no receive was posted", side, completion->pair,
		       (unsigned long long)completion->wr_id);
	return &flow->receives[flow->receives_completed++];
}

static void check_message(int side, const struct completion *completion, const struct receive *receive,
			  const struct send *send)
{
	bool is_write = send->work.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	bool has_immediate = is_write || send->work.opcode == IBV_WR_SEND_WITH_IMM;
	uint32_t grh = completion->pair == UD_PAIR ? GRH_SIZE : 0;

	D_EQ(is_write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV, completion->opcode);
	D_EQ(send->length + grh, completion->byte_len);
	D_EQ((has_immediate ? IBV_WC_WITH_IMM : 0) | (grh || sides[side].info.deviations.always_grh ? IBV_WC_GRH : 0),
	     completion->flags);
	if (has_immediate)
		D_EQ(send->work.immediate, completion->immediate);
	if (grh) {
		D_EQ(sides[!side].info.addresses[UD_PAIR].qpn, completion->src_qp);
		for (uint32_t i = 0, left = grh; left; i++) {
			const struct element *element = &receive->work.sges[i];
			uint32_t part = element->length < left ? element->length : left;

			adopt_actual(side, element->offset, part);
			left -= part;
		}
	}
	if (is_write) {
		check_memory(side, (uint32_t)send->work.remote_offset, send->bytes, send->length);
		return;
	}
	scatter(side, &receive->work, grh, send->bytes, send->length, check_memory);
	scatter(side, &receive->work, grh, send->bytes, send->length, expect_memory);
}

static void check_receive(int side, uint32_t cq, const struct completion *completion)
{
	struct flow *flow = flow_of(side, completion->pair);
	struct receive *receive = completed_receive(side, completion);
	const struct send *send;

	check_common(side, completion, receive->work.wr_id, receive->status);
	D_EQ(end_recv_cq(completion->pair), cq);
	receive->completed = true;
	if (receive->status != IBV_WC_SUCCESS) {
		note_event(side, cq, true);
		return;
	}
	if (flow->inbound_completed == flow->inbound_count)
		D_FAIL("side %d pair %u: a message that was not sent", side, completion->pair);
	send = &flow_of(!side, completion->pair)->sends[flow->inbound[flow->inbound_completed++]];
	note_event(side, cq, send->work.flags & IBV_SEND_SOLICITED);
	check_message(side, completion, receive, send);
}

uint32_t poll_some(int side, uint32_t cq, uint32_t count)
{
	struct command command = { .kind = DO_POLL, .cq = cq, .count = count, .extended = d_once_in(&poll_chance, 2) };
	struct reply reply = run(side, &command);

	for (uint32_t i = 0; i < reply.count; i++) {
		if (reply.completions[i].wr_id & RECEIVE_BIT)
			check_receive(side, cq, &reply.completions[i]);
		else
			check_send(side, cq, &reply.completions[i]);
	}
	completions += reply.count;
	return reply.count;
}

/* Names the missing completions, which the watchdog could not. */
static void fail_of_silence(void)
{
	for (int side = 0; side < 2; side++) {
		for (uint32_t pair = 0; pair < PAIRS; pair++) {
			const struct flow *flow = flow_of(side, pair);

			if (is_complete(side, pair))
				continue;
			printf("side %d pair %u: %u of %u sends, %u of %u receives, %u of %u shared receives\n", side,
			       pair, flow->completed, flow->posted, flow->receives_completed,
			       flow->receives_posted, sides[side].shared_completed, sides[side].shared_posted);
			if (flow->completed < flow->posted)
				printf("side %d pair %u: the first send behind them has opcode %u, flags %x\n", side,
				       pair, flow->sends[flow->completed].work.opcode,
				       flow->sends[flow->completed].work.flags);
		}
	}
	fflush(stdout);
	D_FAIL("no completion for %d s", SILENCE_SECONDS);
}

void poll_all(void)
{
	static uint64_t completions_before;
	static time_t last;

	for (int side = 0; side < 2; side++)
		for (uint32_t cq = 0; cq < CQS; cq++)
			poll_some(side, cq, MAX_POLLED);
	d_alive();
	if (completions != completions_before || !last) {
		completions_before = completions;
		last = time(NULL);
	} else if (time(NULL) - last > SILENCE_SECONDS) {
		fail_of_silence();
	}
}

void poll_until_complete(void)
{
	bool complete;

	do {
		poll_all();
		complete = true;
		for (int side = 0; side < 2; side++)
			for (uint32_t pair = 0; pair < PAIRS; pair++)
				complete &= is_complete(side, pair);
	} while (!complete);
}
