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

#define CREDIT_EVERY	32u
#define MAX_RECEIVERS	64u		/* more than peers, for those whose death was not noticed yet */
#define POLLS_PER_LOOK	256u		/* polls for each look at the event channel */

struct receiver {
	struct rdma_cm_id *id;		/* NULL: free */
	struct ibv_mr *eager_mr;
	struct ibv_mr *slots_mr;
	struct ibv_mr *credit_mr;
	uint8_t *eager;
	uint8_t *slots;
	uint64_t credit[CREDITS];
	uint64_t received;
	uint64_t credits_sent;
	bool is_main;			/* for the survivor, which connects first; all others will be killed */
	bool established;
	bool failed;			/* its queue pair has flushed: the peer is gone */
};

static int parent_socket;
static struct receiver receivers[MAX_RECEIVERS];
static bool had_main;
static uint64_t main_received;
static uint64_t peers_received;
static uint64_t peers_gone;
static uint64_t peers_half_gone;	/* gone before they were established */

static void post_eager(struct receiver *receiver, uint64_t slot)
{
	D_MUST(rdma_post_recv(receiver->id, (void *)(uintptr_t)slot, receiver->eager + slot * EAGER, EAGER,
			      receiver->eager_mr));
}

/* Destroys an id that has no queue pair. */
static void forget_request(struct receiver *receiver)
{
	D_CHECK(!receiver->is_main || receiver->established);
	peers_gone += !receiver->is_main;
	peers_half_gone += !receiver->established;
	D_MUST(rdma_destroy_id(receiver->id));
	receiver->id = NULL;
}

static void close_receiver(struct receiver *receiver)
{
	rdma_destroy_qp(receiver->id);
	D_MUST(rdma_dereg_mr(receiver->eager_mr));
	D_MUST(rdma_dereg_mr(receiver->slots_mr));
	D_MUST(rdma_dereg_mr(receiver->credit_mr));
	munmap(receiver->eager, WINDOW * EAGER);
	munmap(receiver->slots, WINDOW * SLOT);
	forget_request(receiver);
}

static void accept_sender(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = d_rc_attributes(CREDITS, WINDOW);
	struct rdma_conn_param parameters = d_cm_parameters();
	struct receiver *receiver = NULL;
	struct target target;

	for (size_t i = 0; i < D_COUNT(receivers) && !receiver; i++)
		if (!receivers[i].id)
			receiver = &receivers[i];
	D_CHECK(receiver);
	*receiver = (struct receiver){ .id = id, .is_main = !had_main };
	had_main = true;
	id->context = receiver;
	/* The peer may have been killed since its request. Then this fails, or the accept, or an event says so. */
	if (rdma_create_qp(id, NULL, &attr)) {
		forget_request(receiver);
		return;
	}
	receiver->eager = d_map(WINDOW * EAGER, MAP_PRIVATE);
	receiver->slots = d_map(WINDOW * SLOT, MAP_PRIVATE);
	receiver->eager_mr = D_HAVE(rdma_reg_msgs(id, receiver->eager, WINDOW * EAGER));
	receiver->slots_mr = D_HAVE(rdma_reg_write(id, receiver->slots, WINDOW * SLOT));
	receiver->credit_mr = D_HAVE(rdma_reg_msgs(id, receiver->credit, sizeof(receiver->credit)));
	for (uint64_t slot = 0; slot < WINDOW; slot++)
		post_eager(receiver, slot);
	target = (struct target){ (uintptr_t)receiver->slots, receiver->slots_mr->rkey };
	parameters.private_data = &target;
	parameters.private_data_len = sizeof(target);
	if (rdma_accept(id, &parameters))
		close_receiver(receiver);
}

static void fail_receiver(struct receiver *receiver, const char *what, enum ibv_wc_status status)
{
	if (receiver->is_main && receiver->received < messages)
		D_FAIL("%s on the survivors' connection after %llu messages: %s", what,
		       (unsigned long long)receiver->received, ibv_wc_status_str(status));
	receiver->failed = true;
}

static void send_credit(struct receiver *receiver)
{
	uint64_t slot = receiver->credits_sent++ % CREDITS;

	receiver->credit[slot] = receiver->received;
	if (rdma_post_send(receiver->id, NULL, &receiver->credit[slot], sizeof(uint64_t), receiver->credit_mr, 0))
		fail_receiver(receiver, "posting a credit", IBV_WC_GENERAL_ERR);
}

static void take_message(struct receiver *receiver, const struct ibv_wc *wc)
{
	const char *from = receiver->is_main ? "sender" : "peer";
	uint64_t number = receiver->received++;
	const uint8_t *bytes = receiver->eager + wc->wr_id * EAGER;

	if (is_written(number) != (wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM))
		D_FAIL("%s: message %llu came by opcode %d", from, (unsigned long long)number, wc->opcode);
	if (is_written(number)) {
		D_EQ((uint32_t)number, wc->imm_data);
		bytes = receiver->slots + number % WINDOW * SLOT;
	}
	check_message(bytes, wc->byte_len, number, from);
	post_eager(receiver, wc->wr_id);
	*(receiver->is_main ? &main_received : &peers_received) += 1;
	if (receiver->received % CREDIT_EVERY == 0 || (receiver->is_main && receiver->received == messages))
		send_credit(receiver);
}

static bool poll_receiver(struct receiver *receiver)
{
	struct ibv_wc wcs[16];
	int count = ibv_poll_cq(receiver->id->recv_cq, 16, wcs);

	for (int i = 0; i < count; i++) {
		if (wcs[i].status == IBV_WC_SUCCESS)
			take_message(receiver, &wcs[i]);
		else
			fail_receiver(receiver, "receive", wcs[i].status);
	}
	while (ibv_poll_cq(receiver->id->send_cq, 1, wcs) == 1)
		if (wcs[0].status != IBV_WC_SUCCESS)
			fail_receiver(receiver, "credit", wcs[0].status);
	return count > 0;
}

/* Returns true while there are any. */
static bool poll_receivers(void)
{
	bool any = false;

	for (size_t i = 0; i < D_COUNT(receivers); i++) {
		any |= receivers[i].id != NULL;
		if (receivers[i].id && !receivers[i].failed)
			poll_receiver(&receivers[i]);
	}
	return any;
}

/* Returns true when the sender has disconnected as it should. */
static bool take_event(struct rdma_cm_event *event)
{
	struct rdma_cm_id *id = event->id;
	struct receiver *receiver = id->context;
	enum rdma_cm_event_type type = event->event;

	D_MUST(rdma_ack_cm_event(event));
	switch (type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		accept_sender(id);
		return false;
	case RDMA_CM_EVENT_ESTABLISHED:
		receiver->established = true;
		if (receiver->is_main)
			d_send(parent_socket, "", 1);
		return false;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_CONNECT_ERROR:
		break;
	default:
		D_FAIL("%s", rdma_event_str(type));
	}
	/* Messages that arrived before the end are in the queue. */
	while (!receiver->failed && poll_receiver(receiver))
		;
	if (receiver->is_main) {
		D_EQ(messages, receiver->received);
		D_EQ(RDMA_CM_EVENT_DISCONNECTED, type);
	}
	close_receiver(receiver);
	return receiver->is_main;
}

static void print_progress(void)
{
	static uint64_t next;
	uint64_t step = messages / 10 ? messages / 10 : 1;

	if (main_received < next)
		return;
	printf("soak: %llu of %llu messages; %llu from %llu peers that were killed\n",
	       (unsigned long long)main_received, (unsigned long long)messages, (unsigned long long)peers_received,
	       (unsigned long long)peers_gone);
	fflush(stdout);
	next += step;
}

static bool handle_events(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *event;
	bool done = false;

	while (!rdma_get_cm_event(channel, &event)) {
		if (event->event == RDMA_CM_EVENT_TIMEWAIT_EXIT)
			D_MUST(rdma_ack_cm_event(event));
		else
			done |= take_event(event);
	}
	return done;
}

/* Waits for killed peers whose end has not been noticed yet. */
static void wait_for_peers(struct rdma_event_channel *channel)
{
	do {
		handle_events(channel);
	} while (poll_receivers());
}

void run_receiver(int parent)
{
	struct rdma_event_channel *channel = D_HAVE(rdma_create_event_channel());
	struct rdma_cm_id *listener;
	bool done = false;
	uint16_t port;
	char byte;

	parent_socket = parent;
	d_context("soak --seed %llu, receiver", (unsigned long long)seed);
	d_watchdog(120);
	listener = d_cm_listen(channel, &port);
	d_non_blocking(channel->fd);
	d_send(parent_socket, &port, sizeof(port));
	for (uint32_t polls = 0; !done; polls++) {
		poll_receivers();
		if (polls % POLLS_PER_LOOK == 0) {
			done = handle_events(channel);
			print_progress();
			d_alive();
		}
	}
	d_send(parent_socket, &main_received, sizeof(main_received));
	/* The parent has killed the last peer. */
	D_CHECK(d_receive(parent_socket, &byte, 1));
	wait_for_peers(channel);
	D_MUST(rdma_destroy_id(listener));
	rdma_destroy_event_channel(channel);
	printf("soak: %llu messages, none lost; %llu more from %llu peers that were killed, %llu of them while they "
	       "connected\n", (unsigned long long)main_received, (unsigned long long)peers_received,
	       (unsigned long long)peers_gone, (unsigned long long)peers_half_gone);
	fflush(stdout);
	exit(0);
}
