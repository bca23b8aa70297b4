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

/* A slow device: what may come late on an adapter comes late here. */
#include "abi/softhca.h"
#include "t_pair.h"

#define LONG		"4s"	/* longer than the test takes */
#define SHORT		"1ms"
#define PAGE		4096u
#define MESSAGES	32

static struct t_pair pair;

static void faults(const char *words)
{
	char command[100];

	snprintf(command, sizeof(command), "faults seed=1,%s", words);
	T_MUST(!softhca_control(0, command));
}

static int count(struct ibv_cq *cq)
{
	struct ibv_wc wc[MESSAGES];

	return ibv_poll_cq(cq, MESSAGES, wc);
}

static void fail(struct t_side *side)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	CHECK_EQ(0, ibv_modify_qp(side->qp, &attr, IBV_QP_STATE));
}

static void delayed_send_is_flushed_undelivered(void)
{
	t_pair_open(&pair, &t_usual);
	t_receive(&pair.right, 1, 0, 1);
	faults("begin=1:" LONG);
	CHECK_EQ(0, t_post(&pair.left, 2, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, 1, NULL, 0));
	CHECK_EQ(0, count(pair.left.send_cq));
	fail(&pair.left);
	t_expect(pair.left.send_cq, 2, IBV_WC_WR_FLUSH_ERR);
	CHECK_EQ(0, count(pair.right.recv_cq));
	faults("off");
	t_pair_close(&pair);
}

static void unacknowledged_send_is_flushed_after_delivery(void)
{
	t_pair_open(&pair, &t_usual);
	t_receive(&pair.right, 1, 0, 1);
	faults("acknowledge=1:" LONG);
	CHECK_EQ(0, t_post(&pair.left, 2, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, 1, NULL, 0));
	t_expect(pair.right.recv_cq, 1, IBV_WC_SUCCESS);
	CHECK_EQ(0, count(pair.left.send_cq));
	fail(&pair.left);
	t_expect(pair.left.send_cq, 2, IBV_WC_WR_FLUSH_ERR);
	faults("off");
	t_pair_close(&pair);
}

/* All requests complete in order, with their data; there are reads among them. */
static void delayed_requests_complete_in_order(void)
{
	int i;

	t_pair_open(&pair, &t_usual);
	faults("begin=0.3:" SHORT ",acknowledge=0.3:" SHORT);
	for (i = 0; i < MESSAGES; i++)
		t_receive(&pair.right, (uint64_t)i, (size_t)i * PAGE, PAGE);
	for (i = 0; i < MESSAGES; i++) {
		bool reads = i % 4 == 3;

		memset(pair.left.memory + (size_t)i * PAGE, i, PAGE);
		CHECK_EQ(0, t_post(&pair.left, (uint64_t)i, reads ? IBV_WR_RDMA_READ : IBV_WR_SEND, IBV_SEND_SIGNALED,
				   (size_t)i * PAGE, PAGE, reads ? &pair.right : NULL, (size_t)MESSAGES * PAGE));
	}
	for (i = 0; i < MESSAGES; i++)
		t_expect(pair.left.send_cq, (uint64_t)i, IBV_WC_SUCCESS);
	for (i = 0; i < MESSAGES - MESSAGES / 4; i++)
		t_expect(pair.right.recv_cq, (uint64_t)i, IBV_WC_SUCCESS);
	CHECK_EQ(1, pair.right.memory[PAGE]);
	CHECK_EQ(4, pair.right.memory[3 * PAGE]);
	CHECK_EQ(0, pair.left.memory[3 * PAGE]);
	faults("off");
	t_pair_close(&pair);
}

int main(void)
{
	T_RUN(delayed_send_is_flushed_undelivered);
	T_RUN(unacknowledged_send_is_flushed_after_delivery);
	T_RUN(delayed_requests_complete_in_order);
	return t_result();
}
