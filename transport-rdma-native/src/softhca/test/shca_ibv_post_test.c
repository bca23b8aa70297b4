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

/* What ibv_post_send and ibv_post_recv accept and refuse. */
#include "fault/shca_fault.h"
#include "t_child.h"
#include "t_pair.h"

static struct t_pair pair;

static struct ibv_send_wr request(struct ibv_sge *sge, enum ibv_wr_opcode opcode, unsigned int flags)
{
	return (struct ibv_send_wr){
		.wr_id = 99, .sg_list = sge, .num_sge = 1, .opcode = opcode, .send_flags = flags,
		.wr.rdma = { .remote_addr = (uintptr_t)pair.right.memory, .rkey = pair.right.mr->rkey },
	};
}

static int post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int ret = ibv_post_send(qp, wr, &bad);

	CHECK(!ret || bad == wr);
	return ret;
}

static int post_receive(struct ibv_qp *qp, struct ibv_sge *list, int count)
{
	struct ibv_recv_wr wr = { .wr_id = 7, .sg_list = list, .num_sge = count }, *bad = NULL;
	int ret = ibv_post_recv(qp, &wr, &bad);

	CHECK(!ret || bad == &wr);
	return ret;
}

static void nothing_came(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	CHECK_EQ(0, ibv_poll_cq(cq, 1, &wc));
}

static struct ibv_qp *create(enum ibv_qp_type type, struct ibv_srq *srq, int sq_sig_all)
{
	struct ibv_qp_init_attr init = {
		.send_cq = pair.left.send_cq, .recv_cq = pair.left.recv_cq, .srq = srq, .qp_type = type,
		.sq_sig_all = sq_sig_all,
		.cap = { .max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(pair.pd, &init);

	T_MUST(qp);
	return qp;
}

static int modify(struct ibv_qp *qp, enum ibv_qp_state state, int mask)
{
	struct ibv_qp_attr attr = { .qp_state = state, .port_num = 1, .qkey = 0x11, .ah_attr = { .is_global = 1 } };

	attr.ah_attr.port_num = 1;
	attr.ah_attr.grh.dgid = pair.gid;
	attr.path_mtu = IBV_MTU_1024;
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | mask);
}

#define TO_INIT		(IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define TO_RTR		(IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | \
			 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)

static void states_decide_what_may_be_posted(void)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	struct ibv_qp *qp;

	t_pair_open(&pair, &t_usual);
	sge = t_sge(&pair.left, 0, 1);
	wr = request(&sge, IBV_WR_SEND, 0);
	qp = create(IBV_QPT_RC, NULL, 0);
	CHECK_EQ(EINVAL, post(qp, &wr));
	CHECK_EQ(EINVAL, post_receive(qp, &sge, 1));
	CHECK_EQ(0, modify(qp, IBV_QPS_INIT, TO_INIT));
	CHECK_EQ(EINVAL, post(qp, &wr));
	CHECK_EQ(0, post_receive(qp, &sge, 1));
	CHECK_EQ(0, modify(qp, IBV_QPS_RTR, TO_RTR));
	CHECK_EQ(EINVAL, post(qp, &wr));
	CHECK_EQ(0, post_receive(qp, &sge, 1));
	CHECK_EQ(ENOMEM, post_receive(qp, &sge, 1));
	CHECK_EQ(0, ibv_destroy_qp(qp));
	nothing_came(pair.left.recv_cq);
	t_pair_close(&pair);
}

static void a_fault_refuses_a_call_and_posts_nothing(void)
{
	struct ibv_sge sge;
	struct ibv_send_wr second, first;
	struct ibv_send_wr *bad = NULL;

	t_pair_open(&pair, &t_usual);
	sge = t_sge(&pair.left, 0, 1);
	second = request(&sge, IBV_WR_SEND, IBV_SEND_SIGNALED);
	first = second;
	first.next = &second;
	CHECK_EQ(0, shca_fault_set("post@1,post-receive@1"));
	CHECK_EQ(ENOMEM, post_receive(pair.right.qp, &sge, 1));
	CHECK_EQ(ENOMEM, ibv_post_send(pair.left.qp, &first, &bad));
	CHECK(bad == &first);
	nothing_came(pair.left.send_cq);
	nothing_came(pair.right.recv_cq);
	t_receive(&pair.right, 1, 0, 16);
	CHECK_EQ(0, post(pair.left.qp, &second));
	t_expect(pair.right.recv_cq, 1, IBV_WC_SUCCESS);
	t_expect(pair.left.send_cq, 99, IBV_WC_SUCCESS);
	CHECK_EQ(0, shca_fault_set("off"));
	t_pair_close(&pair);
}

/* In SQD a request waits until the queue runs again. */
static void stopped_queue_keeps_requests(void)
{
	t_pair_open(&pair, &t_usual);
	t_receive(&pair.right, 1, 0, 16);
	CHECK_EQ(0, modify(pair.left.qp, IBV_QPS_SQD, 0));
	CHECK_EQ(0, t_post(&pair.left, 5, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, 16, NULL, 0));
	nothing_came(pair.left.send_cq);
	nothing_came(pair.right.recv_cq);
	CHECK_EQ(0, modify(pair.left.qp, IBV_QPS_RTS, 0));
	t_expect(pair.right.recv_cq, 1, IBV_WC_SUCCESS);
	t_expect(pair.left.send_cq, 5, IBV_WC_SUCCESS);
	t_pair_close(&pair);
}

/* Posts writes, of which only the last one is signaled. */
static void post_writes(int count)
{
	for (int i = 1; i <= count; i++)
		CHECK_EQ(0, t_post(&pair.left, (uint64_t)i, IBV_WR_RDMA_WRITE, i == count ? IBV_SEND_SIGNALED : 0, 0, 8,
				   &pair.right, 0));
}

/* A slot is free once a completion that covers it has been polled, not when its request is done. */
static void slots_are_freed_by_polling(void)
{
	t_pair_open(&pair, &t_usual);
	for (int round = 0; round < 3; round++) {
		post_writes(T_DEPTH / 2);
		post_writes(T_DEPTH / 2);
		CHECK_EQ(ENOMEM, t_post(&pair.left, 0, IBV_WR_RDMA_WRITE, 0, 0, 8, &pair.right, 0));
		t_expect(pair.left.send_cq, T_DEPTH / 2, IBV_WC_SUCCESS);
		post_writes(T_DEPTH / 2);
		CHECK_EQ(ENOMEM, t_post(&pair.left, 0, IBV_WR_RDMA_WRITE, 0, 0, 8, &pair.right, 0));
		t_expect(pair.left.send_cq, T_DEPTH / 2, IBV_WC_SUCCESS);
		t_expect(pair.left.send_cq, T_DEPTH / 2, IBV_WC_SUCCESS);
		nothing_came(pair.left.send_cq);
	}
	t_pair_close(&pair);
}

/* The depth is as granted, even if it is not a power of two. */
static void depth_is_as_granted(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp *qp;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	struct ibv_wc wc;

	t_pair_open(&pair, &t_usual);
	sge = t_sge(&pair.left, 0, 1);
	init = (struct ibv_qp_init_attr){
		.send_cq = pair.left.send_cq, .recv_cq = pair.left.recv_cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 5, .max_recv_wr = 5, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	qp = ibv_create_qp(pair.pd, &init);
	T_MUST(qp);
	CHECK_EQ(0, modify(qp, IBV_QPS_INIT, TO_INIT));
	CHECK_EQ(0, modify(qp, IBV_QPS_ERR, 0));
	for (uint32_t round = 0; round < 4; round++) {
		for (uint32_t i = 0; i < init.cap.max_send_wr; i++) {
			wr = request(&sge, IBV_WR_SEND, 0);
			wr.wr_id = round * 100 + i;
			CHECK_EQ(0, post(qp, &wr));
		}
		CHECK_EQ(ENOMEM, post(qp, &wr));
		for (uint32_t i = 0; i < init.cap.max_send_wr; i++)
			t_expect(pair.left.send_cq, round * 100 + i, IBV_WC_WR_FLUSH_ERR);
	}
	CHECK_EQ(0, ibv_poll_cq(pair.left.send_cq, 1, &wc));
	CHECK_EQ(0, ibv_destroy_qp(qp));
	t_pair_close(&pair);
}

static void chain_stops_at_the_first_bad(void)
{
	struct ibv_send_wr wr[4], *bad = NULL;
	struct ibv_sge sge;

	t_pair_open(&pair, &t_usual);
	sge = t_sge(&pair.left, 0, 8);
	for (int i = 0; i < 4; i++) {
		wr[i] = request(&sge, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED);
		wr[i].wr_id = (uint64_t)i;
		wr[i].next = i < 3 ? &wr[i + 1] : NULL;
	}
	wr[2].num_sge = T_SGES + 1;
	CHECK_EQ(EINVAL, ibv_post_send(pair.left.qp, wr, &bad));
	CHECK(bad == &wr[2]);
	t_expect(pair.left.send_cq, 0, IBV_WC_SUCCESS);
	t_expect(pair.left.send_cq, 1, IBV_WC_SUCCESS);
	nothing_came(pair.left.send_cq);
	t_pair_close(&pair);
}

static void lists_have_limits(void)
{
	struct ibv_port_attr port;
	struct ibv_sge list[T_SGES + 1];
	struct ibv_send_wr wr;

	t_pair_open(&pair, &t_usual);
	CHECK_EQ(0, ibv_query_port(pair.context, 1, &port));
	for (int i = 0; i <= T_SGES; i++)
		list[i] = t_sge(&pair.left, (size_t)i * 8, 8);
	wr = request(list, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED);
	wr.num_sge = -1;
	CHECK_EQ(EINVAL, post(pair.left.qp, &wr));
	wr.num_sge = T_SGES + 1;
	CHECK_EQ(EINVAL, post(pair.left.qp, &wr));
	wr.num_sge = T_SGES;
	CHECK_EQ(0, post(pair.left.qp, &wr));
	t_expect(pair.left.send_cq, 99, IBV_WC_SUCCESS);
	wr.num_sge = 0;
	wr.sg_list = NULL;
	CHECK_EQ(0, post(pair.left.qp, &wr));
	t_expect(pair.left.send_cq, 99, IBV_WC_SUCCESS);
	wr.sg_list = list;
	wr.num_sge = 2;
	list[0].length = port.max_msg_sz;
	list[1].length = 1;
	CHECK_EQ(EINVAL, post(pair.left.qp, &wr));
	nothing_came(pair.left.send_cq);
	t_pair_close(&pair);
}

static void inline_bytes_are_copied_at_once(void)
{
	uint8_t mine[129];
	struct ibv_sge list[2] = { { (uintptr_t)mine, 100, 0 }, { (uintptr_t)mine + 100, 28, 0xdead } };
	struct ibv_send_wr wr;

	t_pair_open(&pair, &t_usual);
	for (size_t i = 0; i < sizeof(mine); i++)
		mine[i] = (uint8_t)i;
	/* Stopped, so that the request is surely sent after the memory has changed. */
	CHECK_EQ(0, modify(pair.left.qp, IBV_QPS_SQD, 0));
	wr = request(list, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	wr.num_sge = 2;
	CHECK_EQ(0, post(pair.left.qp, &wr));
	memset(mine, 0xff, sizeof(mine));
	CHECK_EQ(0, modify(pair.left.qp, IBV_QPS_RTS, 0));
	t_expect(pair.left.send_cq, 99, IBV_WC_SUCCESS);
	for (size_t i = 0; i < 128; i++)
		CHECK_EQ(i, pair.right.memory[i]);
	list[1].length = 29;
	CHECK_EQ(EINVAL, post(pair.left.qp, &wr));
	list[1].length = UINT32_MAX;
	CHECK_EQ(EINVAL, post(pair.left.qp, &wr));
	list[1].length = 28;
	wr.opcode = IBV_WR_RDMA_READ;
	CHECK_EQ(EINVAL, post(pair.left.qp, &wr));
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	list[0].length = 8;
	wr.num_sge = 1;
	CHECK_EQ(EINVAL, post(pair.left.qp, &wr));
	t_pair_close(&pair);
}

static void opcodes_and_flags_are_checked(void)
{
	static const enum ibv_wr_opcode unknown[] = {
		IBV_WR_LOCAL_INV, IBV_WR_BIND_MW, IBV_WR_SEND_WITH_INV, IBV_WR_TSO, IBV_WR_DRIVER1, 99,
	};
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	t_pair_open(&pair, &t_usual);
	sge = t_sge(&pair.left, 0, 8);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		wr = request(&sge, unknown[i], 0);
		CHECK_EQ(EINVAL, post(pair.left.qp, &wr));
	}
	wr = request(&sge, IBV_WR_RDMA_WRITE, IBV_SEND_IP_CSUM);
	CHECK_EQ(EINVAL, post(pair.left.qp, &wr));
	wr.send_flags = 1u << 20;
	CHECK_EQ(EINVAL, post(pair.left.qp, &wr));
	nothing_came(pair.left.send_cq);
	t_pair_close(&pair);
}

static void atomics_are_eight_bytes(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	t_pair_open(&pair, &t_usual);
	sge = t_sge(&pair.left, 0, 4);
	wr = request(&sge, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_SEND_SIGNALED);
	wr.wr.atomic.remote_addr = (uintptr_t)pair.right.memory;
	wr.wr.atomic.rkey = pair.right.mr->rkey;
	wr.wr.atomic.compare_add = 5;
	CHECK_EQ(EINVAL, post(pair.left.qp, &wr));
	sge.length = 16;
	CHECK_EQ(EINVAL, post(pair.left.qp, &wr));
	sge.length = 8;
	CHECK_EQ(0, post(pair.left.qp, &wr));
	struct ibv_wc wc = t_wait(pair.left.send_cq);

	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_EQ(IBV_WC_FETCH_ADD, wc.opcode);
	CHECK_EQ(8, wc.byte_len);
	CHECK_EQ(5, pair.right.memory[0]);
	/* The responder checks the alignment. */
	wr.wr.atomic.remote_addr += 4;
	CHECK_EQ(0, post(pair.left.qp, &wr));
	t_expect(pair.left.send_cq, 99, IBV_WC_REM_INV_REQ_ERR);
	t_pair_close(&pair);
}

static void every_send_is_signaled_when_asked(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_qp *qp;

	t_pair_open(&pair, &t_usual);
	sge = t_sge(&pair.left, 0, 8);
	CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_RDMA_WRITE, 0, 0, 8, &pair.right, 0));
	CHECK_EQ(0, t_post(&pair.left, 2, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, 0, 8, &pair.right, 0));
	t_expect(pair.left.send_cq, 2, IBV_WC_SUCCESS);
	nothing_came(pair.left.send_cq);
	/* The same with a queue pair that signals all sends, in place of the left one. */
	qp = pair.left.qp;
	CHECK_EQ(0, ibv_destroy_qp(qp));
	CHECK_EQ(0, modify(pair.right.qp, IBV_QPS_RESET, 0));
	pair.left.qp = create(IBV_QPT_RC, NULL, 1);
	t_side_connect(&pair, &pair.left, &pair.right, &t_usual, 3, 4);
	t_side_connect(&pair, &pair.right, &pair.left, &t_usual, 4, 3);
	wr = request(&sge, IBV_WR_RDMA_WRITE, 0);
	CHECK_EQ(0, post(pair.left.qp, &wr));
	t_expect(pair.left.send_cq, 99, IBV_WC_SUCCESS);
	t_pair_close(&pair);
}

/* ---- receives ---- */

static void receives_are_checked(void)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_recv_wr wr[4], *bad = NULL;
	struct ibv_sge list[T_SGES + 1];
	struct ibv_srq *srq;
	struct ibv_qp *qp;

	t_pair_open(&pair, &t_usual);
	for (int i = 0; i <= T_SGES; i++)
		list[i] = t_sge(&pair.left, 0, 8);
	CHECK_EQ(EINVAL, post_receive(pair.left.qp, list, T_SGES + 1));
	CHECK_EQ(EINVAL, post_receive(pair.left.qp, list, -1));
	CHECK_EQ(0, post_receive(pair.left.qp, list, T_SGES));
	CHECK_EQ(0, post_receive(pair.left.qp, NULL, 0));
	qp = create(IBV_QPT_RC, NULL, 0);
	CHECK_EQ(0, modify(qp, IBV_QPS_INIT, TO_INIT));
	for (int i = 0; i < 4; i++)
		wr[i] = (struct ibv_recv_wr){ .next = i < 3 ? &wr[i + 1] : NULL, .sg_list = list, .num_sge = 1 };
	CHECK_EQ(ENOMEM, ibv_post_recv(qp, wr, &bad));
	CHECK(bad == &wr[2]);
	CHECK_EQ(0, ibv_destroy_qp(qp));
	srq = ibv_create_srq(pair.pd, &srq_init);
	T_MUST(srq);
	qp = create(IBV_QPT_RC, srq, 0);
	CHECK_EQ(0, modify(qp, IBV_QPS_INIT, TO_INIT));
	CHECK_EQ(EINVAL, post_receive(qp, list, 1));
	CHECK_EQ(0, ibv_destroy_qp(qp));
	CHECK_EQ(0, ibv_destroy_srq(srq));
	t_pair_close(&pair);
}

/* ---- iWARP ---- */

/* Only rdma_cm connects there, and inline data is shorter, so one unconnected queue pair has to do. */
static void open_one(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	T_MUST(list && list[0]);
	pair.context = ibv_open_device(list[0]);
	T_MUST(pair.context);
	ibv_free_device_list(list);
	pair.pd = ibv_alloc_pd(pair.context);
	T_MUST(pair.pd);
	pair.left.send_cq = ibv_create_cq(pair.context, 8, NULL, NULL, 0);
	pair.left.recv_cq = ibv_create_cq(pair.context, 8, NULL, NULL, 0);
	T_MUST(pair.left.send_cq && pair.left.recv_cq);
	pair.left.memory = calloc(1, 4096);
	T_MUST(pair.left.memory);
	pair.left.mr = ibv_reg_mr(pair.pd, pair.left.memory, 4096, IBV_ACCESS_LOCAL_WRITE);
	T_MUST(pair.left.mr);
	pair.right = pair.left;
	pair.left.qp = create(IBV_QPT_RC, NULL, 0);
}

static void close_one(void)
{
	t_side_close(&pair.left);
	T_MUST(!ibv_dealloc_pd(pair.pd));
	T_MUST(!ibv_close_device(pair.context));
}

static void iwarp_answers_with_negative_errors(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	open_one();
	sge = t_sge(&pair.left, 0, 8);
	wr = request(&sge, IBV_WR_SEND, 0);
	CHECK_EQ(-EINVAL, post(pair.left.qp, &wr));
	CHECK_EQ(0, modify(pair.left.qp, IBV_QPS_INIT, 0));
	CHECK_EQ(-EINVAL, post_receive(pair.left.qp, NULL, 0));
	for (int i = 0; i < 2; i++)
		CHECK_EQ(0, post_receive(pair.left.qp, &sge, 1));
	CHECK_EQ(-ENOMEM, post_receive(pair.left.qp, &sge, 1));
	CHECK_EQ(0, modify(pair.left.qp, IBV_QPS_ERR, 0));
	CHECK_EQ(-ENOTCONN, post(pair.left.qp, &wr));
	CHECK_EQ(-ENOTCONN, post_receive(pair.left.qp, &sge, 1));
	close_one();
}

static void iwarp_posts_are_different(void)
{
	t_in_child("SOFTHCA_PERSONALITY", "iwarp", iwarp_answers_with_negative_errors);
}

int main(void)
{
	T_RUN(iwarp_posts_are_different);
	T_RUN(states_decide_what_may_be_posted);
	T_RUN(a_fault_refuses_a_call_and_posts_nothing);
	T_RUN(stopped_queue_keeps_requests);
	T_RUN(slots_are_freed_by_polling);
	T_RUN(depth_is_as_granted);
	T_RUN(chain_stops_at_the_first_bad);
	T_RUN(lists_have_limits);
	T_RUN(inline_bytes_are_copied_at_once);
	T_RUN(opcodes_and_flags_are_checked);
	T_RUN(atomics_are_eight_bytes);
	T_RUN(every_send_is_signaled_when_asked);
	T_RUN(receives_are_checked);
	return t_result();
}
