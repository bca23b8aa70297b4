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

#include <rdma/rdma_verbs.h>
#include <sys/mman.h>

#include "soak.h"

#define SIGNAL_EVERY 16u

struct sender {
	struct rdma_cm_id *id;
	struct ibv_mr *slots_mr;
	struct ibv_mr *credits_mr;
	uint8_t *slots;
	uint64_t *credits;
	struct target target;
	uint64_t sent;
	uint64_t acknowledged;		/* by credits: the receiver has taken them */
	uint64_t completed;		/* by completions: their slots are free */
};

static void connect_sender(struct sender *sender, struct rdma_event_channel *channel, uint16_t port)
{
	struct ibv_qp_init_attr attr = d_rc_attributes(WINDOW + 1, CREDITS);
	struct rdma_conn_param parameters = d_cm_parameters();
	struct rdma_cm_event *event;
	struct rdma_cm_id *id = d_cm_resolve(channel, port);

	attr.sq_sig_all = 0;
	sender->id = id;
	D_MUST(rdma_create_qp(id, NULL, &attr));
	sender->slots = d_map(WINDOW * SLOT, MAP_PRIVATE);
	sender->credits = d_map(CREDITS * sizeof(uint64_t), MAP_PRIVATE);
	sender->slots_mr = D_HAVE(rdma_reg_msgs(id, sender->slots, WINDOW * SLOT));
	sender->credits_mr = D_HAVE(rdma_reg_msgs(id, sender->credits, CREDITS * sizeof(uint64_t)));
	for (uint64_t i = 0; i < CREDITS; i++)
		D_MUST(rdma_post_recv(id, (void *)(uintptr_t)i, &sender->credits[i], sizeof(uint64_t),
				      sender->credits_mr));
	D_MUST(rdma_connect(id, &parameters));
	event = d_cm_expect(channel, RDMA_CM_EVENT_ESTABLISHED);
	D_CHECK(event->param.conn.private_data_len >= sizeof(sender->target));
	memcpy(&sender->target, event->param.conn.private_data, sizeof(sender->target));
	D_MUST(rdma_ack_cm_event(event));
}

static void send_next(struct sender *sender)
{
	uint64_t number = sender->sent;
	uint64_t at = number % WINDOW * SLOT;
	struct ibv_sge sge = { .addr = (uintptr_t)sender->slots + at, .lkey = sender->slots_mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = number,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = number % SIGNAL_EVERY == SIGNAL_EVERY - 1 || number + 1 == messages ?
			      IBV_SEND_SIGNALED : 0,
	};
	struct ibv_send_wr *bad;

	sge.length = write_message(sender->slots + at, number);
	if (is_written(number)) {
		wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
		wr.imm_data = (uint32_t)number;
		wr.wr.rdma.remote_addr = sender->target.address + at;
		wr.wr.rdma.rkey = sender->target.rkey;
	}
	D_MUST(ibv_post_send(sender->id->qp, &wr, &bad));
	sender->sent++;
}

static void take_completions(struct sender *sender)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(sender->id->send_cq, 1, &wc) == 1) {
		if (wc.status != IBV_WC_SUCCESS)
			D_FAIL("send of message %llu: %s", (unsigned long long)wc.wr_id,
			       ibv_wc_status_str(wc.status));
		sender->completed = wc.wr_id + 1;
	}
	while (ibv_poll_cq(sender->id->recv_cq, 1, &wc) == 1) {
		if (wc.status != IBV_WC_SUCCESS)
			D_FAIL("receive of a credit: %s", ibv_wc_status_str(wc.status));
		D_CHECK(sender->credits[wc.wr_id] > sender->acknowledged);
		sender->acknowledged = sender->credits[wc.wr_id];
		D_MUST(rdma_post_recv(sender->id, (void *)(uintptr_t)wc.wr_id, &sender->credits[wc.wr_id],
				      sizeof(uint64_t), sender->credits_mr));
		d_alive();
	}
}

static void send_all(struct sender *sender)
{
	while (sender->acknowledged < messages || sender->completed < messages) {
		/* Up to SIGNAL_EVERY slots are not free yet, because their completion is not reported yet. */
		if (sender->sent < messages && sender->sent - sender->acknowledged < WINDOW &&
		    sender->sent - sender->completed < WINDOW)
			send_next(sender);
		else
			take_completions(sender);
		if (sender->sent % SIGNAL_EVERY == 0)
			take_completions(sender);
	}
}

void run_sender(uint16_t port, bool is_peer)
{
	struct rdma_event_channel *channel = D_HAVE(rdma_create_event_channel());
	struct sender sender = { 0 };

	d_context("soak --seed %llu, %s", (unsigned long long)seed, is_peer ? "peer to be killed" : "sender");
	d_watchdog(120);
	if (is_peer)
		messages = UINT64_MAX;
	connect_sender(&sender, channel, port);
	send_all(&sender);
	D_MUST(rdma_disconnect(sender.id));
	d_cm_pass(channel, RDMA_CM_EVENT_DISCONNECTED);
	rdma_destroy_qp(sender.id);
	D_MUST(rdma_dereg_mr(sender.slots_mr));
	D_MUST(rdma_dereg_mr(sender.credits_mr));
	D_MUST(rdma_destroy_id(sender.id));
	rdma_destroy_event_channel(channel);
	exit(0);
}
