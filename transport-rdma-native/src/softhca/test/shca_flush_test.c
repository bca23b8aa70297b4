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

/* The error state: all posted requests complete, in order, once, and nothing else happens. */
#include <fcntl.h>

#include "fault/shca_fault.h"
#include "t_pair.h"

static struct t_pair pair;

static void to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	CHECK_EQ(0, ibv_modify_qp(qp, &attr, IBV_QP_STATE));
}

static enum ibv_qp_state state_of(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	CHECK_EQ(0, ibv_query_qp(qp, &attr, IBV_QP_STATE, &init));
	return attr.qp_state;
}

static void nothing_came(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	CHECK_EQ(0, ibv_poll_cq(cq, 1, &wc));
}

static void do_not_block(struct ibv_context *context)
{
	T_MUST(!fcntl(context->async_fd, F_SETFL, fcntl(context->async_fd, F_GETFL) | O_NONBLOCK));
}

/* The next event must be this one. */
static void expect_event(struct ibv_context *context, enum ibv_event_type type)
{
	struct ibv_async_event event;

	/* The helper thread may be the one that raises it, later. */
	if (!t_wait_readable(context->async_fd) || ibv_get_async_event(context, &event)) {
		T_FAIL("no event; %d was expected", type);
		return;
	}
	CHECK_EQ(type, event.event_type);
	ibv_ack_async_event(&event);
}

static void expect_no_event(struct ibv_context *context)
{
	struct ibv_async_event event;

	CHECK_EQ(-1, ibv_get_async_event(context, &event));
}

static void queues_are_flushed_in_order(void)
{
	t_pair_open(&pair, &t_usual);
	do_not_block(pair.context);
	to_state(pair.left.qp, IBV_QPS_SQD);
	for (uint64_t id = 1; id <= 3; id++) {
		CHECK_EQ(0, t_post(&pair.left, id, IBV_WR_SEND, 0, 0, 8, NULL, 0));
		t_receive(&pair.left, 10 + id, 0, 8);
	}
	to_state(pair.left.qp, IBV_QPS_ERR);
	for (uint64_t id = 1; id <= 3; id++) {
		struct ibv_wc wc = t_wait(pair.left.send_cq);

		/* Unsignaled ones too. */
		CHECK_EQ(id, wc.wr_id);
		CHECK_EQ(IBV_WC_WR_FLUSH_ERR, wc.status);
		CHECK_EQ(pair.left.qp->qp_num, wc.qp_num);
		t_expect(pair.left.recv_cq, 10 + id, IBV_WC_WR_FLUSH_ERR);
	}
	nothing_came(pair.left.send_cq);
	nothing_came(pair.left.recv_cq);
	expect_no_event(pair.context);
	t_pair_close(&pair);
}

static void posts_in_error_are_flushed_at_once(void)
{
	t_pair_open(&pair, &t_usual);
	to_state(pair.left.qp, IBV_QPS_ERR);
	for (uint64_t id = 0; id < 3 * T_DEPTH; id++) {
		CHECK_EQ(0, t_post(&pair.left, id, IBV_WR_SEND, 0, 0, 8, NULL, 0));
		t_expect(pair.left.send_cq, id, IBV_WC_WR_FLUSH_ERR);
		t_receive(&pair.left, id, 0, 8);
		t_expect(pair.left.recv_cq, id, IBV_WC_WR_FLUSH_ERR);
	}
	t_pair_close(&pair);
}

/*
 * Requests and unpolled completions vanish, and the queues have their full capacity again. Packets that were sent
 * before the reset may arrive after it, so each round has packet numbers of its own, as the specification demands for
 * queue pairs that are used again.
 */
static void reset_completes_nothing(void)
{
	t_pair_open(&pair, &t_usual);
	for (int round = 0; round < 3; round++) {
		uint32_t psn_left = 10000u * (uint32_t)(round + 1);
		uint32_t psn_right = 20000u * (uint32_t)(round + 1);

		for (int i = 0; i < T_DEPTH; i++)
			t_receive(&pair.left, (uint64_t)i, 0, 8);
		for (int i = 0; i < T_DEPTH; i++)
			CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, 0, 8, &pair.right, 0));
		if (round == 1)
			to_state(pair.left.qp, IBV_QPS_ERR);
		to_state(pair.left.qp, IBV_QPS_RESET);
		to_state(pair.right.qp, IBV_QPS_RESET);
		nothing_came(pair.left.send_cq);
		nothing_came(pair.left.recv_cq);
		t_side_connect(&pair, &pair.left, &pair.right, &t_usual, psn_left, psn_right);
		t_side_connect(&pair, &pair.right, &pair.left, &t_usual, psn_right, psn_left);
	}
	t_receive(&pair.right, 5, 0, 8);
	CHECK_EQ(0, t_post(&pair.left, 6, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, 8, NULL, 0));
	t_expect(pair.left.send_cq, 6, IBV_WC_SUCCESS);
	t_expect(pair.right.recv_cq, 5, IBV_WC_SUCCESS);
	t_pair_close(&pair);
}

/* Unsignaled requests before the error do not complete visibly; everything after it is flushed. */
static void first_error_flushes_the_rest(void)
{
	struct ibv_send_wr wr[4], *bad;
	struct ibv_sge sge, wrong;

	t_pair_open(&pair, &t_usual);
	sge = t_sge(&pair.left, 0, 8);
	wrong = sge;
	wrong.lkey ^= 0x100;
	for (int i = 0; i < 4; i++) {
		wr[i] = (struct ibv_send_wr){ .wr_id = (uint64_t)i, .next = i < 3 ? &wr[i + 1] : NULL,
					      .sg_list = i == 1 ? &wrong : &sge, .num_sge = 1,
					      .opcode = IBV_WR_RDMA_WRITE };
		wr[i].wr.rdma.remote_addr = (uintptr_t)pair.right.memory;
		wr[i].wr.rdma.rkey = pair.right.mr->rkey;
	}
	t_receive(&pair.left, 9, 0, 8);
	CHECK_EQ(0, ibv_post_send(pair.left.qp, wr, &bad));
	t_expect(pair.left.send_cq, 1, IBV_WC_LOC_PROT_ERR);
	t_expect(pair.left.send_cq, 2, IBV_WC_WR_FLUSH_ERR);
	t_expect(pair.left.send_cq, 3, IBV_WC_WR_FLUSH_ERR);
	t_expect(pair.left.recv_cq, 9, IBV_WC_WR_FLUSH_ERR);
	nothing_came(pair.left.send_cq);
	CHECK_EQ(IBV_QPS_ERR, state_of(pair.left.qp));
	t_pair_close(&pair);
}

/* The receive that part of a message has arrived for is the oldest. */
static void receive_of_a_partial_message_is_flushed_first(void)
{
	t_pair_open(&pair, &t_usual);
	t_receive(&pair.right, 1, 0, 1 << 20);
	t_receive(&pair.right, 2, 0, 8);
	/* All but the first two packets are lost. */
	CHECK_EQ(0, shca_fault_set("drop@3+,seed=1"));
	CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, 200000, NULL, 0));
	nothing_came(pair.right.recv_cq);
	to_state(pair.right.qp, IBV_QPS_ERR);
	t_expect(pair.right.recv_cq, 1, IBV_WC_WR_FLUSH_ERR);
	t_expect(pair.right.recv_cq, 2, IBV_WC_WR_FLUSH_ERR);
	nothing_came(pair.right.recv_cq);
	CHECK_EQ(0, shca_fault_set("off"));
	t_pair_close(&pair);
}

static struct ibv_qp *create(enum ibv_qp_type type, struct ibv_cq *send_cq, struct ibv_cq *recv_cq, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = send_cq, .recv_cq = recv_cq, .srq = srq, .qp_type = type,
		.cap = { .max_send_wr = 64, .max_recv_wr = 64, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(pair.pd, &init);

	T_MUST(qp);
	return qp;
}

/* Shared receives are not flushed: an event says that this queue pair will take no more of them. */
static void shared_receives_stay(void)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 2, .max_sge = 1 } };
	struct ibv_recv_wr wr = { .wr_id = 3 }, *bad;
	struct ibv_srq *srq;

	t_pair_open(&pair, &t_usual);
	do_not_block(pair.context);
	srq = ibv_create_srq(pair.pd, &srq_init);
	T_MUST(srq);
	T_MUST(!ibv_destroy_qp(pair.right.qp));
	to_state(pair.left.qp, IBV_QPS_RESET);
	pair.right.qp = create(IBV_QPT_RC, pair.right.send_cq, pair.right.recv_cq, srq);
	t_side_connect(&pair, &pair.left, &pair.right, &t_usual, 1, 2);
	t_side_connect(&pair, &pair.right, &pair.left, &t_usual, 2, 1);
	CHECK_EQ(0, ibv_post_srq_recv(srq, &wr, &bad));
	wr.wr_id = 4;
	CHECK_EQ(0, ibv_post_srq_recv(srq, &wr, &bad));
	CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, 0, NULL, 0));
	t_expect(pair.right.recv_cq, 3, IBV_WC_SUCCESS);
	to_state(pair.right.qp, IBV_QPS_ERR);
	nothing_came(pair.right.recv_cq);
	expect_event(pair.context, IBV_EVENT_QP_LAST_WQE_REACHED);
	expect_no_event(pair.context);
	t_expect(pair.left.send_cq, 1, IBV_WC_SUCCESS);
	/* The poll freed one of the two slots; the other still holds its receive. */
	CHECK_EQ(0, ibv_post_srq_recv(srq, &wr, &bad));
	CHECK_EQ(ENOMEM, ibv_post_srq_recv(srq, &wr, &bad));
	CHECK_EQ(0, ibv_destroy_qp(pair.right.qp));
	CHECK_EQ(0, ibv_destroy_srq(srq));
	pair.right.qp = create(IBV_QPT_RC, pair.right.send_cq, pair.right.recv_cq, NULL);
	t_pair_close(&pair);
}

static void overrun_kills_the_queue_pair(void)
{
	struct ibv_cq *small, *usual;
	struct ibv_wc wc;

	t_pair_open(&pair, &t_usual);
	do_not_block(pair.context);
	small = ibv_create_cq(pair.context, 2, NULL, NULL, 0);
	T_MUST(small && small->cqe < 60);
	T_MUST(!ibv_destroy_qp(pair.left.qp));
	to_state(pair.right.qp, IBV_QPS_RESET);
	usual = pair.left.send_cq;
	pair.left.send_cq = small;
	pair.left.qp = create(IBV_QPT_RC, small, pair.left.recv_cq, NULL);
	t_side_connect(&pair, &pair.left, &pair.right, &t_usual, 1, 2);
	t_side_connect(&pair, &pair.right, &pair.left, &t_usual, 2, 1);
	t_receive(&pair.left, 8, 0, 8);
	for (int i = 0; i <= small->cqe; i++)
		CHECK_EQ(0, t_post(&pair.left, (uint64_t)i, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, 0, 8,
				   &pair.right, 0));
	expect_event(pair.context, IBV_EVENT_CQ_ERR);
	expect_event(pair.context, IBV_EVENT_QP_FATAL);
	expect_no_event(pair.context);
	CHECK_EQ(IBV_QPS_ERR, state_of(pair.left.qp));
	/* The other completion queue still works. */
	t_expect(pair.left.recv_cq, 8, IBV_WC_WR_FLUSH_ERR);
	while (ibv_poll_cq(small, 1, &wc) > 0)
		CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_EQ(0, ibv_destroy_cq(usual));
	t_pair_close(&pair);
}

/* ---- datagrams: only the send queue stops ---- */

static struct ibv_ah *ah;
static struct ibv_qp *datagrams;

static void send_datagram(uint64_t id, uint32_t lkey, unsigned int flags)
{
	struct ibv_sge sge = { .addr = (uintptr_t)pair.left.memory, .length = 8, .lkey = lkey };
	struct ibv_send_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				  .send_flags = flags }, *bad;

	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = datagrams->qp_num;
	wr.wr.ud.remote_qkey = 0x11;
	CHECK_EQ(0, ibv_post_send(datagrams, &wr, &bad));
}

static void failed_datagram_stops_the_sends_only(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x11 };
	struct ibv_ah_attr to = { .is_global = 1, .port_num = 1 };
	struct ibv_sge sge;
	struct ibv_recv_wr receive = { .wr_id = 7, .sg_list = &sge, .num_sge = 1 }, *bad;
	uint32_t lkey;

	t_pair_open(&pair, &t_usual);
	lkey = pair.left.mr->lkey;
	to.grh.dgid = pair.gid;
	ah = ibv_create_ah(pair.pd, &to);
	T_MUST(ah);
	datagrams = create(IBV_QPT_UD, pair.left.send_cq, pair.left.recv_cq, NULL);
	CHECK_EQ(0, ibv_modify_qp(datagrams, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	to_state(datagrams, IBV_QPS_RTR);
	attr.qp_state = IBV_QPS_RTS;
	CHECK_EQ(0, ibv_modify_qp(datagrams, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
	sge = t_sge(&pair.left, 100, 48);
	CHECK_EQ(0, ibv_post_recv(datagrams, &receive, &bad));

	send_datagram(1, lkey ^ 0x100, 0);
	t_expect(pair.left.send_cq, 1, IBV_WC_LOC_PROT_ERR);
	CHECK_EQ(IBV_QPS_SQE, state_of(datagrams));
	send_datagram(2, lkey, 0);
	t_expect(pair.left.send_cq, 2, IBV_WC_WR_FLUSH_ERR);
	nothing_came(pair.left.recv_cq);

	to_state(datagrams, IBV_QPS_RTS);
	send_datagram(3, lkey, IBV_SEND_SIGNALED);
	t_expect(pair.left.send_cq, 3, IBV_WC_SUCCESS);
	t_expect(pair.left.recv_cq, 7, IBV_WC_SUCCESS);
	CHECK_EQ(0, ibv_destroy_qp(datagrams));
	CHECK_EQ(0, ibv_destroy_ah(ah));
	t_pair_close(&pair);
}

/* As on siw. The number of their queue pair may belong to another one by then. */
static void a_queue_pair_that_is_gone_may_leave_its_completions(void)
{
	T_MUST(!shca_fault_set("seed=1,linger=1"));
	t_pair_open(&pair, &t_usual);
	for (uint64_t id = 1; id <= 3; id++)
		t_receive(&pair.right, 10 + id, 0, 8);
	CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, 8, NULL, 0));
	t_expect(pair.left.send_cq, 1, IBV_WC_SUCCESS);
	CHECK_EQ(0, ibv_destroy_qp(pair.right.qp));
	t_expect(pair.right.recv_cq, 11, IBV_WC_SUCCESS);
	t_expect(pair.right.recv_cq, 12, IBV_WC_WR_FLUSH_ERR);
	t_expect(pair.right.recv_cq, 13, IBV_WC_WR_FLUSH_ERR);
	nothing_came(pair.right.recv_cq);
	T_MUST(!shca_fault_set("off"));
	pair.right.qp = create(IBV_QPT_RC, pair.right.send_cq, pair.right.recv_cq, NULL);
	t_pair_close(&pair);
}

int main(void)
{
	T_RUN(queues_are_flushed_in_order);
	T_RUN(posts_in_error_are_flushed_at_once);
	T_RUN(reset_completes_nothing);
	T_RUN(first_error_flushes_the_rest);
	T_RUN(receive_of_a_partial_message_is_flushed_first);
	T_RUN(shared_receives_stay);
	T_RUN(overrun_kills_the_queue_pair);
	T_RUN(failed_datagram_stops_the_sends_only);
	T_RUN(a_queue_pair_that_is_gone_may_leave_its_completions);
	return t_result();
}
