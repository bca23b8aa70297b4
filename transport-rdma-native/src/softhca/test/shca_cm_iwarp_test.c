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

/* iWARP connections: the device makes both queue pairs ready and ends them, and there is no CONNECT_RESPONSE. */
#include "t_iwarp.h"

#define DEPTH	4
#define SIZE	16
#define MANY	129

static void the_device_connects_and_disconnects(void)
{
	struct t_iwarp pair;
	struct ibv_wc wc;

	t_iwarp_open(&pair, DEPTH, SIZE);
	t_iwarp_receive(&pair.client, 0, SIZE);
	t_iwarp_receive(&pair.server, 0, SIZE);
	CHECK_FAILS(EINVAL, rdma_establish(pair.client.id));
	memcpy(pair.client.memory + 8, "ping", 5);
	CHECK_EQ(0, t_iwarp_send(&pair.client, 8, 5));
	CHECK_EQ(1, rdma_get_send_comp(pair.client.id, &wc));
	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_EQ(1, rdma_get_recv_comp(pair.server.id, &wc));
	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_BYTES("ping", pair.server.memory, 5);

	CHECK_EQ(0, rdma_disconnect(pair.client.id));
	t_expect_event(pair.listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_expect_event(pair.active.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(IBV_QPS_ERR, t_iwarp_state(&pair.client));
	CHECK_EQ(IBV_QPS_ERR, t_iwarp_state(&pair.server));
	CHECK_EQ(1, rdma_get_recv_comp(pair.client.id, &wc));
	CHECK_EQ(IBV_WC_WR_FLUSH_ERR, wc.status);
	CHECK_EQ(0, rdma_disconnect(pair.server.id));
	t_expect_no_event(pair.listener.channel);
	t_iwarp_close(&pair);
}

static void destroying_ends_the_peers_queue_pair(void)
{
	struct t_iwarp pair;

	t_iwarp_open(&pair, DEPTH, SIZE);
	t_iwarp_end(&pair.client);
	t_id_close(&pair.active);
	pair.client.id = NULL;
	t_expect_event(pair.listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(IBV_QPS_ERR, t_iwarp_state(&pair.server));
	t_iwarp_close(&pair);
}

static void reject_has_no_reason(void)
{
	struct t_id listener = t_listen(T_IWARP_ADDRESS, 4);
	struct t_id active = t_routed(T_IWARP_ADDRESS, t_port(&listener));
	struct rdma_conn_param param = t_param(0, NULL, 0);
	struct t_iwarp_side client = { .id = active.id };
	struct rdma_cm_id *server;

	/* Without a queue pair the device cannot even send the request. */
	CHECK_FAILS(EINVAL, rdma_connect(active.id, &param));
	t_iwarp_queue_pair(&client, DEPTH, SIZE);
	CHECK_EQ(0, rdma_connect(active.id, &param));
	server = t_request(&listener);
	CHECK_EQ(0, rdma_reject(server, "no", 2));
	t_expect_event(active.channel, RDMA_CM_EVENT_REJECTED, -ECONNREFUSED);
	CHECK_EQ(IBV_QPS_ERR, t_iwarp_state(&client));
	CHECK_EQ(0, rdma_destroy_id(server));
	t_iwarp_end(&client);
	t_id_close(&active);
	t_id_close(&listener);
}

/* There is no queue pair to connect. */
static void accepting_without_a_queue_pair_refuses(void)
{
	struct t_id listener = t_listen(T_IWARP_ADDRESS, 4);
	struct t_id active = t_routed(T_IWARP_ADDRESS, t_port(&listener));
	struct rdma_conn_param param = t_param(0xffff, NULL, 0);
	struct t_iwarp_side client = { .id = active.id };
	struct rdma_cm_id *server;

	t_iwarp_queue_pair(&client, DEPTH, SIZE);
	CHECK_EQ(0, rdma_connect(active.id, &param));
	server = t_request(&listener);
	CHECK_FAILS(EINVAL, rdma_accept(server, &param));
	t_expect_event(active.channel, RDMA_CM_EVENT_REJECTED, -ECONNREFUSED);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_iwarp_end(&client);
	t_id_close(&active);
	t_id_close(&listener);
}

/* One more than RoCE has: these are TCP's handshakes. All on one queue pair, as none is accepted. */
static void any_number_of_requests_may_be_unanswered(void)
{
	struct t_id listener = t_listen(T_IWARP_ADDRESS, MANY);
	struct t_id active = t_routed(T_IWARP_ADDRESS, t_port(&listener));
	struct t_iwarp_side client = { .id = active.id };
	struct rdma_cm_id *requests[MANY];
	struct rdma_conn_param param;
	struct t_id clients[MANY];
	int i;

	t_iwarp_queue_pair(&client, DEPTH, SIZE);
	param = t_param(active.id->qp->qp_num, NULL, 0);
	for (i = 0; i < MANY; i++) {
		clients[i] = t_routed(T_IWARP_ADDRESS, t_port(&listener));
		CHECK_EQ(0, rdma_connect(clients[i].id, &param));
	}
	for (i = 0; i < MANY; i++)
		requests[i] = t_request(&listener);
	for (i = 0; i < MANY; i++) {
		t_id_close(&clients[i]);
		CHECK_EQ(0, rdma_destroy_id(requests[i]));
	}
	t_iwarp_end(&client);
	t_id_close(&active);
	t_id_close(&listener);
}

static void tests(void)
{
	T_MUST(!setenv("SOFTHCA_PERSONALITY", "iwarp", 1));
	T_RUN(the_device_connects_and_disconnects);
	T_RUN(destroying_ends_the_peers_queue_pair);
	T_RUN(reject_has_no_reason);
	T_RUN(accepting_without_a_queue_pair_refuses);
	T_RUN(any_number_of_requests_may_be_unanswered);
}

int main(void)
{
	return t_cm_main(tests);
}
