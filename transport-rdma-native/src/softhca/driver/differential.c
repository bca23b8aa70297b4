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
 * A randomised differential test: two ends (differential_end.h) carry out a random sequence of operations, and a model
 * says what must come of each: what a post answers, which completions come in which order with what in
 * them, and what every byte of both arenas is afterwards. Seed and round are printed with a mismatch.
 *
 *    --seconds N (60), --rounds N, --seed N, --first N (the round to start with), --processes 1 or 2 (1),
 *    --lossy 1 (with faults that lose packets: no datagrams, and no violations, whose answer may be lost)
 *
 * A round is independent of those before it, but for what the arenas hold:
 *
 *    arm | steps: post sends, post receives, poll, refused posts, in any order, at both ends
 *        | settle: what lacks a partner gets one, all is polled
 *        | compare: arenas, events, states
 *        | now and then a violation on one pair: errors and flushes at both ends; the pair is made anew
 *
 * Memory of a round is never used twice, so the model needs no clock: it carries an operation out when it is posted.
 * The exceptions are those whose order verbs promise: reads after writes of one queue pair, fenced writes
 * after reads, atomics of one queue pair.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "differential_end.h"

#define STATIC_SIZE	(80u << 10)	/* bytes that nobody writes; reads come from here */
#define ATOMICS_AT	STATIC_SIZE
#define SHARED_WORD	ATOMICS_AT	/* every pair adds to this one; word 1 + pair belongs to a pair */
#define DYNAMIC_AT	(STATIC_SIZE + 4096)
#define MAX_POSTED	1024		/* of each queue in a round */
#define SHARED_RECEIVE	1024u		/* bytes of every receive in a shared queue */
#define SHARED_PAIR	7		/* stands for the shared queue in a wr_id */
#define DATAGRAM	1024u
#define WRONG_QKEY	0x7654321
#define MAX_INLINE	256u
#define STEPS		60
#define PIECES_ROOM	64u		/* of the arena: what lies between the pieces of one list, at most */
#define STEP_ROOM	16384u		/* what the receives of one step may take */
#define RECEIVE_BIT	(1ull << 63)

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

static struct side sides[2];
static struct d_random chance;
static struct d_random whim;	/* of polls: how many there are is a matter of time, and must not move the rest */
static uint64_t seed;
static bool lossy;
static uint64_t round_number;
static uint8_t *payloads;	/* of this round */
static size_t payloads_used;
static int other_process = -1;
static uint64_t operations;
static uint64_t completions;
static uint64_t violations;

#define PAYLOADS (2u << 20)

/* ---- commands ---- */

static struct reply run(int side, const struct command *command)
{
	struct reply reply;

	if (sides[side].end) {
		end_execute(sides[side].end, command, &reply);
	} else {
		d_send(other_process, command, sizeof(*command));
		if (!d_receive(other_process, &reply, sizeof(reply)))
			D_FAIL("the other process has ended");
	}
	return reply;
}

static struct reply run_simple(int side, enum command_kind kind, uint32_t pair)
{
	struct command command = { .kind = kind, .pair = pair };

	return run(side, &command);
}

/* ---- the model's memory ---- */

/*
 * What the other process writes here is written by a thread of the device, which has heard nothing of what the
 * two processes told each other: ThreadSanitizer sees no order. Through each queue pair's lock it does.
 */
static void order_memory(int side)
{
	for (uint32_t pair = 0; pair < PAIRS; pair++)
		if (sides[side].end && sides[side].info.has_pair[pair])
			run_simple(side, DO_STATE, pair);
}

static void set_memory(int side, uint32_t at, const void *bytes, uint32_t length)
{
	memcpy(sides[side].actual + at, bytes, length);
	memcpy(sides[side].expected + at, bytes, length);
}

static bool has_room(int side, uint32_t length)
{
	return ARENA - sides[side].used - sides[side].promised >= length + PIECES_ROOM &&
	       PAYLOADS - payloads_used >= length;
}

static uint32_t take_room(int side, uint32_t length)
{
	uint32_t at = sides[side].used + d_below(&chance, 9);

	sides[side].used = at + length;
	return at;
}

static uint8_t *take_payload(uint32_t length)
{
	uint8_t *payload = payloads + payloads_used;

	payloads_used += length;
	return payload;
}

static void believe(int side, uint32_t at, uint32_t length)
{
	memcpy(sides[side].expected + at, sides[side].actual + at, length);
}

static void compare_memory(int side)
{
	const struct side *s = &sides[side];

	if (!memcmp(s->expected, s->actual, ARENA))
		return;
	for (uint32_t i = 0; i < ARENA; i++)
		if (s->expected[i] != s->actual[i])
			D_FAIL("side %d: byte %u of its memory is %02x, not %02x (in use up to %u)", side, i,
			       s->actual[i], s->expected[i], s->used);
}

/* ---- making work ---- */

static struct flow *flow_of(int side, uint32_t pair)
{
	return &sides[side].flows[pair];
}

static uint64_t wr_id_of(bool receive, uint32_t pair, uint32_t index)
{
	return (receive ? RECEIVE_BIT : 0) | (uint64_t)pair << 56 | (round_number & 0xffffffffff) << 16 | index;
}

static uint32_t some_length(uint32_t limit)
{
	static const uint32_t sizes[] = { 0, 8, 64, 300, 2000, 4096, 20000, 70000 };
	uint32_t most = sizes[d_below(&chance, d_once_in(&chance, 6) ? 8 : 6)];

	if (most > limit)
		most = limit;
	return d_once_in(&chance, 4) ? most : d_below(&chance, most + 1);
}

/* Cuts fresh memory of the side into at most so many pieces. */
static void take_pieces(int side, struct work *work, uint32_t length, uint32_t most)
{
	uint32_t count = length ? 1 + d_below(&chance, most < length ? most : length) : 0;

	work->num_sge = count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t left = count - 1 - i;
		uint32_t part = left ? 1 + d_below(&chance, length - left) : length;

		work->sges[i] = (struct piece){ take_room(side, part), part, KEY_FULL };
		length -= part;
	}
}

static void scatter(int side, const struct work *work, uint32_t skip, const uint8_t *bytes, uint32_t length,
		    void (*with)(int side, uint32_t at, const void *bytes, uint32_t length))
{
	for (uint32_t i = 0; i < work->num_sge && length; i++) {
		uint32_t at = work->sges[i].offset;
		uint32_t size = work->sges[i].length;
		uint32_t skipped = skip < size ? skip : size;

		at += skipped;
		size -= skipped;
		skip -= skipped;
		if (size > length)
			size = length;
		with(side, at, bytes, size);
		bytes += size;
		length -= size;
	}
}

static void expect_memory(int side, uint32_t at, const void *bytes, uint32_t length)
{
	memcpy(sides[side].expected + at, bytes, length);
}

static void check_memory(int side, uint32_t at, const void *bytes, uint32_t length)
{
	if (memcmp(sides[side].actual + at, bytes, length))
		D_FAIL("side %d: %u bytes at %u are not what was sent", side, length, at);
}

static bool is_atomic(uint32_t opcode)
{
	return opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static bool is_send(uint32_t opcode)
{
	return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM;
}

static bool takes_receive(uint32_t opcode)
{
	return is_send(opcode) || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

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
		    (!info->has_immediate &&
		     (opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM)))
			continue;
		return opcode;
	}
}

/* How long a message to that flow may be: a receive that waits for it says so already. */
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

	take_pieces(side, &send->work, length, cap->max_send_sge);
	send->bytes = take_payload(length);
	d_fill(send->bytes, length, d_random(&chance));
	scatter(side, &send->work, 0, send->bytes, length, set_memory);
	if (length <= cap->max_inline_data && length <= MAX_INLINE && cap->max_inline_data && d_once_in(&chance, 2)) {
		send->work.flags |= IBV_SEND_INLINE;
		/* The device reads no key of inline data. */
		for (uint32_t i = 0; i < send->work.num_sge; i++)
			send->work.sges[i].key = KEY_NOBODYS;
	}
}

static void plan_write(int side, uint32_t pair, struct send *send)
{
	struct flow *flow = flow_of(side, pair);
	/* What a message announces must still be there when its completion is polled: it is not written over. */
	bool announced = send->work.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	bool over_old = !announced && flow->written_length && d_once_in(&chance, 4);
	uint32_t length = some_length(over_old ? flow->written_length : UINT32_MAX);

	if (!has_room(side, length) || !has_room(!side, length))
		length = 0;
	send->length = length;
	send->work.remote_offset = over_old ? flow->written_at : take_room(!side, length);
	/* A read of these bytes may not have been answered. */
	if (over_old)
		send->work.flags |= IBV_SEND_FENCE;
	if (!length && d_once_in(&chance, 2))
		send->work.remote_key = KEY_NOBODYS;
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
		send->work.remote_key = KEY_NOBODYS;
	take_pieces(side, &send->work, length, most);
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
	take_pieces(side, &send->work, sizeof(old), 1);
	send->work.operands[0] = d_random(&chance);
	send->work.operands[1] = d_random(&chance);
	value = old + send->work.operands[0];
	if (send->work.opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		if (d_once_in(&chance, 2))
			send->work.operands[0] = old;
		value = send->work.operands[0] == old ? send->work.operands[1] : old;
	}
	memcpy(word, &value, sizeof(value));
	/* In which order several queue pairs come to the shared word is nobody's promise. */
	if (shared)
		return;
	send->bytes = take_payload(sizeof(old));
	memcpy(send->bytes, &old, sizeof(old));
	scatter(side, &send->work, 0, send->bytes, sizeof(old), expect_memory);
}

/* Enters it into the model: from now on its completion is expected. */
static struct send *add_send(int side, uint32_t pair)
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

static void choose_flags(int side, uint32_t pair, struct send *send)
{
	struct flow *flow = flow_of(side, pair);
	uint32_t depth = sides[side].info.caps[pair].max_send_wr;

	if (d_once_in(&chance, 2) || ++flow->unsignaled >= depth / 2) {
		send->work.flags |= IBV_SEND_SIGNALED;
		flow->unsignaled = 0;
	}
	send->signaled = send->work.flags & IBV_SEND_SIGNALED || end_signals_all(pair);
	if (pair != UD_PAIR && d_once_in(&chance, 8))
		send->work.flags |= IBV_SEND_FENCE;
	if (send->takes_receive && d_once_in(&chance, 4))
		send->work.flags |= IBV_SEND_SOLICITED;
}

static uint32_t shared_messages(int side)
{
	uint32_t messages = 0;

	for (uint32_t pair = 0; pair < PAIRS; pair++)
		if (end_uses_srq(pair))
			messages += flow_of(side, pair)->inbound_count;
	return messages;
}

static bool receive_waits(int side, uint32_t pair)
{
	const struct flow *flow = flow_of(side, pair);

	return end_uses_srq(pair) ? shared_messages(side) < sides[side].shared_posted :
				    flow->inbound_count < flow->receives_posted;
}

static void add_inbound(int side, uint32_t pair, struct send *send)
{
	struct flow *to = flow_of(!side, pair);

	if (!receive_waits(!side, pair)) {
		send->promised = PIECES_ROOM + (end_uses_srq(pair) ? SHARED_RECEIVE :
						is_send(send->work.opcode) ? send->length : 0);
		sides[!side].promised += send->promised;
	}
	send->takes_receive = true;
	send->message = to->inbound_count;
	to->inbound[to->inbound_count++] = (uint32_t)(send - flow_of(side, pair)->sends);
}

static struct send *plan_send(int side, uint32_t pair, bool may_take_receive)
{
	struct flow *to = flow_of(!side, pair);
	bool nobody_listens = pair == UD_PAIR && (!receive_waits(!side, pair) || d_once_in(&chance, 8));
	bool may_message = may_take_receive && (receive_waits(!side, pair) || has_room(!side, SHARED_RECEIVE));
	uint32_t opcode = some_opcode(side, pair, may_message || pair == UD_PAIR);
	struct send *send = add_send(side, pair);

	send->work.opcode = opcode;
	if (is_send(opcode)) {
		uint32_t length = some_length(nobody_listens ? DATAGRAM : longest_message(to, pair));

		send->length = has_room(side, length) && has_room(!side, length) ? length : 0;
		plan_source(side, pair, send, send->length);
	} else if (opcode == IBV_WR_RDMA_READ) {
		plan_read(side, pair, send);
	} else if (is_atomic(opcode)) {
		plan_atomic(side, pair, send);
	} else {
		plan_write(side, pair, send);
	}
	if (nobody_listens)
		send->work.qkey = WRONG_QKEY;
	else if (takes_receive(opcode))
		add_inbound(side, pair, send);
	choose_flags(side, pair, send);
	return send;
}

static struct send *plan_empty_send(int side, uint32_t pair, uint32_t opcode)
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

static void add_receive(int side, uint32_t pair, struct receive *receive, uint32_t length, uint32_t index)
{
	memset(receive, 0, sizeof(*receive));
	receive->length = length;
	receive->work.wr_id = wr_id_of(true, end_uses_srq(pair) ? SHARED_PAIR : pair, index);
	take_pieces(side, &receive->work, length, end_uses_srq(pair) ? 2 : sides[side].info.caps[pair].max_recv_sge);
}

static struct receive *plan_receive(int side, uint32_t pair)
{
	struct flow *flow = flow_of(side, pair);
	struct receive *receive = &flow->receives[flow->receives_posted];
	uint32_t length = some_length(UINT32_MAX);

	if (flow->receives_posted == MAX_POSTED || sides[side].shared_posted == MAX_POSTED)
		D_FAIL("pair %u: more receives than the model has room for", pair);
	if (end_uses_srq(pair)) {
		receive = &sides[side].shared[sides[side].shared_posted];
		if (shared_messages(side) > sides[side].shared_posted)
			sides[side].promised -= PIECES_ROOM + SHARED_RECEIVE;
		add_receive(side, pair, receive, SHARED_RECEIVE, sides[side].shared_posted++);
		return receive;
	}
	if (pair == UD_PAIR)
		length = GRH_SIZE + d_below(&chance, DATAGRAM);
	else if (!has_room(side, length))
		length = 0;
	if (pair != UD_PAIR && flow->inbound_count > flow->receives_posted) {
		const struct send *message = &flow_of(!side, pair)->sends[flow->inbound[flow->receives_posted]];

		sides[side].promised -= message->promised;
		if (is_send(message->work.opcode) && length < message->length)
			length = message->length;
	}
	add_receive(side, pair, receive, length, flow->receives_posted++);
	return receive;
}

/* ---- completions ---- */

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
	D_EQ((has_immediate ? IBV_WC_WITH_IMM : 0) | (grh ? IBV_WC_GRH : 0), completion->flags);
	if (has_immediate)
		D_EQ(send->work.immediate, completion->immediate);
	if (grh) {
		D_EQ(sides[!side].info.addresses[UD_PAIR].qpn, completion->src_qp);
		for (uint32_t i = 0, left = grh; left; i++) {
			const struct piece *piece = &receive->work.sges[i];
			uint32_t part = piece->length < left ? piece->length : left;

			believe(side, piece->offset, part);
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
		D_FAIL("side %d pair %u: a message that nobody sent", side, completion->pair);
	send = &flow_of(!side, completion->pair)->sends[flow->inbound[flow->inbound_completed++]];
	note_event(side, cq, send->work.flags & IBV_SEND_SOLICITED);
	check_message(side, completion, receive, send);
}

static uint32_t poll_some(int side, uint32_t cq, uint32_t count)
{
	struct command command = { .kind = DO_POLL, .cq = cq, .count = count, .extended = d_once_in(&whim, 2) };
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

static void poll_all(void)
{
	for (int side = 0; side < 2; side++)
		for (uint32_t cq = 0; cq < CQS; cq++)
			poll_some(side, cq, MAX_POLLED);
	d_alive();
}

/* ---- posting ---- */

static uint32_t free_sends(int side, uint32_t pair)
{
	struct flow *flow = flow_of(side, pair);

	return sides[side].info.caps[pair].max_send_wr - (flow->posted - flow->completed);
}

static uint32_t free_receives(int side, uint32_t pair)
{
	struct flow *flow = flow_of(side, pair);

	if (end_uses_srq(pair))
		return SRQ_DEPTH - (sides[side].shared_posted - sides[side].shared_completed);
	return sides[side].info.caps[pair].max_recv_wr - (flow->receives_posted - flow->receives_completed);
}

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

/* Inline bytes were copied when they were posted: whoever changes them now changes nothing. */
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

/* More than there is room for is refused from there on; by the extended functions as a whole. */
static void post_sends(int side, uint32_t pair, uint32_t count)
{
	struct command command = {
		.kind = DO_POST_SEND, .pair = pair, .count = count, .extended = d_once_in(&chance, 2),
	};
	uint32_t room = free_sends(side, pair);
	uint32_t accepted = count <= room ? count : is_extended(side, &command) ? 0 : room;
	struct reply reply;

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

static void post_receives(int side, uint32_t pair, uint32_t count)
{
	struct command command = { .kind = DO_POST_RECEIVE, .pair = pair, .count = count };
	uint32_t room = free_receives(side, pair);
	uint32_t accepted = count <= room ? count : room;
	struct reply reply;

	/* How deep a shared queue was made is not known here. */
	if (end_uses_srq(pair))
		command.count = count = accepted;
	if (!count)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (i < accepted)
			command.works[i] = plan_receive(side, pair)->work;
		else
			command.works[i] = (struct work){ .wr_id = RECEIVE_BIT | 0xbad };
	}
	reply = run(side, &command);
	expect_answer(&command, &reply, accepted < count ? ENOMEM : 0, accepted);
}

static void post_one(int side, uint32_t pair, const struct work *work, bool extended)
{
	struct command command = {
		.kind = DO_POST_SEND, .pair = pair, .count = 1, .extended = extended, .works = { *work },
	};
	struct reply reply = run(side, &command);

	expect_answer(&command, &reply, 0, 1);
}

/* What no device takes: the answer is EINVAL, names the request, and nothing comes of it. */
static void post_refused(int side, uint32_t pair)
{
	const struct ibv_qp_cap *cap = &sides[side].info.caps[pair];
	struct command command = {
		.kind = DO_POST_SEND, .pair = pair, .count = 2, .extended = d_once_in(&chance, 2),
	};
	struct work *work = &command.works[1];
	bool extended = is_extended(side, &command);
	struct reply reply;

	if (free_sends(side, pair) < 2)
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

/* ---- a round ---- */

static void start_round(void)
{
	payloads_used = 0;
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
		s->used = DYNAMIC_AT;
		s->promised = 0;
		order_memory(side);
	}
}

static void arm(void)
{
	for (int side = 0; side < 2; side++) {
		struct command command = { .kind = DO_ARM };
		enum armed armed = (enum armed)d_below(&chance, 3);

		/* It stays armed until the event, and to be armed for less takes nothing back. */
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

static bool is_there(uint32_t pair)
{
	return sides[0].info.has_pair[pair] && (!lossy || pair != UD_PAIR);
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

/* Messages without a receive get one, and receives without a message. */
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

static bool is_complete(int side, uint32_t pair)
{
	const struct flow *flow = flow_of(side, pair);

	return flow->completed == flow->posted && flow->receives_completed == flow->receives_posted &&
	       sides[side].shared_completed == sides[side].shared_posted;
}

static void poll_until_complete(void)
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

static void compare(void)
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
					believe(side, send->work.sges[0].offset, send->work.sges[0].length);
			}
		}
		compare_memory(side);
	}
}

/* ---- violations ---- */

enum violated {
	WRITE_NOBODYS, WRITE_BOUNDS, WRITE_NO_RIGHT, WRITE_LOCAL_KEY, WRITE_OTHER_PD, WRITE_IMMEDIATE_NOBODYS,
	READ_BOUNDS, READ_NO_RIGHT, ATOMIC_NO_RIGHT, ATOMIC_UNALIGNED,
	SEND_NOBODYS, SEND_OTHER_PD, SEND_BOUNDS, READ_INTO_READ_ONLY,
	SHORT_RECEIVE, RECEIVE_READ_ONLY, RECEIVE_NOBODYS,
	BY_APPLICATION, VIOLATIONS,
};

#define SUCCESS IBV_WC_SUCCESS

static const struct violation {
	const char *name;
	uint32_t opcode;
	enum key local;
	enum key remote;
	enum ibv_wc_status status;		/* of the request */
	enum ibv_wc_status receive_status;	/* of the receive that it takes; success: it takes none */
	int event;				/* at the other side; -1: none */
	bool other_fails;
} violation_table[VIOLATIONS] = {
	[WRITE_NOBODYS] = { "write with a key that is none", IBV_WR_RDMA_WRITE, KEY_FULL, KEY_NOBODYS,
			    IBV_WC_REM_ACCESS_ERR, SUCCESS, IBV_EVENT_QP_ACCESS_ERR, true },
	[WRITE_BOUNDS] = { "write beyond the region", IBV_WR_RDMA_WRITE, KEY_FULL, KEY_FULL,
			   IBV_WC_REM_ACCESS_ERR, SUCCESS, IBV_EVENT_QP_ACCESS_ERR, true },
	[WRITE_NO_RIGHT] = { "write without the right", IBV_WR_RDMA_WRITE, KEY_FULL, KEY_NO_WRITE,
			     IBV_WC_REM_ACCESS_ERR, SUCCESS, IBV_EVENT_QP_ACCESS_ERR, true },
	[WRITE_LOCAL_KEY] = { "write with a local region's key", IBV_WR_RDMA_WRITE, KEY_FULL, KEY_LOCAL,
			      IBV_WC_REM_ACCESS_ERR, SUCCESS, IBV_EVENT_QP_ACCESS_ERR, true },
	[WRITE_OTHER_PD] = { "write into another domain", IBV_WR_RDMA_WRITE, KEY_FULL, KEY_OTHER_PD,
			     IBV_WC_REM_ACCESS_ERR, SUCCESS, IBV_EVENT_QP_ACCESS_ERR, true },
	[WRITE_IMMEDIATE_NOBODYS] = { "write-with-immediate with a key that is none", IBV_WR_RDMA_WRITE_WITH_IMM,
				      KEY_FULL, KEY_NOBODYS, IBV_WC_REM_ACCESS_ERR, SUCCESS,
				      IBV_EVENT_QP_ACCESS_ERR, true },
	[READ_BOUNDS] = { "read beyond the region", IBV_WR_RDMA_READ, KEY_FULL, KEY_FULL,
			  IBV_WC_REM_ACCESS_ERR, SUCCESS, IBV_EVENT_QP_ACCESS_ERR, true },
	[READ_NO_RIGHT] = { "read without the right", IBV_WR_RDMA_READ, KEY_FULL, KEY_NO_READ,
			    IBV_WC_REM_ACCESS_ERR, SUCCESS, IBV_EVENT_QP_ACCESS_ERR, true },
	[ATOMIC_NO_RIGHT] = { "atomic without the right", IBV_WR_ATOMIC_FETCH_AND_ADD, KEY_FULL, KEY_NO_ATOMIC,
			      IBV_WC_REM_ACCESS_ERR, SUCCESS, IBV_EVENT_QP_ACCESS_ERR, true },
	[ATOMIC_UNALIGNED] = { "unaligned atomic", IBV_WR_ATOMIC_CMP_AND_SWP, KEY_FULL, KEY_FULL,
			       IBV_WC_REM_INV_REQ_ERR, SUCCESS, IBV_EVENT_QP_REQ_ERR, true },
	[SEND_NOBODYS] = { "send from a key that is none", IBV_WR_SEND, KEY_NOBODYS, KEY_FULL,
			   IBV_WC_LOC_PROT_ERR, SUCCESS, -1, false },
	[SEND_OTHER_PD] = { "send from another domain", IBV_WR_SEND, KEY_OTHER_PD, KEY_FULL,
			    IBV_WC_LOC_PROT_ERR, SUCCESS, -1, false },
	[SEND_BOUNDS] = { "send from beyond the region", IBV_WR_SEND, KEY_FULL, KEY_FULL,
			  IBV_WC_LOC_PROT_ERR, SUCCESS, -1, false },
	[READ_INTO_READ_ONLY] = { "read into what may not be written", IBV_WR_RDMA_READ, KEY_READ_ONLY, KEY_FULL,
				  IBV_WC_LOC_PROT_ERR, SUCCESS, -1, false },
	[SHORT_RECEIVE] = { "receive too short", IBV_WR_SEND, KEY_FULL, KEY_FULL,
			    IBV_WC_REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR, -1, true },
	[RECEIVE_READ_ONLY] = { "receive into what may not be written", IBV_WR_SEND, KEY_FULL, KEY_FULL,
				IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR, -1, true },
	[RECEIVE_NOBODYS] = { "receive with a key that is none", IBV_WR_SEND, KEY_FULL, KEY_FULL,
			      IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR, -1, true },
	[BY_APPLICATION] = { "the application's own", 0, KEY_FULL, KEY_FULL, SUCCESS, SUCCESS, -1, false },
};

static bool is_possible(int side, uint32_t pair, enum violated violated)
{
	const struct end_info *info = &sides[side].info;
	uint32_t opcode = violation_table[violated].opcode;

	if (is_atomic(opcode))
		return info->has_atomics;
	/* What consumes a receive without completing it successfully is left to queues of their own. */
	return (opcode != IBV_WR_RDMA_WRITE_WITH_IMM || info->has_immediate) &&
	       (violation_table[violated].receive_status == SUCCESS || !end_uses_srq(pair));
}

static void plan_violating_receive(int side, uint32_t pair, enum violated violated, uint32_t length)
{
	struct flow *flow = flow_of(side, pair);
	struct receive *receive = &flow->receives[flow->receives_posted];

	add_receive(side, pair, receive, violated == SHORT_RECEIVE ? length - 1 : length, flow->receives_posted++);
	receive->status = violation_table[violated].receive_status;
	for (uint32_t i = 0; i < receive->work.num_sge; i++) {
		if (violated == RECEIVE_READ_ONLY)
			receive->work.sges[i].key = KEY_READ_ONLY;
		else if (violated == RECEIVE_NOBODYS)
			receive->work.sges[i].key = KEY_NOBODYS;
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
	send->status = violation->status;
	send->signaled = true;
	send->work.flags = d_once_in(&chance, 2) ? IBV_SEND_SIGNALED : 0;
	send->work.remote_key = violation->remote;
	send->work.remote_offset = violation->opcode == IBV_WR_RDMA_READ ? 0 : take_room(!side, length);
	if (violated == WRITE_BOUNDS || violated == READ_BOUNDS)
		send->work.remote_offset = ARENA - length + 1;
	else if (is_atomic(violation->opcode))
		send->work.remote_offset = ATOMICS_AT + 8 + (violated == ATOMIC_UNALIGNED ? 4 : 0);
	take_pieces(side, &send->work, length, is_atomic(violation->opcode) ? 1 :
						sides[side].info.caps[pair].max_send_sge);
	if (violation->opcode == IBV_WR_RDMA_READ && send->work.num_sge > sides[side].info.max_sge_rd)
		D_FAIL("reads take fewer pieces than sends here");
	last = send->work.num_sge - 1;
	/* Only the last piece is wrong: what was looked at before it does not excuse it. */
	send->work.sges[last].key = violation->local;
	if (violated == SEND_BOUNDS)
		send->work.sges[last].offset = ARENA - send->work.sges[last].length + 1;
}

/* The receives, at both sides, that will be flushed or serve what comes before the violation. */
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
	struct reply reply;

	if (violation->receive_status != SUCCESS) {
		struct command receive = { .kind = DO_POST_RECEIVE, .pair = pair, .count = 1 };

		plan_violating_receive(!side, pair, violated, length);
		receive.works[0] = to->receives[0].work;
		reply = run(!side, &receive);
		expect_answer(&receive, &reply, 0, 1);
		before = 0;
	}
	post_some_receives(!side, pair);
	for (uint32_t i = 0; i < before; i++)
		command.works[command.count++] =
			plan_send(side, pair, !end_uses_srq(pair) && to->inbound_count < to->receives_posted)->work;
	plan_violating_send(side, pair, violated, length);
	command.works[command.count++] = flow_of(side, pair)->sends[before].work;
	/* Neither carried out nor left out: flushed. */
	if (d_once_in(&chance, 2)) {
		struct send *send = plan_empty_send(side, pair, IBV_WR_SEND);

		send->work.flags = 0;
		send->status = IBV_WC_WR_FLUSH_ERR;
		command.works[command.count++] = send->work;
	}
	reply = run(side, &command);
	expect_answer(&command, &reply, 0, command.count);
}

/* Everything that is posted and was not completed. */
static void expect_flush(int side, uint32_t pair)
{
	struct flow *flow = flow_of(side, pair);

	for (uint32_t i = flow->receives_completed; i < flow->receives_posted; i++)
		if (flow->receives[i].status == SUCCESS && i >= flow->inbound_count)
			flow->receives[i].status = IBV_WC_WR_FLUSH_ERR;
}

static void post_in_error(int side, uint32_t pair)
{
	struct command command = { .kind = DO_POST_SEND, .pair = pair, .count = 1 };
	struct send *send;
	struct reply reply;

	poll_until_complete();
	D_EQ(IBV_QPS_ERR, run_simple(side, DO_STATE, pair).error);
	send = plan_empty_send(side, pair, IBV_WR_SEND);
	send->work.flags = 0;
	send->status = IBV_WC_WR_FLUSH_ERR;
	command.works[0] = send->work;
	reply = run(side, &command);
	expect_answer(&command, &reply, 0, 1);
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
	for (int side = 0; side < 2; side++) {
		struct command command = { .kind = DO_CONNECT, .pair = pair, .peer = sides[!side].info };

		run(side, &command);
	}
}

static void violate(void)
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
	if (!violation->other_fails) {
		D_EQ(IBV_QPS_RTS, run_simple(!side, DO_STATE, pair).error);
		run_simple(!side, DO_FAIL, pair);
	}
	post_in_error(side, pair);
	post_in_error(!side, pair);
	expect_async_events(side, pair, -1);
	expect_async_events(!side, pair, violation->event);
	/* How much of a message that was too long came is left open. */
	if (violated == SHORT_RECEIVE)
		for (uint32_t i = 0; i < flow_of(!side, pair)->receives[0].work.num_sge; i++)
			believe(!side, flow_of(!side, pair)->receives[0].work.sges[i].offset,
				flow_of(!side, pair)->receives[0].work.sges[i].length);
	compare();
	renew(pair);
	violations++;
}

/* ---- the whole ---- */

static void do_round(void)
{
	uint32_t steps;

	whim.state = chance.state = seed + round_number * 0x2545f4914f6cdd1d;
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
	compare();
	if (d_once_in(&chance, 3) && !lossy)
		violate();
}

static void serve(int fd, uint8_t *arena)
{
	struct end *end = end_open(arena, seed + 1);
	struct command command;
	struct reply reply;

	while (d_receive(fd, &command, sizeof(command)) && command.kind != DO_QUIT) {
		d_context("seed %llu, the other process, command %d on pair %u", (unsigned long long)seed,
			  command.kind, command.pair);
		end_execute(end, &command, &reply);
		d_send(fd, &reply, sizeof(reply));
	}
	end_close(end);
	_exit(0);
}

/* A process without an open device forks: softhca, like hardware, does not share a device with a child. */
static pid_t start_other_process(void)
{
	int fds[2];
	pid_t child;

	D_MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	child = fork();
	if (child < 0)
		D_FAIL("fork: %s", strerror(errno));
	if (!child) {
		close(fds[0]);
		serve(fds[1], sides[1].actual);
	}
	close(fds[1]);
	other_process = fds[0];
	return child;
}

static void *shared_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		D_FAIL("mmap: %s", strerror(errno));
	return memory;
}

static pid_t start(uint64_t processes)
{
	pid_t child = 0;

	payloads = D_HAVE((uint8_t *)malloc(PAYLOADS));
	for (int side = 0; side < 2; side++) {
		sides[side].actual = shared_memory(ARENA);
		sides[side].expected = D_HAVE((uint8_t *)malloc(ARENA));
		d_fill(sides[side].actual, ARENA, seed + (uint64_t)side);
		believe(side, 0, ARENA);
	}
	if (processes == 2)
		child = start_other_process();
	else
		sides[1].end = end_open(sides[1].actual, seed + 1);
	sides[0].end = end_open(sides[0].actual, seed);
	for (int side = 0; side < 2; side++)
		sides[side].info = run_simple(side, DO_INFO, 0).info;
	for (uint32_t pair = 0; pair < PAIRS; pair++) {
		for (int side = 0; side < 2; side++) {
			struct command command = { .kind = DO_CONNECT, .pair = pair, .peer = sides[!side].info };

			run(side, &command);
		}
	}
	return child;
}

static void stop(pid_t child)
{
	int status = 0;

	for (int side = 0; side < 2; side++) {
		if (sides[side].end)
			end_close(sides[side].end);
		munmap(sides[side].actual, ARENA);
		free(sides[side].expected);
	}
	free(payloads);
	if (!child)
		return;
	d_send(other_process, &(struct command){ .kind = DO_QUIT }, sizeof(struct command));
	D_EQ(child, waitpid(child, &status, 0));
	D_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
	uint64_t rounds = d_option(argc, argv, "--rounds", UINT64_MAX);
	uint64_t processes = d_option(argc, argv, "--processes", 1);
	time_t end = time(NULL) + (time_t)d_option(argc, argv, "--seconds", 60);
	pid_t child;

	lossy = d_option(argc, argv, "--lossy", 0);
	seed = d_option(argc, argv, "--seed", (uint64_t)time(NULL));
	round_number = d_option(argc, argv, "--first", 0);
	printf("differential --seed %llu --processes %llu\n", (unsigned long long)seed,
	       (unsigned long long)processes);
	fflush(stdout);
	d_context("--seed %llu, starting", (unsigned long long)seed);
	d_watchdog(120);
	child = start(processes);
	for (uint64_t i = 0; i < rounds && (rounds != UINT64_MAX || time(NULL) < end); i++, round_number++)
		do_round();
	stop(child);
	printf("differential: %llu rounds, %llu work requests, %llu completions, %llu violations: all as expected\n",
	       (unsigned long long)round_number, (unsigned long long)operations, (unsigned long long)completions,
	       (unsigned long long)violations);
	return 0;
}
