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

static void expect_removed(struct end *end, uint32_t receives)
{
	for (uint32_t i = 0; i < receives; i++)
		expect_completion(end->recv_cq, i, IBV_WC_WR_FLUSH_ERR);
	d_expect_nothing(end->recv_cq);
	D_EQ(EIO, post_receive(end, 0));
	D_EQ(EIO, post_send(end, 0));
}

/* The n-th post of a send removes the device; everything is flushed, and only closing is left. */
static void remove_at_post(int fd)
{
	struct end *a = &ends[0];
	struct end *b = &ends[1];
	uint32_t last = (uint32_t)current_seed % 20;

	(void)fd;
	open_device();
	make_ends(&quick);
	for (uint32_t i = 0; i < 3; i++)
		D_MUST(post_receive(a, i));
	faults("remove@%llu", last + 1);
	for (uint32_t i = 0; i < last; i++) {
		D_MUST(post_receive(b, i));
		D_MUST(post_send(a, i));
		expect_message(b, i);
		expect_completion(a->send_cq, i, IBV_WC_SUCCESS);
	}
	D_MUST(post_receive(b, last));
	D_MUST(post_send(a, last));
	expect_completion(a->send_cq, last, IBV_WC_WR_FLUSH_ERR);
	expect_completion(b->recv_cq, last, IBV_WC_WR_FLUSH_ERR);
	expect_async(IBV_EVENT_DEVICE_FATAL);
	expect_removed(a, 3);
	expect_removed(b, 0);
	D_CHECK(!ibv_alloc_pd(context));
	D_EQ(EIO, errno);
	D_EQ(-1, d_async_event(context, NULL));
	destroy_end(a);
	destroy_end(b);
	close_device();
}

void removal(void)
{
	run_alone(remove_at_post);
}

static void remove_under_ids(int fd)
{
	struct rdma_event_channel *channel = D_HAVE(rdma_create_event_channel());
	uint16_t listening;
	struct rdma_cm_id *listener;
	struct rdma_cm_id *bound;
	struct sockaddr_in address = { .sin_family = AF_INET };
	bool seen[2] = { false, false };

	(void)fd;
	listener = d_cm_listen(channel, &listening);
	address.sin_addr.s_addr = htobe32(INADDR_LOOPBACK);
	D_MUST(rdma_create_id(channel, &bound, &bound, RDMA_PS_TCP));
	D_MUST(rdma_bind_addr(bound, (struct sockaddr *)&address));
	D_CHECK(bound->verbs);
	d_control(0, "remove-device");
	for (int i = 0; i < 2; i++) {
		struct rdma_cm_event *event = d_cm_expect(channel, RDMA_CM_EVENT_DEVICE_REMOVAL);

		D_CHECK(event->id == bound || event->id == listener);
		D_CHECK(!seen[event->id == bound]);
		seen[event->id == bound] = true;
		D_MUST(rdma_ack_cm_event(event));
	}
	D_MUST(rdma_destroy_id(bound));
	D_MUST(rdma_destroy_id(listener));
	rdma_destroy_event_channel(channel);
}

void removal_of_ids(void)
{
	run_alone(remove_under_ids);
}
