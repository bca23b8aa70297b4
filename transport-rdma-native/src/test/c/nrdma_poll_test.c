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
/* Polling, against the provider of t_polling.h. */
#include "t_polling.h"

/* ---- tests, most of them for both APIs ---- */

static void empty_queue(bool extended)
{
	struct nrdma_cq cq = new_cq(extended, ALL_FLAGS);
	struct nrdma_wc out[4];

	CHECK_EQ(0, nrdma_poll(&cq, out, 4));
	CHECK_EQ(0, fake.ends);
	check_balance();
}

static void empty_queue_gives_none(void)
{
	empty_queue(false);
	empty_queue(true);
}

static void fields(bool extended)
{
	struct nrdma_cq cq = new_cq(extended, ALL_FLAGS);
	struct ibv_wc read = sent(3), inv = received(5);
	struct nrdma_wc out[8];

	read.opcode = IBV_WC_RDMA_READ;
	read.byte_len = 4096;
	inv.wc_flags = IBV_WC_WITH_INV;
	add(received(1));
	add(sent(2));
	add(read);
	add(failed(4));
	add(inv);
	CHECK_EQ(5, nrdma_poll(&cq, out, 8));
	check_wc(&(struct nrdma_wc) {
		.wr_id = 1, .opcode = IBV_WC_RECV, .byte_len = 100, .imm_or_vendor_err = IMM,
		.qp_num = 17, .src_qp = 18, .flags = IBV_WC_GRH | IBV_WC_WITH_IMM, .slid = 19, .sl = 3,
	}, &out[0]);
	check_wc(&(struct nrdma_wc) { .wr_id = 2, .opcode = IBV_WC_SEND, .qp_num = 17 }, &out[1]);
	check_wc(&(struct nrdma_wc) {
		.wr_id = 3, .opcode = IBV_WC_RDMA_READ, .byte_len = 4096, .qp_num = 17,
	}, &out[2]);
	check_wc(&(struct nrdma_wc) {
		.wr_id = 4, .status = IBV_WC_RNR_RETRY_EXC_ERR, .imm_or_vendor_err = 0x77, .qp_num = 17,
	}, &out[3]);
	/* The rkey of an invalidated window is at the offset of the immediate, and is not an immediate. */
	check_wc(&(struct nrdma_wc) {
		.wr_id = 5, .opcode = IBV_WC_RECV, .byte_len = 100, .qp_num = 17, .src_qp = 18,
		.slid = 19, .sl = 3,
	}, &out[4]);
	check_balance();
}

static void each_field_is_read_where_it_is_defined(void)
{
	fields(false);
	fields(true);
}

static void unrequested_getters_are_not_called(void)
{
	uint64_t essential = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | IBV_WC_EX_WITH_QP_NUM;
	struct nrdma_cq cq = new_cq(true, 0);
	struct nrdma_wc out[2];

	add(received(1));
	add(failed(2));
	CHECK_EQ(2, nrdma_poll(&cq, out, 2));
	check_wc(&(struct nrdma_wc) {
		.wr_id = 1, .opcode = IBV_WC_RECV, .flags = IBV_WC_GRH | IBV_WC_WITH_IMM,
	}, &out[0]);

	cq = new_cq(true, essential);
	add(received(1));
	CHECK_EQ(1, nrdma_poll(&cq, out, 2));
	check_wc(&(struct nrdma_wc) {
		.wr_id = 1, .opcode = IBV_WC_RECV, .byte_len = 100, .imm_or_vendor_err = IMM,
		.qp_num = 17, .flags = IBV_WC_GRH | IBV_WC_WITH_IMM,
	}, &out[0]);
	check_balance();
}

static void take_max(bool extended)
{
	struct nrdma_cq cq = new_cq(extended, ALL_FLAGS);
	struct nrdma_wc out[101];
	int i, n;

	for (i = 0; i < 250; i++)
		add(received((uint64_t)i));
	for (i = 0; i < 250; i += n) {
		out[100].wr_id = 0xcafe;
		n = nrdma_poll(&cq, out, 100);
		CHECK_EQ(i < 200 ? 100 : 50, n);
		if (n <= 0)
			return;
		CHECK_EQ(i, out[0].wr_id);
		CHECK_EQ(i + n - 1, out[n - 1].wr_id);
		CHECK_EQ(0xcafe, out[100].wr_id);
	}
	CHECK_EQ(0, nrdma_poll(&cq, out, 100));
	check_balance();
}

static void poll_takes_at_most_max_and_loses_none(void)
{
	take_max(false);
	take_max(true);
}

/* Fewer completions than were asked for mean an empty queue, which saves a call to the provider. */
static void short_chunk_ends_the_classic_poll(void)
{
	struct nrdma_cq cq = new_cq(false, 0);
	struct nrdma_wc out[64];
	int i;

	for (i = 0; i < 40; i++)
		add(sent((uint64_t)i));
	CHECK_EQ(40, nrdma_poll(&cq, out, 64));
	CHECK_EQ(2, fake.poll_calls);
}

static void max_of_nothing(bool extended)
{
	struct nrdma_cq cq = new_cq(extended, ALL_FLAGS);
	struct nrdma_wc out[1];

	add(sent(1));
	CHECK_EQ(-EINVAL, nrdma_poll(&cq, out, 0));
	CHECK_EQ(-EINVAL, nrdma_poll(&cq, out, -1));
	CHECK_EQ(0, fake.position);
}

static void max_of_nothing_is_refused(void)
{
	max_of_nothing(false);
	max_of_nothing(true);
}

static void error_after_completions(bool extended)
{
	struct nrdma_cq cq = new_cq(extended, ALL_FLAGS);
	struct nrdma_wc out[64];
	int i;

	for (i = 0; i < 32; i++)	/* a whole chunk, so that the classic API is called again */
		add(sent((uint64_t)i));
	add_error(EIO);
	add(sent(32));
	CHECK_EQ(32, nrdma_poll(&cq, out, 64));
	CHECK_EQ(-EIO, nrdma_poll(&cq, out, 64));
	CHECK_EQ(1, nrdma_poll(&cq, out, 64));
	CHECK_EQ(32, out[0].wr_id);
	CHECK_EQ(0, nrdma_poll(&cq, out, 64));
	check_balance();
}

static void error_after_completions_is_reported_by_the_next_poll(void)
{
	error_after_completions(false);
	error_after_completions(true);
}

static void error_at_once(bool extended)
{
	struct nrdma_cq cq = new_cq(extended, ALL_FLAGS);
	struct nrdma_wc out[4];

	add_error(ENODEV);
	CHECK_EQ(-ENODEV, nrdma_poll(&cq, out, 4));
	CHECK_EQ(0, nrdma_poll(&cq, out, 4));
	CHECK_EQ(0, fake.ends);
	check_balance();
}

static void first_error_is_reported_at_once(void)
{
	error_at_once(false);
	error_at_once(true);
}

/* Entries of destroyed queue pairs before, between and after valid ones. */
static void stale_entries(bool extended)
{
	struct nrdma_cq cq = new_cq(extended, ALL_FLAGS);
	struct nrdma_wc out[8];
	int i, total = 0, n;

	for (i = 0; i < 40; i++)
		add_error(EINVAL);
	add(received(1));
	add_error(EINVAL);
	add_error(EINVAL);
	add(received(2));
	add_error(EINVAL);
	while ((n = nrdma_poll(&cq, out + total, 8 - total)) > 0)
		total += n;
	CHECK_EQ(0, n);
	CHECK_EQ(2, total);
	CHECK_EQ(1, out[0].wr_id);
	CHECK_EQ(2, out[1].wr_id);
	check_balance();
}

static void stale_entries_are_passed_over(void)
{
	stale_entries(false);
	stale_entries(true);
}

/* The extended API sees every stale entry, so one poll returns all completions. */
static void stale_entries_do_not_end_a_batch(void)
{
	struct nrdma_cq cq = new_cq(true, ALL_FLAGS);
	struct nrdma_wc out[8];

	add(received(1));
	add_error(EINVAL);
	add(received(2));
	CHECK_EQ(2, nrdma_poll(&cq, out, 8));
	check_balance();
}

static void einval_endless(bool extended)
{
	struct nrdma_cq cq = new_cq(extended, ALL_FLAGS);
	struct nrdma_wc out[8];

	add(received(1));
	add_error(EINVAL);
	fake.script[1].endless = true;
	CHECK_EQ(1, nrdma_poll(&cq, out, 8));
	CHECK_EQ(-EINVAL, nrdma_poll(&cq, out, 8));
	CHECK_EQ(-EINVAL, nrdma_poll(&cq, out, 8));
	check_balance();
}

static void einval_that_does_not_go_away_is_an_error(void)
{
	einval_endless(false);
	einval_endless(true);
}

/* mlx4 and mlx5 return -2, which is not an errno. */
static void codes_of_classic_providers_are_eio(void)
{
	struct nrdma_cq cq = new_cq(false, 0);
	struct nrdma_wc out[1];

	add_error(1);
	add_error(2);
	CHECK_EQ(-EIO, nrdma_poll(&cq, out, 1));
	CHECK_EQ(-EIO, nrdma_poll(&cq, out, 1));
}

/* Some providers return a negative errno. */
static void negative_errno_of_extended_poll_is_understood(void)
{
	struct nrdma_cq cq = new_cq(true, ALL_FLAGS);
	struct nrdma_wc out[2];

	add(received(1));
	add_error(-ENODEV);
	add_error(-ENOENT);
	CHECK_EQ(1, nrdma_poll(&cq, out, 2));
	CHECK_EQ(-ENODEV, nrdma_poll(&cq, out, 2));
	CHECK_EQ(0, nrdma_poll(&cq, out, 2));
	check_balance();
}

static struct ibv_wc random_wc(uint64_t wr_id)
{
	static const enum ibv_wc_opcode opcodes[] = {
		IBV_WC_SEND, IBV_WC_RDMA_WRITE, IBV_WC_RDMA_READ, IBV_WC_COMP_SWAP,
		IBV_WC_FETCH_ADD, IBV_WC_RECV, IBV_WC_RECV_RDMA_WITH_IMM,
	};

	return (struct ibv_wc) {
		.wr_id = wr_id,
		.status = t_random_below(4) ? IBV_WC_SUCCESS : (enum ibv_wc_status)t_random_below(22),
		.opcode = opcodes[t_random_below(7)],
		.vendor_err = (uint32_t)t_random(),
		.byte_len = (uint32_t)t_random(),
		.imm_data = (uint32_t)t_random(),
		.qp_num = (uint32_t)t_random(),
		.src_qp = (uint32_t)t_random(),
		.wc_flags = (unsigned int)t_random_below(16),
		.slid = (uint16_t)t_random(),
		.sl = (uint8_t)t_random(),
	};
}

/* Polls until the queue is empty. Stores an error as a completion of wr_id 0 with the errno as status. */
static int drain_all(bool extended, const struct step *script, int length, struct nrdma_wc *out)
{
	struct nrdma_cq cq = new_cq(extended, ALL_FLAGS);
	int total = 0;
	int n;

	memcpy(fake.script, script, sizeof(fake.script));
	fake.length = length;
	while ((n = nrdma_poll(&cq, out + total, 1 + t_random_below(80)))) {
		if (n < 0)
			out[total] = (struct nrdma_wc) { .status = (uint8_t)-n };
		total += n < 0 ? 1 : n;
	}
	check_balance();
	return total;
}

static void both_apis_report_the_same(void)
{
	static struct step script[SCRIPT_MAX];
	static struct nrdma_wc classic[SCRIPT_MAX + 80], extended[SCRIPT_MAX + 80];
	int round, i;

	for (round = 0; round < 300; round++) {
		int length = t_random_below(SCRIPT_MAX);
		int count;

		memset(script, 0, sizeof(script));
		for (i = 0; i < length; i++) {
			script[i].wc = random_wc((uint64_t)i + 1);
			script[i].error = t_random_below(20) ? 0 : t_random_below(2) ? EINVAL : ENODEV;
		}
		count = drain_all(false, script, length, classic);
		CHECK_EQ(count, drain_all(true, script, length, extended));
		if (memcmp(classic, extended, (size_t)count * sizeof(classic[0])))
			T_FAIL("round %d: not the same", round);
	}
}

/* Each completion has a session of its own, which ends without a call of next_poll. */
static void broken_next_poll_is_not_called(void)
{
	struct nrdma_cq cq = new_cq(true, ALL_FLAGS);
	struct nrdma_wc out[4];

	cq.one_by_one = true;
	fake.ex.next_poll = NULL;
	add(sent(1));
	add(received(2));
	add(sent(3));
	CHECK_EQ(2, nrdma_poll(&cq, out, 2));
	CHECK_EQ(1, nrdma_poll(&cq, out + 2, 2));
	CHECK_EQ(0, nrdma_poll(&cq, out + 3, 1));
	CHECK_EQ(1, out[0].wr_id);
	CHECK_EQ(2, out[1].wr_id);
	CHECK_EQ(3, out[2].wr_id);
	CHECK_EQ(3, fake.starts);
	check_balance();
}

/* A completion of a sender without an address handle here. The GID is made from wr_id. */
static void add_unknown(uint64_t wr_id)
{
	struct ibv_wc wc = received(wr_id);

	wc.slid = 0xffff;
	fake.script[fake.length].sender.global.interface_id = wr_id;
	add(wc);
}

/* A poll of max completions: behind them one GID for each, and behind these a byte that nothing may write. */
struct with_gids {
	struct nrdma_wc wc[4];
	union ibv_gid gid[4];
	uint8_t end;
};

static int poll_gids(struct nrdma_cq *cq, struct with_gids *out)
{
	memset(out, 0xa5, sizeof(*out));
	return nrdma_poll(cq, out->wc, 4);
}

static void check_gid(const struct with_gids *out, int at, uint64_t wr_id)
{
	CHECK_EQ(wr_id, out->wc[at].wr_id);
	CHECK_EQ(0xffff, out->wc[at].slid);
	CHECK_EQ(IBV_WC_GRH | IBV_WC_WITH_IMM | NRDMA_WC_SENDER_GID, out->wc[at].flags);
	CHECK_EQ(wr_id, out->gid[at].global.interface_id);
	CHECK_EQ(0, out->gid[at].global.subnet_prefix);
}

static void check_no_gid(const struct with_gids *out, int at)
{
	CHECK_EQ(0, out->wc[at].flags & NRDMA_WC_SENDER_GID);
	CHECK_EQ(0xa5a5a5a5a5a5a5a5, out->gid[at].global.interface_id);
}

static void gid_of_an_unknown_sender_has_the_index_of_its_completion(void)
{
	struct nrdma_cq cq = new_cq(true, ALL_FLAGS);
	struct with_gids out;

	cq.efa = &fake.efa;
	fake.efa.wc_read_sgid = read_sgid;
	add(received(1));
	add_unknown(2);
	add(sent(3));
	add_unknown(4);
	add_unknown(5);
	add(failed(6));
	CHECK_EQ(4, poll_gids(&cq, &out));
	check_no_gid(&out, 0);
	check_gid(&out, 1, 2);
	check_no_gid(&out, 2);
	check_gid(&out, 3, 4);
	CHECK_EQ(0xa5, out.end);
	/* The indexes are those of the records that the caller has, not of the completions that there are. */
	CHECK_EQ(2, poll_gids(&cq, &out));
	check_gid(&out, 0, 5);
	check_no_gid(&out, 1);
	check_balance();
}

static int read_no_sgid(__attribute__((unused)) struct efadv_cq *cq, __attribute__((unused)) union ibv_gid *gid)
{
	return -ENOENT;
}

static void refused_gid_is_not_reported(void)
{
	struct nrdma_cq cq = new_cq(true, ALL_FLAGS);
	struct with_gids out;

	cq.efa = &fake.efa;
	fake.efa.wc_read_sgid = read_no_sgid;
	add_unknown(1);
	CHECK_EQ(1, poll_gids(&cq, &out));
	check_no_gid(&out, 0);
	CHECK_EQ(0xffff, out.wc[0].slid);
}

/* LIDs may have this number. */
static void unknown_sender(bool extended)
{
	struct nrdma_cq cq = new_cq(extended, ALL_FLAGS);
	struct with_gids out;

	fake.efa.wc_read_sgid = read_sgid;
	add_unknown(1);
	CHECK_EQ(1, poll_gids(&cq, &out));
	check_no_gid(&out, 0);
	CHECK_EQ(0xffff, out.wc[0].slid);
}

static void queue_without_gids_is_not_asked_for_them(void)
{
	unknown_sender(false);
	unknown_sender(true);
}

int main(void)
{
	t_seed();
	T_RUN(empty_queue_gives_none);
	T_RUN(each_field_is_read_where_it_is_defined);
	T_RUN(unrequested_getters_are_not_called);
	T_RUN(poll_takes_at_most_max_and_loses_none);
	T_RUN(short_chunk_ends_the_classic_poll);
	T_RUN(max_of_nothing_is_refused);
	T_RUN(error_after_completions_is_reported_by_the_next_poll);
	T_RUN(first_error_is_reported_at_once);
	T_RUN(stale_entries_are_passed_over);
	T_RUN(stale_entries_do_not_end_a_batch);
	T_RUN(einval_that_does_not_go_away_is_an_error);
	T_RUN(codes_of_classic_providers_are_eio);
	T_RUN(negative_errno_of_extended_poll_is_understood);
	T_RUN(both_apis_report_the_same);
	T_RUN(broken_next_poll_is_not_called);
	T_RUN(gid_of_an_unknown_sender_has_the_index_of_its_completion);
	T_RUN(refused_gid_is_not_reported);
	T_RUN(queue_without_gids_is_not_asked_for_them);
	return t_result();
}
