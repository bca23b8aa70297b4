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

/* SRD: entries of the queues, and completions whose queue pair is gone. */
#include <unistd.h>

#include "fault/shca_fault.h"
#include "queue/shca_completion_queue.h"
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

/* Waits until count completions can be polled, without a poll. */
static void await_completions(struct ibv_cq_ex *ex, uint32_t count)
{
	struct shca_cq *cq = to_shca_cq(ibv_cq_ex_to_cq(ex));
	time_t end = time(NULL) + T_PATIENCE;

	while (atomic_load(&cq->tail) - atomic_load(&cq->head) < count && time(NULL) < end)
		usleep(100);
	CHECK_EQ(count, atomic_load(&cq->tail) - atomic_load(&cq->head));
}

static void a_slot_is_free_when_its_completion_was_polled(void)
{
	struct ibv_poll_cq_attr none = { 0 };

	open_all(7);
	for (int i = 0; i < T_DEPTH; i++)
		CHECK_EQ(0, t_srd_post(&left, (uint64_t)i, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	CHECK_EQ(ENOMEM, t_srd_post(&left, 99, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	while (ibv_start_poll(left.send_cq, &none))
		;
	CHECK_EQ(ENOMEM, t_srd_post(&left, 99, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	ibv_end_poll(left.send_cq);
	CHECK_EQ(0, t_srd_post(&left, 99, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	CHECK_EQ(ENOMEM, t_srd_post(&left, 100, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	for (int i = 0; i < T_DEPTH; i++)
		CHECK_EQ(IBV_WC_SUCCESS, t_srd_wait(left.send_cq).status);
	close_all();
}

static void a_failed_session_posts_nothing(void)
{
	struct ibv_qp_ex *ex;
	struct ibv_wc wc;

	open_all(7);
	ex = ibv_qp_to_qp_ex(left.qp);
	ibv_wr_start(ex);
	t_srd_add(&left, 1, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0));
	ex->wr_flags = 0;	/* not signaled */
	ibv_wr_send(ex);
	t_srd_add(&left, 2, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0));
	CHECK_EQ(EINVAL, ibv_wr_complete(ex));
	usleep(10000);
	CHECK_EQ(0, ibv_poll_cq(ibv_cq_ex_to_cq(left.send_cq), 1, &wc));
	CHECK_EQ(0, t_srd_post(&left, 3, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	t_srd_expect(left.send_cq, 3, IBV_WC_SUCCESS, 0);
	close_all();
}

static void a_receive_without_memory_never_matches(void)
{
	struct ibv_recv_wr wr = { .wr_id = 1 }, *bad;

	open_all(7);
	CHECK_EQ(0, ibv_post_recv(right.qp, &wr, &bad));
	CHECK_EQ(0, t_srd_post(&left, 1, IBV_WR_SEND, 0, 0, t_to(&right, 0)));
	CHECK_EQ(0, t_srd_receive(&right, 2, 0, 8));
	t_srd_expect(right.recv_cq, 2, IBV_WC_SUCCESS, 0);
	t_srd_expect(left.send_cq, 1, IBV_WC_SUCCESS, 0);
	close_all();
}

static void completions_outlive_their_queue_pair(void)
{
	struct ibv_poll_cq_attr none = { 0 };
	struct ibv_wc wc;

	open_all(7);
	for (uint64_t i = 0; i < 2; i++)
		CHECK_EQ(0, t_srd_post(&left, i, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	await_completions(left.send_cq, 2);
	CHECK_EQ(0, ibv_destroy_qp(left.qp));
	left.qp = NULL;
	CHECK_EQ(EINVAL, ibv_start_poll(left.send_cq, &none));
	CHECK_EQ(-EINVAL, ibv_poll_cq(ibv_cq_ex_to_cq(left.send_cq), 1, &wc));
	CHECK_EQ(ENOENT, ibv_start_poll(left.send_cq, &none));
	close_all();
}

/* One of a queue pair that exists, before one of a queue pair that is gone. */
static void completions_before_an_orphan_are_returned(void)
{
	struct ibv_wc wc[4];
	struct t_srd third;

	open_all(7);
	T_MUST(!shca_fault_set("reorder=0"));
	third = left;
	third.qp = t_srd_qp(&left, T_ALL_OPS);
	T_MUST(third.qp);
	t_srd_start(third.qp, 7);
	CHECK_EQ(0, t_srd_post(&left, 1, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	await_completions(left.send_cq, 1);
	CHECK_EQ(0, t_srd_post(&third, 2, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	await_completions(left.send_cq, 2);
	CHECK_EQ(0, ibv_destroy_qp(third.qp));
	CHECK_EQ(1, ibv_poll_cq(ibv_cq_ex_to_cq(left.send_cq), 4, wc));
	CHECK_EQ(1, wc[0].wr_id);
	CHECK_EQ(0, ibv_poll_cq(ibv_cq_ex_to_cq(left.send_cq), 4, wc));
	T_MUST(!shca_fault_set("off"));
	close_all();
}

int main(void)
{
	T_MUST(!setenv("SOFTHCA_PERSONALITY", "efa", 1));
	T_MUST(!setenv("SOFTHCA_QUIET", "1", 1));
	T_RUN(a_slot_is_free_when_its_completion_was_polled);
	T_RUN(a_failed_session_posts_nothing);
	T_RUN(a_receive_without_memory_never_matches);
	T_RUN(completions_outlive_their_queue_pair);
	T_RUN(completions_before_an_orphan_are_returned);
	return t_result();
}
