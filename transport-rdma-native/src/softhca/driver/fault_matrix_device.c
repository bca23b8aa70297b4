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

#include "fault_matrix.h"

/* ---- completion queues that overrun ---- */

/* Lockstep: completion 2 i + 1 is that of receive i, 2 i + 2 that of send i. */
void overrun(void)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];
	uint32_t n = 1 + (uint32_t)current_seed % 20;
	bool at_receiver = n % 2;
	uint32_t good = (n - 1) / 2;

	faults("overrun@%llu", n);
	make_ends(&hasty);
	for (uint32_t i = 0; i <= good; i++)
		D_MUST(post_receive(b, i));
	for (uint32_t i = 0; i < good; i++) {
		D_MUST(post_send(a, i));
		expect_message(b, i);
		expect_completion(a->send_cq, i, IBV_WC_SUCCESS);
	}
	D_MUST(post_send(a, good));
	expect_async_both(IBV_EVENT_CQ_ERR, IBV_EVENT_QP_FATAL);
	if (at_receiver) {
		D_EQ(IBV_QPS_ERR, d_state(b->qp));
		expect_completion(a->send_cq, good, IBV_WC_RETRY_EXC_ERR);
		d_expect_nothing(b->recv_cq);
	} else {
		D_EQ(IBV_QPS_ERR, d_state(a->qp));
		D_EQ(IBV_QPS_RTS, d_state(b->qp));
		expect_message(b, good);
		d_expect_nothing(a->send_cq);
	}
	faults("", 0);
	destroy_ends();
}

/* No fault: the queue is not polled. Its completions from before the overrun can still be polled. */
void real_overrun(void)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];
	uint32_t room;

	make_end(a, 4);
	make_end(b, 2 * DEPTH);
	room = (uint32_t)a->send_cq->cqe;
	D_CHECK(room >= 4 && room < DEPTH);
	for (int i = 0; i < 2; i++)
		d_connect(ends[i].qp, &ends[i].address, &ends[!i].address, &quick);
	for (uint32_t i = 0; i <= room; i++) {
		D_MUST(post_receive(b, i));
		D_MUST(post_send(a, i));
	}
	expect_async_both(IBV_EVENT_CQ_ERR, IBV_EVENT_QP_FATAL);
	D_EQ(IBV_QPS_ERR, d_state(a->qp));
	for (uint32_t i = 0; i <= room; i++)
		expect_message(b, i);
	for (uint32_t i = 0; i < room; i++)
		expect_completion(a->send_cq, i, IBV_WC_SUCCESS);
	destroy_ends();
}

/* ---- registration, ports ---- */

void registration(void)
{
	uint64_t n = 1 + current_seed % 5;
	static uint8_t memory[4096];

	faults("register@%llu", n);
	for (uint64_t i = 1; i <= 6; i++) {
		struct ibv_mr *mr = ibv_reg_mr(pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);

		if (i == n) {
			D_CHECK(!mr);
			D_EQ(ENOMEM, errno);
		} else {
			D_CHECK(mr);
			D_MUST(ibv_dereg_mr(mr));
		}
	}
	faults("", 0);
}

static enum ibv_port_state port_state(void)
{
	struct ibv_port_attr port;

	D_MUST(ibv_query_port(context, 1, &port));
	return port.state;
}

void port(void)
{
	D_EQ(IBV_PORT_ACTIVE, port_state());
	d_control(0, "port-down");
	expect_async(IBV_EVENT_PORT_ERR);
	D_EQ(IBV_PORT_DOWN, port_state());
	d_control(0, "port-up");
	expect_async(IBV_EVENT_PORT_ACTIVE);
	D_EQ(IBV_PORT_ACTIVE, port_state());
}
