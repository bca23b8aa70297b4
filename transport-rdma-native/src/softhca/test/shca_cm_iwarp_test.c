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

/*
 * Connections of iWARP: the device makes both queue pairs ready and ends them, and there is no CONNECT_RESPONSE.
 */
#include "t_cm.h"

#define LOOPBACK	"127.0.0.1"

struct side {
	struct rdma_cm_id *id;
	struct ibv_mr *mr;
	uint8_t memory[16];
};

static void make_queue_pair(struct side *side)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1,
	};

	T_MUST(!rdma_create_qp(side->id, NULL, &attr));
	side->mr = rdma_reg_msgs(side->id, side->memory, sizeof(side->memory));
	T_MUST(side->mr);
	CHECK_EQ(0, rdma_post_recv(side->id, NULL, side->memory, sizeof(side->memory), side->mr));
}

static void end(struct side *side)
{
	rdma_destroy_qp(side->id);
	rdma_dereg_mr(side->mr);
}

static enum ibv_qp_state state_of(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	CHECK_EQ(0, ibv_query_qp(qp, &attr, IBV_QP_STATE, &init));
	return attr.qp_state;
}

static void connect_sides(struct t_id *listener, struct t_id *active, struct side *client, struct side *server)
{
	struct rdma_conn_param param = t_param(0, "hi", 2);
	struct rdma_cm_event *event;

	*active = t_dial(LOOPBACK, t_port(listener));
	client->id = active->id;
	make_queue_pair(client);
	CHECK_EQ(0, rdma_connect(client->id, &param));
	event = t_event(listener->channel);
	CHECK_EQ(RDMA_CM_EVENT_CONNECT_REQUEST, event->event);
	CHECK_BYTES("hi", event->param.conn.private_data, 3);
	server->id = event->id;
	CHECK_EQ(0, rdma_ack_cm_event(event));
	make_queue_pair(server);
	CHECK_EQ(0, rdma_accept(server->id, &param));
	t_expect_event(active->channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	t_expect_event(listener->channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	CHECK_EQ(IBV_QPS_RTS, state_of(client->id->qp));
	CHECK_EQ(IBV_QPS_RTS, state_of(server->id->qp));
}

static void the_device_connects_and_disconnects(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id active;
	struct side client;
	struct side server;
	struct ibv_wc wc;

	connect_sides(&listener, &active, &client, &server);
	CHECK_FAILS(EINVAL, rdma_establish(client.id));
	memcpy(client.memory + 8, "ping", 5);
	CHECK_EQ(0, rdma_post_send(client.id, NULL, client.memory + 8, 5, client.mr, 0));
	CHECK_EQ(1, rdma_get_send_comp(client.id, &wc));
	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_EQ(1, rdma_get_recv_comp(server.id, &wc));
	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_BYTES("ping", server.memory, 5);

	CHECK_EQ(0, rdma_disconnect(client.id));
	t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_expect_event(active.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(IBV_QPS_ERR, state_of(client.id->qp));
	CHECK_EQ(IBV_QPS_ERR, state_of(server.id->qp));
	CHECK_EQ(1, rdma_get_recv_comp(client.id, &wc));
	CHECK_EQ(IBV_WC_WR_FLUSH_ERR, wc.status);
	CHECK_EQ(0, rdma_disconnect(server.id));
	end(&client);
	end(&server);
	CHECK_EQ(0, rdma_destroy_id(server.id));
	t_id_close(&active);
	t_expect_no_event(listener.channel);
	t_id_close(&listener);
}

static void destroying_ends_the_peers_queue_pair(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id active;
	struct side client;
	struct side server;

	connect_sides(&listener, &active, &client, &server);
	end(&client);
	t_id_close(&active);
	t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(IBV_QPS_ERR, state_of(server.id->qp));
	end(&server);
	CHECK_EQ(0, rdma_destroy_id(server.id));
	t_id_close(&listener);
}

static void no_reason_is_given_for_a_no(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id active = t_dial(LOOPBACK, t_port(&listener));
	struct rdma_conn_param param = t_param(0, NULL, 0);
	struct side client = { .id = active.id };
	struct rdma_cm_id *server;

	/* Without its queue pair the device cannot even ask. */
	CHECK_FAILS(EINVAL, rdma_connect(active.id, &param));
	make_queue_pair(&client);
	CHECK_EQ(0, rdma_connect(active.id, &param));
	server = t_request(&listener);
	CHECK_EQ(0, rdma_reject(server, "no", 2));
	t_expect_event(active.channel, RDMA_CM_EVENT_REJECTED, -ECONNREFUSED);
	CHECK_EQ(IBV_QPS_ERR, state_of(client.id->qp));
	CHECK_EQ(0, rdma_destroy_id(server));
	end(&client);
	t_id_close(&active);
	t_id_close(&listener);
}

/* There is nobody to accept for. */
static void accepting_without_a_queue_pair_refuses(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id active = t_dial(LOOPBACK, t_port(&listener));
	struct rdma_conn_param param = t_param(0xffff, NULL, 0);
	struct side client = { .id = active.id };
	struct rdma_cm_id *server;

	make_queue_pair(&client);
	CHECK_EQ(0, rdma_connect(active.id, &param));
	server = t_request(&listener);
	CHECK_FAILS(EINVAL, rdma_accept(server, &param));
	t_expect_event(active.channel, RDMA_CM_EVENT_REJECTED, -ECONNREFUSED);
	CHECK_EQ(0, rdma_destroy_id(server));
	end(&client);
	t_id_close(&active);
	t_id_close(&listener);
}

static void tests(void)
{
	T_MUST(!setenv("SOFTHCA_PERSONALITY", "iwarp", 1));
	T_RUN(the_device_connects_and_disconnects);
	T_RUN(destroying_ends_the_peers_queue_pair);
	T_RUN(no_reason_is_given_for_a_no);
	T_RUN(accepting_without_a_queue_pair_refuses);
}

int main(void)
{
	return t_cm_main(tests);
}
