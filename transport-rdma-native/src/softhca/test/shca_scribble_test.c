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

/* Memory that is posted to be filled belongs to the device: a program that reads or writes it finds that out. */
#include "abi/softhca.h"
#include "t_pair.h"

#define OURS	7
#define SIZE	64u
#define MESSAGE	3u

static struct t_pair pair;

static bool is_ours(const uint8_t *memory, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (memory[i] != OURS)
			return false;
	return true;
}

static void open_with_scribbles(void)
{
	t_pair_open(&pair, &t_usual);
	memset(pair.left.memory, OURS, SIZE);
	memset(pair.right.memory, OURS, SIZE);
	T_MUST(!softhca_control(0, "faults seed=1,scribble=1"));
}

static void close_pair(void)
{
	T_MUST(!softhca_control(0, "faults off"));
	t_pair_close(&pair);
}

static void fail(struct t_side *side)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	CHECK_EQ(0, ibv_modify_qp(side->qp, &attr, IBV_QP_STATE));
}

static void a_receive_is_written_when_it_is_posted(void)
{
	open_with_scribbles();
	t_receive(&pair.right, 1, 0, SIZE - 1);
	CHECK(!is_ours(pair.right.memory, 0, SIZE - 1));
	CHECK(is_ours(pair.right.memory, SIZE - 1, SIZE));
	CHECK_EQ(0, t_post(&pair.left, 2, IBV_WR_SEND, IBV_SEND_SIGNALED, 0, MESSAGE, NULL, 0));
	t_expect(pair.right.recv_cq, 1, IBV_WC_SUCCESS);
	t_expect(pair.left.send_cq, 2, IBV_WC_SUCCESS);
	CHECK(is_ours(pair.right.memory, 0, MESSAGE));
	CHECK(is_ours(pair.left.memory, 0, SIZE));
	close_pair();
}

static void scribbled_read_ends_with_its_data(void)
{
	open_with_scribbles();
	CHECK_EQ(0, t_post(&pair.left, 1, IBV_WR_RDMA_READ, IBV_SEND_SIGNALED, 0, SIZE, &pair.right, 0));
	t_expect(pair.left.send_cq, 1, IBV_WC_SUCCESS);
	CHECK(is_ours(pair.left.memory, 0, SIZE));
	close_pair();
}

static void flushed_receive_may_be_overwritten_before_its_completion(void)
{
	open_with_scribbles();
	t_receive(&pair.right, 1, 0, SIZE);
	memset(pair.right.memory, OURS, SIZE);
	fail(&pair.right);
	t_expect(pair.right.recv_cq, 1, IBV_WC_WR_FLUSH_ERR);
	CHECK(!is_ours(pair.right.memory, 0, SIZE));

	T_MUST(!softhca_control(0, "faults begin=1:4s"));
	CHECK_EQ(0, t_post(&pair.left, 2, IBV_WR_RDMA_READ, IBV_SEND_SIGNALED, 0, SIZE, &pair.right, 0));
	CHECK(!is_ours(pair.left.memory, 0, SIZE));
	memset(pair.left.memory, OURS, SIZE);
	fail(&pair.left);
	t_expect(pair.left.send_cq, 2, IBV_WC_WR_FLUSH_ERR);
	CHECK(!is_ours(pair.left.memory, 0, SIZE));
	close_pair();
}

int main(void)
{
	T_RUN(a_receive_is_written_when_it_is_posted);
	T_RUN(scribbled_read_ends_with_its_data);
	T_RUN(flushed_receive_may_be_overwritten_before_its_completion);
	return t_result();
}
