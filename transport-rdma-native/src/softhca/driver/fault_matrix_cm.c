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

#include <signal.h>

#include "fault_matrix.h"

static void connect_until_killed(int fd)
{
	struct rdma_event_channel *channel = D_HAVE(rdma_create_event_channel());
	struct rdma_conn_param parameters = d_cm_parameters();
	struct ibv_qp_init_attr attr = d_rc_attributes(4, 4);
	struct rdma_cm_id *id;
	uint16_t listening;

	D_CHECK(d_receive(fd, &listening, sizeof(listening)));
	id = d_cm_resolve(channel, listening);
	D_MUST(rdma_create_qp(id, NULL, &attr));
	D_MUST(rdma_connect(id, &parameters));
	d_cm_pass(channel, RDMA_CM_EVENT_ESTABLISHED);
	d_send(fd, "", 1);
	d_receive(fd, &(char){ 0 }, 1);
	D_FAIL("it should have been killed");
}

/* Accepts. When the other process is killed, DISCONNECTED comes, and receives are flushed. */
static void accept_and_survive(int fd)
{
	struct rdma_event_channel *channel = D_HAVE(rdma_create_event_channel());
	struct rdma_conn_param parameters = d_cm_parameters();
	struct ibv_qp_init_attr attr = d_rc_attributes(4, 4);
	struct ibv_recv_wr wr = { .wr_id = 5 };
	struct ibv_recv_wr *bad;
	struct rdma_cm_event *event;
	struct rdma_cm_id *listener;
	struct rdma_cm_id *id;
	uint16_t listening;

	listener = d_cm_listen(channel, &listening);
	d_send(fd, &listening, sizeof(listening));
	event = d_cm_expect(channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	id = event->id;
	D_MUST(rdma_create_qp(id, NULL, &attr));
	D_MUST(rdma_ack_cm_event(event));
	D_MUST(ibv_post_recv(id->qp, &wr, &bad));
	D_MUST(rdma_accept(id, &parameters));
	d_cm_pass(channel, RDMA_CM_EVENT_ESTABLISHED);
	d_cm_pass(channel, RDMA_CM_EVENT_DISCONNECTED);
	D_MUST(rdma_disconnect(id));
	expect_completion(id->recv_cq, 5, IBV_WC_WR_FLUSH_ERR);
	rdma_destroy_qp(id);
	D_MUST(rdma_destroy_id(id));
	D_MUST(rdma_destroy_id(listener));
	rdma_destroy_event_channel(channel);
}

void killed_connection(void)
{
	uint16_t listening;
	pid_t children[2];
	int fds[2];
	char byte;

	children[0] = d_run_in_child(accept_and_survive, &fds[0]);
	children[1] = d_run_in_child(connect_until_killed, &fds[1]);
	D_CHECK(d_receive(fds[0], &listening, sizeof(listening)));
	d_send(fds[1], &listening, sizeof(listening));
	D_CHECK(d_receive(fds[1], &byte, 1));
	D_MUST(kill(children[1], SIGKILL));
	d_expect_killed(children[1], "peer");
	d_expect_exit(children[0], "survivor");
	close(fds[0]);
	close(fds[1]);
}

/* Connects and disconnects, whichever message the fault concerns. */
static void connects_and_disconnects(const char *fault)
{
	struct rdma_event_channel *active = D_HAVE(rdma_create_event_channel());
	struct rdma_event_channel *passive = D_HAVE(rdma_create_event_channel());
	struct rdma_conn_param parameters = d_cm_parameters();
	struct ibv_qp_init_attr attrs[2] = { d_rc_attributes(4, 4), d_rc_attributes(4, 4) };
	struct rdma_cm_event *event;
	struct rdma_cm_id *listener;
	struct rdma_cm_id *ids[2];
	uint16_t listening;

	listener = d_cm_listen(passive, &listening);
	ids[0] = d_cm_resolve(active, listening);
	D_MUST(rdma_create_qp(ids[0], NULL, &attrs[0]));
	faults(fault, 1 + current_seed % 6);
	D_MUST(rdma_connect(ids[0], &parameters));
	event = d_cm_expect(passive, RDMA_CM_EVENT_CONNECT_REQUEST);
	ids[1] = event->id;
	D_MUST(rdma_ack_cm_event(event));
	D_MUST(rdma_create_qp(ids[1], NULL, &attrs[1]));
	D_MUST(rdma_accept(ids[1], &parameters));
	d_cm_pass(active, RDMA_CM_EVENT_ESTABLISHED);
	d_cm_pass(passive, RDMA_CM_EVENT_ESTABLISHED);
	D_MUST(rdma_disconnect(ids[0]));
	d_cm_pass(passive, RDMA_CM_EVENT_DISCONNECTED);
	D_MUST(rdma_disconnect(ids[1]));
	d_cm_pass(active, RDMA_CM_EVENT_DISCONNECTED);
	faults("", 0);
	for (int i = 0; i < 2; i++) {
		rdma_destroy_qp(ids[i]);
		D_MUST(rdma_destroy_id(ids[i]));
	}
	D_MUST(rdma_destroy_id(listener));
	rdma_destroy_event_channel(active);
	rdma_destroy_event_channel(passive);
}

/* The repetition makes up for the loss. */
void lost_message(void)
{
	connects_and_disconnects("message@%llu");
}

void repeated_message(void)
{
	connects_and_disconnects("repeat@%llu");
}

void late_message(void)
{
	connects_and_disconnects("late@%llu:1ms");
}

void lost_messages(void)
{
	struct rdma_event_channel *active = D_HAVE(rdma_create_event_channel());
	struct rdma_conn_param parameters = d_cm_parameters();
	struct ibv_qp_init_attr attr = d_rc_attributes(4, 4);
	struct rdma_cm_event *event;
	struct rdma_cm_id *listener;
	struct rdma_cm_id *id;
	uint16_t listening;

	listener = d_cm_listen(active, &listening);
	id = d_cm_resolve(active, listening);
	D_MUST(rdma_create_qp(id, NULL, &attr));
	faults("message=1", 0);
	D_MUST(rdma_connect(id, &parameters));
	event = d_cm_expect(active, RDMA_CM_EVENT_UNREACHABLE);
	D_CHECK(event->id == id);
	D_EQ(-ETIMEDOUT, event->status);
	D_MUST(rdma_ack_cm_event(event));
	faults("", 0);
	rdma_destroy_qp(id);
	D_MUST(rdma_destroy_id(id));
	D_MUST(rdma_destroy_id(listener));
	rdma_destroy_event_channel(active);
}
