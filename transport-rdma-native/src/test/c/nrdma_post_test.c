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
/* Posting, against the provider of t_posting.h. Most tests are for both APIs. */
#include "t_batch.h"

static void every_operation(bool extended)
{
	struct nrdma_qp qp = new_qp(extended, false, CONNECTION_OPS);
	struct nrdma_send_wr all = {
		.flags = IBV_SEND_SIGNALED, .num_sge = 1, .imm = 0x01020304, .remote_addr = 0x1122334455667788,
		.rkey = 0x99aabbcc, .remote_qpn = 0xbad, .compare_add_or_ah = 0xc0c1c2c3c4c5c6c7,
		.swap_or_qkey = 0xd0d1d2d3d4d5d6d7,
	};
	struct posted plain = {
		.flags = IBV_SEND_SIGNALED, .num_sge = 1, .sge = { { .addr = 1, .length = 2, .lkey = 3 } },
	};
	struct posted rdma = plain;
	struct batch batch = new_batch();
	int i;

	rdma.remote_addr = all.remote_addr;
	rdma.rkey = all.rkey;
	for (i = IBV_WR_RDMA_WRITE; i <= IBV_WR_ATOMIC_FETCH_AND_ADD; i++) {
		all.opcode = (uint8_t)i;
		all.wr_id = 100 + (uint64_t)i;
		add_send(&batch, all);
		add_sge(&batch, 1, 2, 3);
	}
	check_result(7, 0, post(&qp, &batch));
	CHECK_EQ(7, fake.count);
	CHECK_EQ(extended, fake.sessions);
	for (i = IBV_WR_RDMA_WRITE; i <= IBV_WR_ATOMIC_FETCH_AND_ADD; i++) {
		struct posted expected = i == IBV_WR_SEND || i == IBV_WR_SEND_WITH_IMM ? plain : rdma;

		expected.wr_id = 100 + (uint64_t)i;
		expected.opcode = i;
		expected.imm = has_imm(i) ? htonl(0x01020304) : 0;
		if (i >= IBV_WR_ATOMIC_CMP_AND_SWP)
			expected.compare_add = all.compare_add_or_ah;
		if (i == IBV_WR_ATOMIC_CMP_AND_SWP)
			expected.swap = all.swap_or_qkey;
		check_posted(&expected, &fake.posted[i]);
	}
	free(batch.bytes);
}

static void every_operation_arrives_with_its_fields(void)
{
	every_operation(false);
	every_operation(true);
}

/* The first byte on the wire is the most significant one. */
static void immediate_is_in_network_order(bool extended)
{
	static const unsigned char bytes[] = { 1, 2, 3, 4 };
	struct nrdma_qp qp = new_qp(extended, false, CONNECTION_OPS);
	struct batch batch = new_batch();

	add_send(&batch, (struct nrdma_send_wr) { .opcode = IBV_WR_SEND_WITH_IMM, .imm = 0x01020304 });
	check_result(1, 0, post(&qp, &batch));
	CHECK_BYTES(bytes, &fake.posted[0].imm, sizeof(bytes));
	free(batch.bytes);
}

static void immediates_are_in_network_order(void)
{
	immediate_is_in_network_order(false);
	immediate_is_in_network_order(true);
}

static void datagram(bool extended)
{
	struct nrdma_qp qp = new_qp(extended, true, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM);
	struct batch batch = new_batch();

	add_send(&batch, (struct nrdma_send_wr) {
		.wr_id = 1, .opcode = IBV_WR_SEND_WITH_IMM, .num_sge = 1, .imm = 5, .remote_qpn = 0x123456,
		.compare_add_or_ah = 0x7f0011223344, .swap_or_qkey = 0x80010203,
	});
	add_sge(&batch, 1, 2, 3);
	check_result(1, 0, post(&qp, &batch));
	CHECK_EQ(extended, fake.sessions);
	check_posted(&(struct posted) {
		.wr_id = 1, .opcode = IBV_WR_SEND_WITH_IMM, .imm = htonl(5), .ah = 0x7f0011223344,
		.remote_qpn = 0x123456, .qkey = 0x80010203, .num_sge = 1,
		.sge = { { .addr = 1, .length = 2, .lkey = 3 } },
	}, &fake.posted[0]);
	free(batch.bytes);
}

static void datagrams_carry_their_address(void)
{
	datagram(false);
	datagram(true);
}

static void inline_send(bool extended)
{
	struct nrdma_qp qp = new_qp(extended, false, CONNECTION_OPS);
	static char hello[] = "hello, ", world[] = "world";
	struct batch batch = new_batch();

	add_send(&batch, (struct nrdma_send_wr) {
		.opcode = IBV_WR_SEND, .flags = IBV_SEND_INLINE | IBV_SEND_SOLICITED, .num_sge = 2,
	});
	add_sge(&batch, (uintptr_t)hello, 7, 0);
	add_sge(&batch, (uintptr_t)world, 6, 0);
	add_send(&batch, (struct nrdma_send_wr) { .opcode = IBV_WR_SEND, .flags = IBV_SEND_INLINE });
	check_result(2, 0, post(&qp, &batch));
	CHECK_EQ(13, fake.posted[0].inline_length);
	CHECK_TEXT("hello, world", fake.posted[0].inline_bytes);
	CHECK_EQ(IBV_SEND_INLINE | IBV_SEND_SOLICITED, fake.posted[0].flags);
	CHECK_EQ(0, fake.posted[1].inline_length);
	free(batch.bytes);
}

static void inline_data_is_taken_at_once(void)
{
	inline_send(false);
	inline_send(true);
}

/* More SGEs than the array on the stack holds; the classic API needs no array. */
static void inline_data_of_many_sges_uses_the_classic_call(void)
{
	struct nrdma_qp qp = new_qp(true, false, CONNECTION_OPS);
	struct batch batch = new_batch();
	static char bytes[33] = "abcdefghijklmnopqrstuvwxyz012345";
	int i;

	add_send(&batch, (struct nrdma_send_wr) {
		.opcode = IBV_WR_SEND, .flags = IBV_SEND_INLINE, .num_sge = 33,
	});
	for (i = 0; i < 33; i++)
		add_sge(&batch, (uintptr_t)&bytes[i], 1, 0);
	check_result(1, 0, post(&qp, &batch));
	CHECK_EQ(0, fake.sessions);
	CHECK_EQ(33, fake.posted[0].inline_length);
	CHECK_TEXT(bytes, fake.posted[0].inline_bytes);
	free(batch.bytes);
}

static void inline_data_of_one_sge_is_no_list(void)
{
	struct nrdma_qp qp = new_qp(true, false, CONNECTION_OPS);
	struct batch batch = new_batch();
	static char hello[] = "hello";

	qp_ex.wr_set_inline_data_list = NULL;
	add_send(&batch, (struct nrdma_send_wr) {
		.opcode = IBV_WR_SEND, .flags = IBV_SEND_INLINE, .num_sge = 1,
	});
	add_sge(&batch, (uintptr_t)hello, 6, 0);
	check_result(1, 0, post(&qp, &batch));
	CHECK_EQ(1, fake.sessions);
	CHECK_TEXT("hello", fake.posted[0].inline_bytes);
	free(batch.bytes);
}

static void batch_with_a_list_goes_the_classic_way_where_lists_are_broken(void)
{
	struct nrdma_qp qp = new_qp(true, false, CONNECTION_OPS);
	struct batch batch = new_batch();

	qp.send_ops &= ~(uint64_t)NRDMA_SEND_LISTS;
	add_send(&batch, (struct nrdma_send_wr) { .opcode = IBV_WR_SEND, .num_sge = 1 });
	add_sge(&batch, 0x1000, 1, 2);
	check_result(1, 0, post(&qp, &batch));
	CHECK_EQ(1, fake.sessions);
	add_send(&batch, (struct nrdma_send_wr) { .opcode = IBV_WR_SEND, .num_sge = 2 });
	add_sge(&batch, 0x1000, 1, 2);
	add_sge(&batch, 0x2000, 3, 4);
	check_result(2, 0, post(&qp, &batch));
	CHECK_EQ(1, fake.sessions);
	free(batch.bytes);
}

static void batch_with_an_operation_that_was_not_granted_goes_the_classic_way(void)
{
	struct nrdma_qp qp = new_qp(true, false, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE);
	struct batch batch = sends(2);

	check_result(2, 0, post(&qp, &batch));
	CHECK_EQ(1, fake.sessions);
	add_send(&batch, (struct nrdma_send_wr) { .opcode = IBV_WR_SEND_WITH_IMM });
	check_result(3, 0, post(&qp, &batch));
	CHECK_EQ(1, fake.sessions);
	CHECK_EQ(5, fake.count);
	free(batch.bytes);
}

static void one_session_takes_the_whole_batch(void)
{
	struct nrdma_qp qp = new_qp(true, false, CONNECTION_OPS);
	struct batch batch = sends(200);

	check_result(200, 0, post(&qp, &batch));
	CHECK_EQ(1, fake.sessions);
	CHECK_EQ(0, fake.calls);
	CHECK_EQ(200, fake.count);
	free(batch.bytes);
}

static void chain(int count)
{
	struct nrdma_qp qp = new_qp(false, false, 0);
	struct batch batch = sends(count);
	int i;

	check_result(count, 0, post(&qp, &batch));
	CHECK_EQ((count + 31) / 32, fake.calls);
	CHECK_EQ(count, fake.count);
	for (i = 0; i < count; i++) {
		CHECK_EQ(i, fake.posted[i].wr_id);
		CHECK_EQ(0x1000 + i, fake.posted[i].sge[0].addr);
	}
	free(batch.bytes);
}

static void chains_are_cut_in_chunks_and_keep_their_order(void)
{
	chain(1);
	chain(31);
	chain(32);
	chain(33);
	chain(64);
	chain(200);
}

static void bad_batch(bool extended)
{
	struct nrdma_qp qp = new_qp(extended, false, CONNECTION_OPS);
	struct batch batch = sends(70);

	check_result(0, EINVAL, nrdma_post_send(&qp, (const void *)batch.bytes, 0));
	check_result(0, EINVAL, nrdma_post_send(&qp, (const void *)batch.bytes, -1));
	add_send(&batch, (struct nrdma_send_wr) { .opcode = IBV_WR_LOCAL_INV });
	check_result(0, EINVAL, post(&qp, &batch));
	CHECK_EQ(0, fake.count);
	CHECK_EQ(0, fake.sessions);
	CHECK_EQ(0, fake.calls);
	free(batch.bytes);
}

static void unknown_opcode_or_no_count_posts_nothing(void)
{
	bad_batch(false);
	bad_batch(true);
}

static void receive(bool shared)
{
	struct batch batch = receives(100);
	int i;

	new_qp(false, false, 0);
	check_result(100, 0, post_receive_batch(shared, &batch));
	CHECK_EQ(4, fake.calls);
	for (i = 0; i < 100; i++) {
		CHECK_EQ(i, fake.posted[i].wr_id);
		CHECK_EQ(i % 3, fake.posted[i].num_sge);
		CHECK_EQ(i % 3 > 0 ? 0x1000 + i : 0, fake.posted[i].sge[0].addr);
		CHECK_EQ(i % 3 > 1 ? 65 : 0, fake.posted[i].sge[1].length);
	}
	batch.count = 0;
	check_result(0, EINVAL, post_receive_batch(shared, &batch));
	free(batch.bytes);
}

static void receives_arrive(void)
{
	receive(false);
	receive(true);
}

static void add_random_send(struct batch *batch, char *memory, bool datagram)
{
	struct nrdma_send_wr record = {
		.wr_id = t_random(),
		.opcode = (uint8_t)(datagram ? IBV_WR_SEND + t_random_below(2) : t_random_below(7)),
		.flags = (uint8_t)t_random_below(16),
		.num_sge = (uint16_t)t_random_below(t_random_below(10) ? 4 : 33),
		.imm = (uint32_t)t_random(),
		.remote_addr = t_random(),
		.rkey = (uint32_t)t_random(),
		.remote_qpn = (uint32_t)t_random(),
		.compare_add_or_ah = t_random(),
		.swap_or_qkey = t_random(),
	};
	int i;

	add_send(batch, record);
	for (i = 0; i < record.num_sge; i++)
		add_sge(batch, (uintptr_t)&memory[t_random_below(56)], (uint32_t)t_random_below(8),
			(uint32_t)t_random());
}

static void both_apis_post_the_same(void)
{
	static struct posted classic[POSTED_MAX];
	static char memory[64];
	int round, i;

	for (i = 0; i < 64; i++)
		memory[i] = (char)t_random();
	for (round = 0; round < 300; round++) {
		bool is_datagram = t_random_below(2);
		struct batch batch = new_batch();
		int count = 1 + t_random_below(150);
		struct nrdma_qp qp;

		for (i = 0; i < count; i++)
			add_random_send(&batch, memory, is_datagram);
		qp = new_qp(false, is_datagram, 0);
		check_result(count, 0, post(&qp, &batch));
		memcpy(classic, fake.posted, sizeof(classic));
		qp = new_qp(true, is_datagram, CONNECTION_OPS);
		check_result(count, 0, post(&qp, &batch));
		CHECK_EQ(count, fake.count);
		for (i = 0; i < count; i++)
			check_posted(&classic[i], &fake.posted[i]);
		free(batch.bytes);
	}
}

int main(void)
{
	t_seed();
	T_RUN(every_operation_arrives_with_its_fields);
	T_RUN(immediates_are_in_network_order);
	T_RUN(datagrams_carry_their_address);
	T_RUN(inline_data_is_taken_at_once);
	T_RUN(inline_data_of_one_sge_is_no_list);
	T_RUN(inline_data_of_many_sges_uses_the_classic_call);
	T_RUN(batch_with_a_list_goes_the_classic_way_where_lists_are_broken);
	T_RUN(batch_with_an_operation_that_was_not_granted_goes_the_classic_way);
	T_RUN(one_session_takes_the_whole_batch);
	T_RUN(chains_are_cut_in_chunks_and_keep_their_order);
	T_RUN(unknown_opcode_or_no_count_posts_nothing);
	T_RUN(receives_arrive);
	T_RUN(both_apis_post_the_same);
	return t_result();
}
