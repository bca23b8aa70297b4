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

uint64_t operations;

static void expect_answer(const struct command *command, const struct reply *reply, int error, uint32_t bad)
{
	if (reply->error != error || reply->bad != bad)
		D_FAIL("pair %u, %u posted %s: error %s at %u instead of %s at %u", command->pair, command->count,
		       command->extended ? "by the extended functions" : "", strerror(reply->error), reply->bad,
		       strerror(error), bad);
	operations += bad;
}

static bool is_extended(int side, const struct command *command)
{
	return command->extended && sides[side].info.has_extended_qp &&
	       (command->pair == 1 || command->pair == 3 || command->pair == 5);
}

/* The post has copied inline bytes, so changing them now has no effect. */
static void spoil_inline(int side, const struct command *command)
{
	for (uint32_t i = 0; i < command->count; i++) {
		const struct work *work = &command->works[i];

		for (uint32_t j = 0; work->flags & IBV_SEND_INLINE && j < work->num_sge; j++) {
			uint8_t junk[MAX_INLINE];

			d_fill(junk, sizeof(junk), d_random(&chance));
			set_memory(side, work->sges[j].offset, junk, work->sges[j].length);
		}
	}
}

void post_sends(int side, uint32_t pair, uint32_t count)
{
	struct command command = {
		.kind = DO_POST_SEND, .pair = pair, .count = count, .extended = d_once_in(&chance, 2),
	};
	uint32_t room = free_sends(side, pair);
	uint32_t accepted = count <= room ? count : is_extended(side, &command) ? 0 : room;
	struct reply reply;

	if (sides[side].info.deviations.has_more_room)
		command.count = count = accepted;
	if (!count)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (i < accepted)
			command.works[i] = plan_send(side, pair, true)->work;
		else
			command.works[i] = (struct work){ .wr_id = 0xbad, .opcode = IBV_WR_SEND };
	}
	reply = run(side, &command);
	expect_answer(&command, &reply, accepted < count ? ENOMEM : 0, accepted);
	command.count = accepted;
	spoil_inline(side, &command);
}

void post_receives(int side, uint32_t pair, uint32_t count)
{
	struct command command = { .kind = DO_POST_RECEIVE, .pair = pair, .count = count };
	uint32_t room = free_receives(side, pair);
	uint32_t accepted = count <= room ? count : room;
	struct reply reply;

	/* The actual depth of a shared queue is not known here. */
	if (end_uses_srq(pair) || sides[side].info.deviations.has_more_room)
		command.count = count = accepted;
	if (!count)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (i < accepted)
			command.works[i] = plan_receive(side, pair)->work;
		else
			command.works[i] = (struct work){ .wr_id = RECEIVE_BIT | 0xbad, .num_sge = 1 };
	}
	reply = run(side, &command);
	expect_answer(&command, &reply, accepted < count ? ENOMEM : 0, accepted);
}

void post_all(int side, const struct command *command)
{
	struct reply reply = run(side, command);

	expect_answer(command, &reply, 0, command->count);
}

void post_one(int side, uint32_t pair, const struct work *work, bool extended)
{
	struct command command = {
		.kind = DO_POST_SEND, .pair = pair, .count = 1, .extended = extended, .works = { *work },
	};

	post_all(side, &command);
}

void post_refused(int side, uint32_t pair)
{
	const struct ibv_qp_cap *cap = &sides[side].info.caps[pair];
	struct command command = {
		.kind = DO_POST_SEND, .pair = pair, .count = 2, .extended = d_once_in(&chance, 2),
	};
	struct work *work = &command.works[1];
	bool extended = is_extended(side, &command);
	struct reply reply;

	if (free_sends(side, pair) < 2 || sides[side].info.deviations.takes_nonsense)
		return;
	*work = (struct work){ .wr_id = 0xbad, .opcode = IBV_WR_SEND, .num_sge = 1, .flags = IBV_SEND_SIGNALED };
	switch (d_below(&chance, 4)) {
	case 0:
		if (cap->max_send_sge > MAX_SGE)
			return;
		work->num_sge = cap->max_send_sge + 1;
		break;
	case 1:
		work->flags |= IBV_SEND_INLINE;
		work->sges[0].length = cap->max_inline_data + 1;
		break;
	case 2:
		if (pair == UD_PAIR || extended)
			return;
		work->opcode = IBV_WR_RDMA_READ;
		work->flags |= IBV_SEND_INLINE;
		break;
	default:
		if (extended)
			return;
		work->opcode = pair == UD_PAIR ? IBV_WR_RDMA_WRITE : 200;
		break;
	}
	if (extended)
		command.works[0] = (struct work){ .wr_id = 0xbad, .opcode = IBV_WR_SEND };
	else
		command.works[0] = plan_empty_send(side, pair, pair == UD_PAIR ? IBV_WR_SEND :
							       IBV_WR_RDMA_WRITE)->work;
	reply = run(side, &command);
	expect_answer(&command, &reply, EINVAL, extended ? 0 : 1);
}
