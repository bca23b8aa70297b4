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

/* Scalable reliable datagrams: each operation, each error of one request alone, and that nothing comes in order. */
#include <unistd.h>

#include "fault/shca_fault.h"
#include "queue/shca_srd_order.h"
#include "transport/srd/shca_srd.h"
#include "t_srd.h"

#define SIZE	(4u << 20)

static struct t_srd left, right;

static void open_all(int rnr_retry)
{
	t_srd_open_both(&left, &right, SIZE, rnr_retry);
}

static void close_all(void)
{
	t_srd_close_both(&left, &right);
}

static void fill(struct t_srd *side, size_t offset, size_t length, uint8_t seed)
{
	for (size_t i = 0; i < length; i++)
		side->memory[offset + i] = (uint8_t)(seed + i * 31 + (i >> 8));
}

static void expect_rts(const struct t_srd *side)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	CHECK_EQ(0, ibv_query_qp(side->qp, &attr, IBV_QP_STATE, &init));
	CHECK_EQ(IBV_QPS_RTS, attr.qp_state);
}

/* Waits until count completions can be polled, without a poll. */
static void await_completions(struct ibv_cq_ex *ex, uint32_t count)
{
	struct shca_cq *cq = to_shca_cq(ibv_cq_ex_to_cq(ex));
	time_t end = time(NULL) + T_PATIENCE;

	while (atomic_load(&cq->tail) - atomic_load(&cq->head) < count && time(NULL) < end)
		usleep(100);
	CHECK_EQ(count, atomic_load(&cq->tail) - atomic_load(&cq->head));
}

/* ---- operations ---- */

static void a_message_arrives(uint32_t length, enum ibv_wr_opcode opcode)
{
	struct ibv_wc wc;

	fill(&left, 0, length, (uint8_t)length);
	memset(right.memory, 0, length + 1);
	CHECK_EQ(0, t_srd_receive(&right, 7, 0, 8928));
	CHECK_EQ(0, t_srd_post(&left, 3, opcode, 0, length, t_to(&right, 0)));
	wc = t_srd_wait(right.recv_cq);
	CHECK_EQ(7, wc.wr_id);
	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_EQ(IBV_WC_RECV, wc.opcode);
	CHECK_EQ(length, wc.byte_len);
	CHECK_EQ(left.qp->qp_num, wc.src_qp);
	CHECK_EQ(right.qp->qp_num, wc.qp_num);
	CHECK_EQ(opcode == IBV_WR_SEND_WITH_IMM ? IBV_WC_WITH_IMM : 0, wc.wc_flags);
	if (opcode == IBV_WR_SEND_WITH_IMM)
		CHECK_EQ(3, wc.imm_data);
	CHECK_BYTES(left.memory, right.memory, length);
	CHECK_EQ(0, right.memory[length]);
	wc = t_srd_wait(left.send_cq);
	CHECK_EQ(3, wc.wr_id);
	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_EQ(IBV_WC_SEND, wc.opcode);
	CHECK_EQ(0, wc.byte_len);
}

static void messages_arrive(void)
{
	open_all(-1);
	a_message_arrives(0, IBV_WR_SEND);
	a_message_arrives(1, IBV_WR_SEND);
	a_message_arrives(32, IBV_WR_SEND_WITH_IMM);
	a_message_arrives(33, IBV_WR_SEND);
	a_message_arrives(8928, IBV_WR_SEND_WITH_IMM);
	close_all();
}

static void messages_by_ibv_post_send_arrive(void)
{
	struct ibv_send_wr wr = { .wr_id = 5, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	struct ibv_sge sge;

	open_all(-1);
	sge = (struct ibv_sge){ (uintptr_t)left.memory, 20, left.mr->lkey };
	wr.sg_list = &sge;
	wr.wr.ud.ah = left.ah;
	wr.wr.ud.remote_qpn = right.qp->qp_num;
	wr.wr.ud.remote_qkey = T_QKEY;
	fill(&left, 0, 20, 9);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(0, t_srd_receive(&right, 1, 0, 100));
		CHECK_EQ(0, ibv_post_send(left.qp, &wr, &bad));
		t_srd_expect(right.recv_cq, 1, IBV_WC_SUCCESS, 0);
		t_srd_expect(left.send_cq, 5, IBV_WC_SUCCESS, 0);
		CHECK_BYTES(left.memory, right.memory, 20);
		wr.send_flags |= IBV_SEND_INLINE;
	}
	wr.opcode = IBV_WR_RDMA_WRITE;
	CHECK_EQ(EINVAL, ibv_post_send(left.qp, &wr, &bad));
	wr.opcode = IBV_WR_SEND;
	wr.send_flags = 0;
	CHECK_EQ(EINVAL, ibv_post_send(left.qp, &wr, &bad));
	wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED;
	CHECK_EQ(EINVAL, ibv_post_send(left.qp, &wr, &bad));
	close_all();
}

static void memory_is_written_and_read(void)
{
	static const uint32_t lengths[] = { 0, 1, 16384, 16385, 100000, SIZE };
	struct ibv_wc wc;

	open_all(-1);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		fill(&left, 0, lengths[i], (uint8_t)(i + 1));
		CHECK_EQ(0, t_srd_post(&left, i, IBV_WR_RDMA_WRITE, 0, lengths[i], t_to(&right, 0)));
		wc = t_srd_wait(left.send_cq);
		CHECK_EQ(IBV_WC_SUCCESS, wc.status);
		CHECK_EQ(IBV_WC_RDMA_WRITE, wc.opcode);
		CHECK_BYTES(left.memory, right.memory, lengths[i]);
		memset(left.memory, 0, SIZE);
		CHECK_EQ(0, t_srd_post(&left, i, IBV_WR_RDMA_READ, 0, lengths[i], t_to(&right, 0)));
		wc = t_srd_wait(left.send_cq);
		CHECK_EQ(IBV_WC_SUCCESS, wc.status);
		/* As rdma-core's provider names it. */
		CHECK_EQ(IBV_WC_SEND, wc.opcode);
		CHECK_BYTES(right.memory, left.memory, lengths[i]);
	}
	close_all();
}

/* Many long writes at once: whenever an immediate is there, all bytes of its own write are. */
static void an_immediate_comes_after_its_bytes(void)
{
	uint32_t length = 100000;

	open_all(-1);
	for (uint32_t round = 0; round < 20; round++) {
		fill(&left, 0, 32 * length, (uint8_t)round);
		memset(right.memory, 0, 32 * length);
		for (uint32_t i = 0; i < 32; i++)
			CHECK_EQ(0, t_srd_receive(&right, i, 0, 1));
		ibv_wr_start(ibv_qp_to_qp_ex(left.qp));
		for (uint32_t i = 0; i < 32; i++)
			t_srd_add(&left, i, IBV_WR_RDMA_WRITE_WITH_IMM, i * length, length, t_to(&right, i * length));
		CHECK_EQ(0, ibv_wr_complete(ibv_qp_to_qp_ex(left.qp)));
		for (uint32_t i = 0; i < 32; i++) {
			struct ibv_wc wc = t_srd_wait(right.recv_cq);

			CHECK_EQ(IBV_WC_SUCCESS, wc.status);
			CHECK_EQ(IBV_WC_RECV_RDMA_WITH_IMM, wc.opcode);
			CHECK_EQ(length, wc.byte_len);
			CHECK_BYTES(left.memory + wc.imm_data * length, right.memory + wc.imm_data * length, length);
		}
		for (uint32_t i = 0; i < 32; i++)
			CHECK_EQ(IBV_WC_SUCCESS, t_srd_wait(left.send_cq).status);
	}
	close_all();
}

/* ---- order ---- */

/* Sends 32 numbered messages in one session. Returns how many were received behind a later one; each must come once. */
static int disorder(void)
{
	uint32_t last = 0, seen = 0;
	int behind = 0;

	for (uint32_t i = 0; i < 32; i++)
		CHECK_EQ(0, t_srd_receive(&right, i, 64 * i, 64));
	ibv_wr_start(ibv_qp_to_qp_ex(left.qp));
	for (uint32_t i = 0; i < 32; i++)
		t_srd_add(&left, i, IBV_WR_SEND_WITH_IMM, 0, 8, t_to(&right, 0));
	CHECK_EQ(0, ibv_wr_complete(ibv_qp_to_qp_ex(left.qp)));
	for (uint32_t i = 0; i < 32; i++) {
		struct ibv_wc wc = t_srd_wait(right.recv_cq);

		CHECK_EQ(IBV_WC_SUCCESS, wc.status);
		CHECK(!(seen & 1u << wc.imm_data));
		seen |= 1u << wc.imm_data;
		behind += wc.imm_data < last;
		last = wc.imm_data;
	}
	CHECK_EQ(UINT32_MAX, seen);
	for (uint32_t i = seen = 0; i < 32; i++)
		seen |= 1u << t_srd_wait(left.send_cq).wr_id;
	CHECK_EQ(UINT32_MAX, seen);
	return behind;
}

/* Posted one by one, requests are sent at once; their completions are swapped nevertheless. */
static void completions_are_reordered(void)
{
	uint64_t last = 0;
	int behind = 0;

	open_all(-1);
	for (uint64_t i = 0; i < 32; i++)
		CHECK_EQ(0, t_srd_post(&left, i, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	await_completions(left.send_cq, 32);
	for (int i = 0; i < 32; i++) {
		struct ibv_wc wc = t_srd_wait(left.send_cq);

		behind += wc.wr_id < last;
		last = wc.wr_id;
	}
	CHECK(behind > 5);
	close_all();
}

static void seed_repeats_the_order(void)
{
	uint32_t first[64], moved = 0;

	for (int round = 0; round < 2; round++) {
		T_MUST(!shca_fault_set("seed=5"));
		for (uint32_t i = 0; i < 64; i++) {
			uint32_t chosen = shca_srd_next_of(i);

			CHECK(chosen < 16 && (chosen < i || !i));
			moved += chosen > 0;
			if (round)
				CHECK_EQ(first[i], chosen);
			first[i] = chosen;
		}
	}
	CHECK(moved > 64);
}

static void order_is_not_kept(void)
{
	open_all(-1);
	CHECK(disorder() > 5);
	T_MUST(!shca_fault_set("reorder=0"));
	CHECK_EQ(0, disorder());
	T_MUST(!shca_fault_set("reorder=1:2"));
	CHECK(disorder() > 0);
	T_MUST(!shca_fault_set("off"));
	CHECK(disorder() > 5);
	CHECK_EQ(-EINVAL, shca_fault_set("reorder=1:0"));
	close_all();
}

/* A number may belong to another queue pair, or to another process, by now: records of the first are void. */
static void reused_number_has_no_history(void)
{
	static struct shca_srd srd;
	struct shca_srd_source *source = shca_srd_source_of(&srd, 0x20005, 1);

	T_MUST(source);
	source->records[3].progress = SHCA_SRD_DONE;
	CHECK(shca_srd_source_of(&srd, 0x20005, 1) == source);
	CHECK_EQ(SHCA_SRD_DONE, source->records[3].progress);
	CHECK(shca_srd_source_of(&srd, 0x30005, 1) != source);
	CHECK(shca_srd_source_of(&srd, 0x20005, 2) == source);
	CHECK_EQ(SHCA_SRD_OPEN, source->records[3].progress);
	shca_srd_forget_sources(&srd);
}

/* ---- what goes wrong for one request ---- */

static void still_works(void)
{
	expect_rts(&left);
	a_message_arrives(100, IBV_WR_SEND);
}

static void errors_are_of_one_request(void)
{
	struct t_target to;
	struct t_srd third;

	open_all(0);
	/* No receive, and no more tries. */
	CHECK_EQ(0, t_srd_post(&left, 1, IBV_WR_SEND, 0, 8, t_to(&right, 0)));
	t_srd_expect(left.send_cq, 1, IBV_WC_RNR_RETRY_EXC_ERR, 10);
	CHECK_EQ(0, t_srd_post(&left, 1, IBV_WR_RDMA_WRITE_WITH_IMM, 0, 8, t_to(&right, 0)));
	t_srd_expect(left.send_cq, 1, IBV_WC_RNR_RETRY_EXC_ERR, 10);
	still_works();
	/* No such queue pair, or a wrong queue key. */
	to = t_to(&right, 0);
	to.qkey++;
	CHECK_EQ(0, t_srd_post(&left, 2, IBV_WR_SEND, 0, 8, to));
	t_srd_expect(left.send_cq, 2, IBV_WC_REM_INV_RD_REQ_ERR, 9);
	t_srd_open(&third, 4096, T_MESSAGES, -1);
	to = t_to(&third, 0);
	t_srd_close(&third);
	CHECK_EQ(0, t_srd_post(&left, 3, IBV_WR_SEND, 0, 8, to));
	t_srd_expect(left.send_cq, 3, IBV_WC_REM_INV_RD_REQ_ERR, 9);
	to.qpn = 0xfffe;	/* a process that is not there */
	CHECK_EQ(0, t_srd_post(&left, 4, IBV_WR_SEND, 0, 8, to));
	t_srd_expect(left.send_cq, 4, IBV_WC_RESP_TIMEOUT_ERR, 13);
	still_works();
	/* Remote memory. */
	to = t_to(&right, 0);
	to.rkey ^= 1;
	CHECK_EQ(0, t_srd_post(&left, 5, IBV_WR_RDMA_WRITE, 0, 8, to));
	t_srd_expect(left.send_cq, 5, IBV_WC_REM_ACCESS_ERR, 7);
	CHECK_EQ(0, t_srd_post(&left, 6, IBV_WR_RDMA_READ, 0, 8, to));
	t_srd_expect(left.send_cq, 6, IBV_WC_REM_ACCESS_ERR, 7);
	CHECK_EQ(0, t_srd_post(&left, 7, IBV_WR_RDMA_WRITE, 0, 100000, t_to(&right, SIZE - 99999)));
	t_srd_expect(left.send_cq, 7, IBV_WC_REM_ACCESS_ERR, 7);
	still_works();
	/* Too long for the receive, which stays. */
	CHECK_EQ(0, t_srd_receive(&right, 70, 0, 99));
	CHECK_EQ(0, t_srd_post(&left, 8, IBV_WR_SEND, 0, 100, t_to(&right, 0)));
	t_srd_expect(left.send_cq, 8, IBV_WC_REM_INV_REQ_ERR, 11);
	CHECK_EQ(0, t_srd_post(&left, 9, IBV_WR_SEND, 0, 99, t_to(&right, 0)));
	t_srd_expect(right.recv_cq, 70, IBV_WC_SUCCESS, 0);
	t_srd_expect(left.send_cq, 9, IBV_WC_SUCCESS, 0);
	/* Local errors. */
	CHECK_EQ(0, t_srd_post(&left, 10, IBV_WR_SEND, 0, 8929, t_to(&right, 0)));
	t_srd_expect(left.send_cq, 10, IBV_WC_LOC_LEN_ERR, 6);
	CHECK_EQ(0, t_srd_post(&left, 11, IBV_WR_SEND, SIZE - 4, 8, t_to(&right, 0)));
	t_srd_expect(left.send_cq, 11, IBV_WC_LOC_PROT_ERR, 5);
	still_works();
	close_all();
}

static void the_target_must_know_the_initiator(void)
{
	struct ibv_ah_attr attr = { .port_num = 1 };
	struct efadv_ah_attr known = { 0 };
	struct ibv_ah *other;
	union ibv_gid source;
	struct efadv_cq *efa;
	struct ibv_poll_cq_attr none = { 0 };
	struct ibv_wc wc;

	open_all(-1);
	/* A receive names its sender by number. */
	CHECK_EQ(0, efadv_query_ah(right.ah, &known, sizeof(known)));
	CHECK_EQ(0, t_srd_receive(&right, 1, 0, 64));
	CHECK_EQ(0, t_srd_post(&left, 1, IBV_WR_SEND, 0, 8, t_to(&right, 0)));
	wc = t_srd_wait(right.recv_cq);
	CHECK_EQ(known.ahn, wc.slid);
	t_srd_expect(left.send_cq, 1, IBV_WC_SUCCESS, 0);
	/* Without a handle it is unknown, and the completion has its GID. */
	CHECK_EQ(0, ibv_destroy_ah(right.ah));
	right.ah = NULL;
	CHECK_EQ(0, t_srd_receive(&right, 2, 0, 64));
	CHECK_EQ(0, t_srd_post(&left, 2, IBV_WR_SEND, 0, 8, t_to(&right, 0)));
	while (ibv_start_poll(right.recv_cq, &none))
		;
	CHECK_EQ(0xffff, ibv_wc_read_slid(right.recv_cq));
	efa = efadv_cq_from_ibv_cq_ex(right.recv_cq);
	CHECK_EQ(0, efadv_wc_read_sgid(efa, &source));
	CHECK_BYTES(&t_gid, &source, sizeof(source));
	ibv_end_poll(right.recv_cq);
	t_srd_expect(left.send_cq, 2, IBV_WC_SUCCESS, 0);
	CHECK_EQ(0, t_srd_post(&left, 3, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	t_srd_expect(left.send_cq, 3, IBV_WC_REM_OP_ERR, 14);
	CHECK_EQ(0, t_srd_post(&left, 4, IBV_WR_RDMA_READ, 0, 8, t_to(&right, 0)));
	t_srd_expect(left.send_cq, 4, IBV_WC_REM_OP_ERR, 14);
	/* A GID that no process has. */
	attr.grh.dgid = t_gid;
	attr.grh.dgid.raw[15] ^= 1;
	other = ibv_create_ah(left.pd, &attr);
	T_MUST(other);
	CHECK_EQ(0, ibv_destroy_ah(left.ah));
	left.ah = other;
	CHECK_EQ(0, t_srd_post(&left, 5, IBV_WR_SEND, 0, 8, t_to(&right, 0)));
	t_srd_expect(left.send_cq, 5, IBV_WC_RESP_TIMEOUT_ERR, 15);
	expect_rts(&left);
	close_all();
}

static void a_message_waits_for_its_receive(void)
{
	open_all(7);
	CHECK_EQ(0, t_srd_post(&left, 1, IBV_WR_SEND, 0, 8, t_to(&right, 0)));
	CHECK_EQ(0, t_srd_post(&left, 2, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	/* What needs no receive passes it. */
	t_srd_expect(left.send_cq, 2, IBV_WC_SUCCESS, 0);
	usleep(20000);
	CHECK_EQ(0, t_srd_receive(&right, 3, 0, 8));
	t_srd_expect(right.recv_cq, 3, IBV_WC_SUCCESS, 0);
	t_srd_expect(left.send_cq, 1, IBV_WC_SUCCESS, 0);
	/* The error state flushes what waits. */
	CHECK_EQ(0, t_srd_post(&left, 4, IBV_WR_SEND, 0, 8, t_to(&right, 0)));
	CHECK_EQ(0, ibv_modify_qp(left.qp, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_ERR }, IBV_QP_STATE));
	t_srd_expect(left.send_cq, 4, IBV_WC_WR_FLUSH_ERR, 1);
	CHECK_EQ(EINVAL, t_srd_post(&left, 5, IBV_WR_SEND, 0, 8, t_to(&right, 0)));
	CHECK_EQ(EINVAL, t_srd_receive(&left, 5, 0, 8));
	close_all();
}

/* Requests whose handle is destroyed while they wait. */
static void destroyed_handle_fails_its_requests(void)
{
	open_all(7);
	CHECK_EQ(0, t_srd_post(&left, 1, IBV_WR_SEND, 0, 8, t_to(&right, 0)));
	CHECK_EQ(0, ibv_destroy_ah(left.ah));
	left.ah = NULL;
	t_srd_expect(left.send_cq, 1, IBV_WC_WR_FLUSH_ERR, 1);
	expect_rts(&left);
	close_all();
}

int main(void)
{
	T_MUST(!setenv("SOFTHCA_PERSONALITY", "efa", 1));
	T_MUST(!setenv("SOFTHCA_QUIET", "1", 1));
	T_RUN(messages_arrive);
	T_RUN(messages_by_ibv_post_send_arrive);
	T_RUN(memory_is_written_and_read);
	T_RUN(an_immediate_comes_after_its_bytes);
	T_RUN(seed_repeats_the_order);
	T_RUN(order_is_not_kept);
	T_RUN(completions_are_reordered);
	T_RUN(reused_number_has_no_history);
	T_RUN(errors_are_of_one_request);
	T_RUN(the_target_must_know_the_initiator);
	T_RUN(a_message_waits_for_its_receive);
	T_RUN(destroyed_handle_fails_its_requests);
	return t_result();
}
