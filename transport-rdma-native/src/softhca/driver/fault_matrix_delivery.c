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

/* ---- packets are lost or late, or find no receive: everything still arrives, in order, once ---- */

static void everything_arrives(void)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];
	uint32_t adds = 0;

	make_ends(&quick);
	for (uint32_t i = 0; i < DEPTH; i++)
		D_MUST(post_receive(b, i));
	for (uint32_t i = 0; i < DEPTH; i++) {
		/* An atomic that is carried out twice would show. */
		if (i % 4 == 3) {
			D_MUST(post_add(a, b, i));
			adds++;
		} else {
			D_MUST(post_send(a, i - adds));
		}
	}
	for (uint32_t i = 0, message = 0; i < DEPTH; i++)
		expect_completion(a->send_cq, i % 4 == 3 ? i : message++, IBV_WC_SUCCESS);
	for (uint32_t i = 0; i < DEPTH - adds; i++)
		expect_message(b, i);
	D_EQ(adds, b->word);
	for (uint32_t i = 3; i < DEPTH; i += 4)
		D_EQ(i / 4, a->old[i]);
	faults("", 0);
	expect_receives_left(b, DEPTH - adds, adds);
	destroy_ends();
}

void drop(void)
{
	faults("drop=0.03", 0);
	everything_arrives();
}

void delay(void)
{
	faults("delay=0.2:30us", 0);
	everything_arrives();
}

void receiver_not_ready(void)
{
	faults("rnr=0.2", 0);
	everything_arrives();
}

void drop_and_delay_and_not_ready(void)
{
	faults("drop=0.01,delay=0.1:20us,rnr=0.1", 0);
	everything_arrives();
}

/* Exactly one packet is lost, a different one with each seed. */
void drop_one(void)
{
	faults("drop@%llu", current_seed);
	everything_arrives();
}

/* ---- nothing arrives ---- */

static void expect_nothing_arrives(const struct d_timers *timers, enum ibv_wc_status status)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];

	make_ends(timers);
	for (uint32_t i = 0; i < 3; i++) {
		D_MUST(post_receive(b, i));
		D_MUST(post_receive(a, i));
	}
	for (uint32_t i = 0; i < 5; i++)
		D_MUST(post_send(a, i));
	expect_completion(a->send_cq, 0, status);
	for (uint32_t i = 1; i < 5; i++)
		expect_completion(a->send_cq, i, IBV_WC_WR_FLUSH_ERR);
	for (uint32_t i = 0; i < 3; i++)
		expect_completion(a->recv_cq, i, IBV_WC_WR_FLUSH_ERR);
	D_EQ(IBV_QPS_ERR, d_state(a->qp));
	/* The other end has noticed nothing. */
	expect_receives_left(b, 0, 3);
	d_expect_nothing(b->send_cq);
	faults("", 0);
	destroy_ends();
}

void drop_all(void)
{
	faults("drop=1", 0);
	expect_nothing_arrives(&hasty, IBV_WC_RETRY_EXC_ERR);
}

void never_ready(void)
{
	faults("rnr=1", 0);
	expect_nothing_arrives(&hasty, IBV_WC_RNR_RETRY_EXC_ERR);
	faults("rnr=1", 0);
	expect_nothing_arrives(&never, IBV_WC_RNR_RETRY_EXC_ERR);
}

/* No fault: there is no receive. */
void no_receive(void)
{
	struct end *a = &ends[0];

	make_ends(current_seed % 2 ? &hasty : &never);
	D_MUST(post_send(a, 0));
	expect_completion(a->send_cq, 0, IBV_WC_RNR_RETRY_EXC_ERR);
	D_EQ(IBV_QPS_ERR, d_state(a->qp));
	D_EQ(IBV_QPS_RTS, d_state(ends[1].qp));
	destroy_ends();
}

/* A sender accepts as many RNRs as it has retries, and not one more. */
void retries_are_counted(void)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];

	for (uint8_t retries = 0; retries < 2; retries++) {
		struct d_timers timers = quick;

		timers.rnr_retry = retries;
		faults("rnr@1", 0);
		make_ends(&timers);
		D_MUST(post_receive(b, 0));
		D_MUST(post_send(a, 0));
		if (retries) {
			expect_completion(a->send_cq, 0, IBV_WC_SUCCESS);
			expect_message(b, 0);
		} else {
			expect_completion(a->send_cq, 0, IBV_WC_RNR_RETRY_EXC_ERR);
			expect_receives_left(b, 0, 1);
		}
		faults("", 0);
		destroy_ends();
	}
}
