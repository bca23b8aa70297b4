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

/* From some packet on nothing ever reaches the peer again, although it is alive. */
static void lose_at_packet(int fd)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];
	uint32_t good;

	(void)fd;
	open_device();
	faults("lose@%llu", 1 + current_seed % 40);
	make_ends(&hasty);
	for (uint32_t i = 0; i < DEPTH; i++)
		D_MUST(post_receive(b, i));
	for (uint32_t i = 0; i < DEPTH; i++)
		D_MUST(post_send(a, i));
	good = expect_break(a->send_cq, IBV_WC_RETRY_EXC_ERR);
	D_EQ(IBV_QPS_ERR, d_state(a->qp));
	D_EQ(IBV_QPS_RTS, d_state(b->qp));
	d_to_state(b->qp, IBV_QPS_ERR);
	/* Acknowledged messages have arrived; more may have, in order. */
	D_CHECK(expect_break(b->recv_cq, IBV_WC_WR_FLUSH_ERR) >= good);
	destroy_ends();
	close_device();
}

void lose(void)
{
	run_alone(lose_at_packet);
}

static void exchange_addresses(int fd, const struct d_timers *timers)
{
	struct d_address peer;

	make_end(&ends[0], 2 * DEPTH);
	d_send(fd, &ends[0].address, sizeof(ends[0].address));
	if (!d_receive(fd, &peer, sizeof(peer)))
		D_FAIL("the other process has ended");
	d_connect(ends[0].qp, &ends[0].address, &peer, timers);
}

/* Sends, and is killed at its n-th packet. */
static void killed_peer(int fd)
{
	open_device();
	exchange_addresses(fd, &quick);
	d_send(fd, "", 1);
	d_receive(fd, &(char){ 0 }, 1);
	faults("kill@%llu", 1 + current_seed % 30);
	for (uint32_t i = 0; i < DEPTH; i++) {
		D_MUST(post_send(&ends[0], i));
		expect_completion(ends[0].send_cq, i, IBV_WC_SUCCESS);
	}
	D_FAIL("it should have been killed");
}

/* The survivor: messages to it have arrived in order, and its own find no peer. */
static void surviving_peer(int fd)
{
	struct end *end = &ends[0];
	uint32_t arrived;
	char byte;

	open_device();
	exchange_addresses(fd, &hasty);
	for (uint32_t i = 0; i < DEPTH; i++)
		D_MUST(post_receive(end, i));
	d_send(fd, "", 1);
	D_CHECK(d_receive(fd, &byte, 1));	/* the other process is dead */
	D_EQ(IBV_QPS_RTS, d_state(end->qp));
	D_MUST(post_send(end, 0));
	D_MUST(post_send(end, 1));
	expect_completion(end->send_cq, 0, IBV_WC_RETRY_EXC_ERR);
	expect_completion(end->send_cq, 1, IBV_WC_WR_FLUSH_ERR);
	arrived = expect_break(end->recv_cq, IBV_WC_WR_FLUSH_ERR);
	for (uint32_t i = 0; i < arrived; i++)
		expect_content(end, i);
	D_EQ(IBV_QPS_ERR, d_state(end->qp));
	destroy_end(end);
	close_device();
}

void killed_process(void)
{
	struct d_address addresses[2];
	pid_t children[2];
	int fds[2];
	char byte;

	children[0] = d_run_in_child(surviving_peer, &fds[0]);
	children[1] = d_run_in_child(killed_peer, &fds[1]);
	for (int i = 0; i < 2; i++)
		D_CHECK(d_receive(fds[i], &addresses[i], sizeof(addresses[i])));
	for (int i = 0; i < 2; i++)
		d_send(fds[i], &addresses[!i], sizeof(addresses[!i]));
	for (int i = 0; i < 2; i++)
		D_CHECK(d_receive(fds[i], &byte, 1));
	d_send(fds[1], "", 1);
	d_expect_killed(children[1], "peer");
	d_send(fds[0], "", 1);
	d_expect_exit(children[0], "survivor");
	close(fds[0]);
	close(fds[1]);
}
