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

/* Scalable reliable datagrams with faults: lost packets, requests without an answer, and queue pairs that are gone. */
#include <unistd.h>

#include "base/shca_clock.h"
#include "fault/shca_fault.h"
#include "t_srd.h"

#define SIZE		(1u << 20)
#define REQUESTS	32u

static struct t_srd left, right;

static void open_all(int rnr_retry)
{
	t_srd_open_both(&left, &right, SIZE, rnr_retry);
}

static void close_all(void)
{
	t_srd_close_both(&left, &right);
}

static void expect_nothing(struct ibv_cq_ex *cq)
{
	struct ibv_wc wc;

	CHECK_EQ(0, ibv_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc));
}

static void still_works(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	CHECK_EQ(0, ibv_query_qp(left.qp, &attr, IBV_QP_STATE, &init));
	CHECK_EQ(IBV_QPS_RTS, attr.qp_state);
	CHECK_EQ(0, t_srd_receive(&right, 70, 0, 64));
	CHECK_EQ(0, t_srd_post(&left, 30, IBV_WR_SEND, 0, 8, t_to(&right, 0)));
	t_srd_expect(right.recv_cq, 70, IBV_WC_SUCCESS, 0);
	t_srd_expect(left.send_cq, 30, IBV_WC_SUCCESS, 0);
}

/* ---- lost packets ---- */

/* Sends and writes with immediates while packets are lost: each arrives once. */
static void lost_packets_are_repeated_and_nothing_comes_twice(void)
{
	uint8_t sent[256] = { 0 }, received[256] = { 0 };

	open_all(7);
	T_MUST(!shca_fault_set("seed=3,drop=0.05,rnr=0.1"));
	for (uint32_t i = 0; i < 256; i += 32) {
		ibv_wr_start(ibv_qp_to_qp_ex(left.qp));
		for (uint32_t k = i; k < i + 32; k++) {
			CHECK_EQ(0, t_srd_receive(&right, k, 0, 64));
			t_srd_add(&left, k, k % 2 ? IBV_WR_SEND_WITH_IMM : IBV_WR_RDMA_WRITE_WITH_IMM, 0,
				  k % 2 ? 8 : 40000, t_to(&right, 4096));
		}
		CHECK_EQ(0, ibv_wr_complete(ibv_qp_to_qp_ex(left.qp)));
		for (uint32_t k = 0; k < 32; k++) {
			struct ibv_wc wc = t_srd_wait(left.send_cq);

			CHECK_EQ(IBV_WC_SUCCESS, wc.status);
			sent[wc.wr_id]++;
			wc = t_srd_wait(right.recv_cq);
			CHECK_EQ(IBV_WC_SUCCESS, wc.status);
			received[wc.imm_data]++;
		}
	}
	T_MUST(!shca_fault_set("off"));
	for (int i = 0; i < 256; i++) {
		CHECK_EQ(1, sent[i]);
		CHECK_EQ(1, received[i]);
	}
	close_all();
}

static void peer_without_packets_is_unresponsive(void)
{
	open_all(7);
	T_MUST(!shca_fault_set("drop=1"));
	CHECK_EQ(0, t_srd_post(&left, 1, IBV_WR_SEND, 0, 8, t_to(&right, 0)));
	t_srd_expect(left.send_cq, 1, IBV_WC_RESP_TIMEOUT_ERR, 13);
	T_MUST(!shca_fault_set("off"));
	still_works();
	close_all();
}

/* ---- requests without an answer ---- */

/* The first request of two: the other one completes long before, and the queue pair goes on. */
static void goes_unanswered(enum ibv_wr_opcode opcode)
{
	uint64_t begin = shca_now(), after;

	T_MUST(!shca_fault_set("unresponsive@1"));
	CHECK_EQ(0, t_srd_post(&left, 1, opcode, 0, 40, t_to(&right, 4096)));
	CHECK_EQ(0, t_srd_post(&left, 2, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0)));
	t_srd_expect(left.send_cq, 2, IBV_WC_SUCCESS, 0);
	t_srd_expect(left.send_cq, 1, IBV_WC_RESP_TIMEOUT_ERR, 13);
	after = shca_now() - begin;
	CHECK(after > 350000000 && after < 5000000000);
	T_MUST(!shca_fault_set("off"));
}

/* The request was executed, once: the sender cannot know. */
static void a_write_without_an_answer_is_done(void)
{
	open_all(7);
	memset(left.memory, 7, 40);
	goes_unanswered(IBV_WR_RDMA_WRITE);
	CHECK_BYTES(left.memory, right.memory + 4096, 40);
	still_works();
	close_all();
}

static void a_message_without_an_answer_arrives_once(void)
{
	open_all(7);
	CHECK_EQ(0, t_srd_receive(&right, 11, 0, 64));
	CHECK_EQ(0, t_srd_receive(&right, 12, 0, 64));
	goes_unanswered(IBV_WR_SEND);
	t_srd_expect(right.recv_cq, 11, IBV_WC_SUCCESS, 0);
	expect_nothing(right.recv_cq);
	close_all();
}

/* Nor is an error an answer. */
static void lost_answer_hides_data_and_errors(void)
{
	open_all(0);
	memset(left.memory, 7, 40);
	memset(right.memory + 4096, 9, 40);
	goes_unanswered(IBV_WR_RDMA_READ);
	CHECK_EQ(7, left.memory[0]);
	goes_unanswered(IBV_WR_SEND);	/* there is no receive */
	still_works();
	close_all();
}

/* Which of the requests went unanswered, as bits. */
static uint32_t unanswered(const char *faults)
{
	uint32_t failed = 0;

	T_MUST(!shca_fault_set(faults));
	ibv_wr_start(ibv_qp_to_qp_ex(left.qp));
	for (uint32_t i = 0; i < REQUESTS; i++)
		t_srd_add(&left, i, IBV_WR_RDMA_WRITE, 0, 8, t_to(&right, 0));
	CHECK_EQ(0, ibv_wr_complete(ibv_qp_to_qp_ex(left.qp)));
	for (uint32_t i = 0; i < REQUESTS; i++) {
		struct ibv_wc wc = t_srd_wait(left.send_cq);

		CHECK(wc.wr_id < REQUESTS);
		if (wc.status == IBV_WC_SUCCESS)
			continue;
		CHECK_EQ(IBV_WC_RESP_TIMEOUT_ERR, wc.status);
		CHECK_EQ(13, wc.vendor_err);
		failed |= 1u << wc.wr_id;
	}
	T_MUST(!shca_fault_set("off"));
	return failed;
}

static void seed_chooses_unanswered_requests(void)
{
	uint32_t failed;

	open_all(7);
	failed = unanswered("seed=5,unresponsive=0.25");
	CHECK(failed && failed != UINT32_MAX);
	CHECK_EQ(failed, unanswered("seed=5,unresponsive=0.25"));
	CHECK(failed != unanswered("seed=6,unresponsive=0.25"));
	still_works();
	close_all();
}

/* ---- completions of a queue pair that is gone ---- */

static void expect_orphans(uint32_t count)
{
	struct ibv_wc wc;

	CHECK_EQ(0, ibv_destroy_qp(right.qp));
	right.qp = NULL;
	for (uint32_t i = 0; i < count; i++)
		CHECK_EQ(-EINVAL, ibv_poll_cq(ibv_cq_ex_to_cq(right.recv_cq), 1, &wc));
	expect_nothing(right.recv_cq);
}

/* Two messages have come, one receive is left. */
static void receive_twice(void)
{
	open_all(7);
	for (uint64_t i = 1; i <= 3; i++)
		CHECK_EQ(0, t_srd_receive(&right, i, 0, 64));
	for (uint64_t i = 1; i <= 2; i++) {
		CHECK_EQ(0, t_srd_post(&left, i, IBV_WR_SEND, 0, 8, t_to(&right, 0)));
		t_srd_expect(left.send_cq, i, IBV_WC_SUCCESS, 0);
	}
}

static void received_completions_outlive_their_queue_pair(void)
{
	receive_twice();
	expect_orphans(2);
	close_all();
}

static void linger_keeps_completions_of_posted_requests(void)
{
	receive_twice();
	T_MUST(!shca_fault_set("linger=1"));
	expect_orphans(3);
	T_MUST(!shca_fault_set("off"));
	close_all();
}

int main(void)
{
	T_MUST(!setenv("SOFTHCA_PERSONALITY", "efa", 1));
	T_MUST(!setenv("SOFTHCA_QUIET", "1", 1));
	T_RUN(lost_packets_are_repeated_and_nothing_comes_twice);
	T_RUN(peer_without_packets_is_unresponsive);
	T_RUN(a_write_without_an_answer_is_done);
	T_RUN(a_message_without_an_answer_arrives_once);
	T_RUN(lost_answer_hides_data_and_errors);
	T_RUN(seed_chooses_unanswered_requests);
	T_RUN(received_completions_outlive_their_queue_pair);
	T_RUN(linger_keeps_completions_of_posted_requests);
	return t_result();
}
