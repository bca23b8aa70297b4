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

/* What rdma_init_qp_attr returns at each step, and what happens to ids when the device is removed. */
#include "abi/softhca.h"
#include "t_cm.h"

#define LOOPBACK	"127.0.0.1"
#define INIT_MASK	(IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define RTR_MASK	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | \
			 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define RTS_MASK	(IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | \
			 IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_TIMEOUT)

static struct ibv_qp_attr attributes(struct rdma_cm_id *id, enum ibv_qp_state state, int expected_mask)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask = 0;

	CHECK_EQ(0, rdma_init_qp_attr(id, &attr, &mask));
	CHECK_EQ(expected_mask, mask);
	CHECK_EQ(state, attr.qp_state);
	return attr;
}

static void no_attributes(struct rdma_cm_id *id, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;

	CHECK_FAILS(EINVAL, rdma_init_qp_attr(id, &attr, &mask));
}

static void check_pair(struct rdma_cm_id *client, struct rdma_cm_id *server)
{
	struct ibv_qp_attr to_server = attributes(client, IBV_QPS_RTR, RTR_MASK);
	struct ibv_qp_attr to_client = attributes(server, IBV_QPS_RTR, RTR_MASK);
	struct ibv_qp_attr client_sends = attributes(client, IBV_QPS_RTS, RTS_MASK);
	struct ibv_qp_attr server_sends = attributes(server, IBV_QPS_RTS, RTS_MASK);

	CHECK_EQ(0x78, to_server.dest_qp_num);
	CHECK_EQ(0x77, to_client.dest_qp_num);
	CHECK_EQ(to_server.rq_psn, server_sends.sq_psn);
	CHECK_EQ(to_client.rq_psn, client_sends.sq_psn);
	CHECK_EQ(2, to_server.max_dest_rd_atomic);
	CHECK_EQ(3, client_sends.max_rd_atomic);
	CHECK_EQ(3, to_client.max_dest_rd_atomic);
	CHECK_EQ(2, server_sends.max_rd_atomic);
	CHECK_EQ(0, to_server.min_rnr_timer);
	CHECK_EQ(1, to_server.ah_attr.is_global);
	CHECK_EQ(0x20, to_server.ah_attr.grh.traffic_class);
	CHECK_EQ(0x20, to_client.ah_attr.grh.traffic_class);
	CHECK_EQ(5, client_sends.retry_cnt);
	CHECK_EQ(5, server_sends.retry_cnt);
	CHECK_EQ(4, server_sends.rnr_retry);
	CHECK_EQ(6, client_sends.rnr_retry);
	CHECK_EQ(14, client_sends.timeout);
	CHECK_EQ(17, server_sends.timeout);
}

static void attributes_follow_the_handshake(void)
{
	struct t_id listener = t_listen(LOOPBACK, 1);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_conn_param param = t_param(0x77, NULL, 0);
	struct rdma_cm_id *server;
	uint8_t tos = 0x20;
	uint8_t timeout = 14;

	CHECK_EQ(0, rdma_set_option(client.id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, 1));
	CHECK_EQ(0, rdma_set_option(client.id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, 1));
	CHECK_EQ(0, attributes(client.id, IBV_QPS_INIT, INIT_MASK).qp_access_flags);
	param.responder_resources = 2;
	param.initiator_depth = 3;
	param.retry_count = 5;
	param.rnr_retry_count = 4;
	CHECK_EQ(0, rdma_connect(client.id, &param));
	CHECK_EQ(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
		 attributes(client.id, IBV_QPS_INIT, INIT_MASK).qp_access_flags);
	no_attributes(client.id, IBV_QPS_RTR);
	no_attributes(client.id, IBV_QPS_ERR);
	server = t_request(&listener);
	CHECK_EQ(0x77, attributes(server, IBV_QPS_RTR, RTR_MASK).dest_qp_num);
	param.qp_num = 0x78;
	param.responder_resources = 3;
	param.initiator_depth = 2;
	param.rnr_retry_count = 6;
	CHECK_EQ(0, rdma_accept(server, &param));
	t_expect_event(client.channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	check_pair(client.id, server);
	CHECK_EQ(0, rdma_establish(client.id));
	t_expect_event(listener.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	check_pair(client.id, server);
	CHECK_EQ(0, rdma_disconnect(client.id));
	no_attributes(client.id, IBV_QPS_RTS);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&listener);
}

static void set_timeout(struct rdma_cm_id *id, uint8_t timeout)
{
	CHECK_EQ(0, rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout, 1));
}

/* A request also sets the timeout of the accepting side, unless that side sets its own. */
static void a_request_carries_the_timeout_of_its_path(void)
{
	struct t_id listener = t_listen(LOOPBACK, 1);
	struct t_id client = t_id_open(RDMA_PS_TCP);
	struct rdma_conn_param param = t_param(0x77, NULL, 0);
	struct rdma_cm_id *server;

	set_timeout(client.id, 23);
	t_resolve(&client, LOOPBACK, t_port(&listener));
	CHECK_EQ(22, client.id->route.path_rec->packet_life_time);
	set_timeout(client.id, 14);
	CHECK_EQ(0, rdma_connect(client.id, &param));
	server = t_request(&listener);
	CHECK_EQ(22, server->route.path_rec->packet_life_time);
	CHECK_EQ(23, attributes(server, IBV_QPS_RTS, RTS_MASK).timeout);
	set_timeout(server, 15);
	CHECK_EQ(15, attributes(server, IBV_QPS_RTS, RTS_MASK).timeout);
	param.qp_num = 0x78;
	CHECK_EQ(0, rdma_accept(server, &param));
	t_expect_event(client.channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	CHECK_EQ(14, attributes(client.id, IBV_QPS_RTS, RTS_MASK).timeout);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&listener);
}

static void datagrams_have_a_key(void)
{
	struct t_id id = t_listen_in(RDMA_PS_UDP, LOOPBACK, 1);
	struct ibv_qp_attr attr = attributes(id.id, IBV_QPS_INIT, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					     IBV_QP_QKEY);

	CHECK_EQ(RDMA_UDP_QKEY, attr.qkey);
	t_id_close(&id);
}

static void a_client_connects(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server = t_connect_pair(&client, &listener);

	t_disconnect(&client, &listener, server);
}

static void removal_is_reported_to_every_id(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id wildcard = t_listen("0.0.0.0", 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct t_id fresh = t_id_open(RDMA_PS_TCP);
	struct sockaddr_in6 address = t_address(LOOPBACK, 0);
	struct rdma_cm_id *server = t_connect_pair(&client, &listener);
	struct t_id resolving = t_id_open(RDMA_PS_TCP);
	struct rdma_cm_event *event;
	int i;

	CHECK_EQ(0, rdma_resolve_addr(resolving.id, NULL, (struct sockaddr *)&address, 1000));
	CHECK_EQ(0, softhca_control(0, "remove-device"));
	/* The address was resolved, but its device is gone now. */
	event = t_event(resolving.channel);
	CHECK_EQ(RDMA_CM_EVENT_ADDR_ERROR, event->event);
	CHECK_EQ(-1, event->status);
	CHECK_EQ(ENODEV, errno);
	CHECK_EQ(0, rdma_ack_cm_event(event));
	t_expect_event(resolving.channel, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	t_id_close(&resolving);
	t_expect_event(client.channel, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	for (i = 0; i < 2; i++) {
		event = t_event(listener.channel);
		CHECK_EQ(RDMA_CM_EVENT_DEVICE_REMOVAL, event->event);
		CHECK(event->id == server || event->id == listener.id);
		CHECK_EQ(0, rdma_ack_cm_event(event));
	}
	t_expect_no_event(wildcard.channel);
	t_expect_no_event(client.channel);
	CHECK_FAILS(EINVAL, rdma_disconnect(client.id));
	CHECK_FAILS(ENODEV, rdma_bind_addr(fresh.id, (struct sockaddr *)&address));
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&fresh);
	CHECK_EQ(0, softhca_control(0, "insert-device"));
	/* It is another device now: the listener stays bound to the removed one and blocks no port of this one. */
	a_client_connects();
	CHECK_FAILS(EINVAL, rdma_listen(listener.id, 4));
	t_id_close(&wildcard);
	t_id_close(&listener);
	a_client_connects();
}

static void tests(void)
{
	T_RUN(attributes_follow_the_handshake);
	T_RUN(a_request_carries_the_timeout_of_its_path);
	T_RUN(datagrams_have_a_key);
	T_RUN(removal_is_reported_to_every_id);
}

int main(void)
{
	return t_cm_main(tests);
}
