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

/* rdma_cm connections within one process, by the public functions. */
#include "t_cm.h"

#define LOOPBACK	"127.0.0.1"
#define CYCLES		1000

/* ---- the course of a connection ---- */

static void events_have_the_private_data_of_the_peer(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_conn_param param = t_param(0x1234, "hello", 5);
	const uint8_t padded[56] = "hello";
	const uint8_t answer[196] = "well";
	struct rdma_cm_event *event;
	struct rdma_cm_id *server;

	param.responder_resources = 3;
	param.initiator_depth = 2;
	param.rnr_retry_count = 6;
	CHECK_EQ(0, rdma_connect(client.id, &param));
	event = t_event(listener.channel);
	CHECK_EQ(RDMA_CM_EVENT_CONNECT_REQUEST, event->event);
	CHECK(event->listen_id == listener.id);
	server = event->id;
	CHECK_EQ(0x1234, event->param.conn.qp_num);
	CHECK_EQ(2, event->param.conn.responder_resources);
	CHECK_EQ(3, event->param.conn.initiator_depth);
	CHECK_EQ(7, event->param.conn.retry_count);
	CHECK_EQ(6, event->param.conn.rnr_retry_count);
	CHECK_EQ(56, event->param.conn.private_data_len);
	CHECK_BYTES(padded, event->param.conn.private_data, 56);
	CHECK_EQ(0, rdma_ack_cm_event(event));
	CHECK_EQ(ntohs(rdma_get_dst_port(client.id)), t_port(&listener));
	CHECK_EQ(rdma_get_src_port(client.id), rdma_get_dst_port(server));
	CHECK_EQ(rdma_get_src_port(listener.id), rdma_get_src_port(server));
	CHECK(server->verbs == client.id->verbs);
	CHECK_EQ(1, server->port_num);

	param = t_param(0x4321, "well", 4);
	param.initiator_depth = 3;
	CHECK_EQ(0, rdma_accept(server, &param));
	event = t_event(client.channel);
	CHECK_EQ(RDMA_CM_EVENT_CONNECT_RESPONSE, event->event);
	CHECK_EQ(0x4321, event->param.conn.qp_num);
	CHECK_EQ(3, event->param.conn.responder_resources);
	CHECK_EQ(1, event->param.conn.initiator_depth);
	CHECK_EQ(196, event->param.conn.private_data_len);
	CHECK_BYTES(answer, event->param.conn.private_data, 196);
	CHECK_EQ(0, rdma_ack_cm_event(event));
	CHECK_EQ(0, rdma_establish(client.id));
	CHECK_FAILS(EINVAL, rdma_establish(client.id));
	t_expect_event(listener.channel, RDMA_CM_EVENT_ESTABLISHED, 0);

	CHECK_EQ(0, rdma_disconnect(client.id));
	t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_expect_no_event(client.channel);
	CHECK_EQ(0, rdma_disconnect(server));
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_expect_event(client.channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	t_expect_event(listener.channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&listener);
}

static void both_may_disconnect_at_once(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server = t_connect_pair(&client, &listener);

	CHECK_EQ(0, rdma_disconnect(client.id));
	CHECK_EQ(0, rdma_disconnect(server));
	t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_expect_event(listener.channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	t_expect_event(client.channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	t_expect_no_event(listener.channel);
	t_expect_no_event(client.channel);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&listener);
}

static void destroying_disconnects(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server = t_connect_pair(&client, &listener);

	t_id_close(&client);
	t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&listener);
}

static void received_data_establishes(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server;

	t_connect(&client);
	server = t_request(&listener);
	CHECK_FAILS(EINVAL, rdma_notify(server, IBV_EVENT_COMM_EST));
	t_accept(server);
	t_expect_event(client.channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	CHECK_FAILS(EINVAL, rdma_notify(server, IBV_EVENT_PATH_MIG));
	CHECK_EQ(0, rdma_notify(server, IBV_EVENT_COMM_EST));
	t_expect_event(listener.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	CHECK_FAILS(EISCONN, rdma_notify(server, IBV_EVENT_COMM_EST));
	CHECK_EQ(0, rdma_establish(client.id));
	t_disconnect(&client, &listener, server);
}

/* ---- connections that fail ---- */

static void port_without_listener_rejects(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));

	t_id_close(&listener);
	t_connect(&client);
	t_expect_event(client.channel, RDMA_CM_EVENT_REJECTED, 8);
	t_id_close(&client);
}

static void reject_carries_its_reason(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	const uint8_t padded[148] = "no";
	struct rdma_cm_event *event;
	struct rdma_cm_id *server;

	t_connect(&client);
	server = t_request(&listener);
	CHECK_FAILS(EINVAL, rdma_reject(server, padded, 149));
	CHECK_EQ(0, rdma_reject(server, "no", 2));
	CHECK_FAILS(EINVAL, rdma_reject(server, NULL, 0));
	event = t_event(client.channel);
	CHECK_EQ(RDMA_CM_EVENT_REJECTED, event->event);
	CHECK_EQ(28, event->status);
	CHECK_EQ(148, event->param.conn.private_data_len);
	CHECK_BYTES(padded, event->param.conn.private_data, 148);
	CHECK_EQ(0, rdma_ack_cm_event(event));
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);

	client = t_routed(LOOPBACK, t_port(&listener));
	t_connect(&client);
	server = t_request(&listener);
	CHECK_EQ(0, rdma_reject_ece(server, NULL, 0));
	t_expect_event(client.channel, RDMA_CM_EVENT_REJECTED, 35);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&listener);
}

static void the_response_may_be_rejected(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server;

	t_connect(&client);
	server = t_request(&listener);
	t_accept(server);
	t_expect_event(client.channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	CHECK_EQ(0, rdma_reject(client.id, NULL, 0));
	t_expect_event(listener.channel, RDMA_CM_EVENT_REJECTED, 28);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&listener);
}

static void requests_end_with_their_listener(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));

	t_connect(&client);
	CHECK(t_wait_readable(listener.channel->fd));
	t_id_close(&listener);
	t_expect_event(client.channel, RDMA_CM_EVENT_REJECTED, 28);
	t_id_close(&client);
}

static void a_client_that_gave_up_is_found_by_accept(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct t_id later = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_conn_param param = t_param(78, NULL, 0);
	struct rdma_cm_id *server;

	t_connect(&client);
	server = t_request(&listener);
	t_id_close(&client);
	/* Its request arrives after the message that withdraws the first. */
	t_connect(&later);
	CHECK_EQ(0, rdma_destroy_id(t_request(&listener)));
	CHECK_FAILS(EINVAL, rdma_accept(server, &param));
	CHECK_EQ(0, rdma_destroy_id(server));
	t_expect_no_event(listener.channel);
	t_id_close(&later);
	t_id_close(&listener);
}

static void private_data_that_does_not_fit_is_refused(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	uint8_t data[255] = { 0 };
	struct rdma_conn_param param = t_param(1, data, 57);
	struct rdma_cm_id *server;

	CHECK_FAILS(EINVAL, rdma_connect(client.id, &param));
	param.private_data_len = 255;
	CHECK_FAILS(EINVAL, rdma_connect(client.id, &param));
	param.private_data_len = 56;
	param.responder_resources = 17;
	CHECK_FAILS(EINVAL, rdma_connect(client.id, &param));
	param.responder_resources = RDMA_MAX_RESP_RES;
	CHECK_EQ(0, rdma_connect(client.id, &param));
	CHECK_FAILS(EINVAL, rdma_connect(client.id, &param));
	server = t_request(&listener);
	param.private_data_len = 197;
	/* An accept that fails rejects, as in the kernel. */
	CHECK_FAILS(EINVAL, rdma_accept(server, &param));
	t_expect_event(client.channel, RDMA_CM_EVENT_REJECTED, 28);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&listener);
}

static void full_backlog_delays_the_next_request(void)
{
	struct t_id listener = t_listen(LOOPBACK, 1);
	struct t_id other = t_listen(LOOPBACK, 1);
	struct t_id first = t_routed(LOOPBACK, t_port(&listener));
	struct t_id second = t_routed(LOOPBACK, t_port(&listener));
	struct t_id third = t_routed(LOOPBACK, t_port(&other));
	struct rdma_cm_id *server;

	t_connect(&first);
	t_connect(&second);
	/* This request arrives after the second, which has been dropped by then. */
	t_connect(&third);
	CHECK(t_wait_readable(other.channel->fd));
	server = t_request(&listener);
	CHECK_EQ(rdma_get_src_port(first.id), rdma_get_dst_port(server));
	t_expect_no_event(listener.channel);
	CHECK_EQ(0, rdma_destroy_id(server));
	server = t_request(&listener);
	CHECK_EQ(rdma_get_src_port(second.id), rdma_get_dst_port(server));
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&first);
	t_id_close(&second);
	t_id_close(&third);
	t_id_close(&other);
	t_id_close(&listener);
}

/* ---- calls in a wrong state ---- */

static void calls_in_a_wrong_state_are_refused(void)
{
	struct sockaddr_in6 here = t_address(LOOPBACK, 0);
	struct rdma_conn_param param = t_param(1, NULL, 0);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	struct t_id id = t_id_open(RDMA_PS_TCP);
	int mask;

	CHECK_FAILS(EINVAL, rdma_resolve_route(id.id, 100));
	CHECK_FAILS(EINVAL, rdma_connect(id.id, &param));
	CHECK_FAILS(EINVAL, rdma_accept(id.id, &param));
	CHECK_FAILS(EINVAL, rdma_reject(id.id, NULL, 0));
	CHECK_FAILS(EINVAL, rdma_establish(id.id));
	CHECK_FAILS(EINVAL, rdma_disconnect(id.id));
	CHECK_FAILS(EINVAL, rdma_notify(id.id, IBV_EVENT_COMM_EST));
	CHECK_FAILS(EINVAL, rdma_init_qp_attr(id.id, &attr, &mask));
	CHECK_FAILS(EINVAL, rdma_bind_addr(id.id, NULL));
	CHECK_FAILS(EINVAL, rdma_ack_cm_event(NULL));
	CHECK_EQ(0, rdma_bind_addr(id.id, (struct sockaddr *)&here));
	CHECK_FAILS(EINVAL, rdma_bind_addr(id.id, (struct sockaddr *)&here));
	CHECK_FAILS(EINVAL, rdma_connect(id.id, &param));
	CHECK_EQ(0, rdma_listen(id.id, 0));
	CHECK_FAILS(EINVAL, rdma_listen(id.id, 0));
	CHECK_FAILS(EINVAL, rdma_connect(id.id, &param));
	t_id_close(&id);
}

static void options_are_checked(void)
{
	struct t_id id = t_id_open(RDMA_PS_TCP);
	struct t_id datagrams = t_id_open(RDMA_PS_UDP);
	struct sockaddr_in6 here = t_address(LOOPBACK, 0);
	uint8_t byte = 20;
	int yes = 1;

	CHECK_EQ(0, rdma_set_option(id.id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &byte, 1));
	CHECK_FAILS(EINVAL, rdma_set_option(id.id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &yes, sizeof(yes)));
	CHECK_EQ(0, rdma_set_option(id.id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &byte, 1));
	CHECK_FAILS(EINVAL, rdma_set_option(datagrams.id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &byte, 1));
	CHECK_FAILS(ENOSYS, rdma_set_option(id.id, RDMA_OPTION_ID, 99, &byte, 1));
	CHECK_FAILS(ENOSYS, rdma_set_option(id.id, RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, &yes, sizeof(yes)));
	CHECK_EQ(0, rdma_set_option(id.id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &yes, sizeof(yes)));
	CHECK_EQ(0, rdma_set_option(id.id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &yes, sizeof(yes)));
	CHECK_EQ(0, rdma_bind_addr(id.id, (struct sockaddr *)&here));
	CHECK_EQ(0, rdma_listen(id.id, 1));
	CHECK_FAILS(EINVAL, rdma_set_option(id.id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &yes, sizeof(yes)));
	CHECK_FAILS(EINVAL, rdma_set_option(id.id, RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, &yes, sizeof(yes)));
	t_id_close(&datagrams);
	t_id_close(&id);
}

static void unsupported_functions_fail_with_eopnotsupp(void)
{
	struct t_id id = t_id_open(RDMA_PS_UDP);
	struct sockaddr_in6 group = t_address("239.0.0.1", 0);
	struct ibv_ece ece = { .vendor_id = 1 };

	CHECK_FAILS(EOPNOTSUPP, rdma_join_multicast(id.id, (struct sockaddr *)&group, NULL));
	CHECK_FAILS(EADDRNOTAVAIL, rdma_leave_multicast(id.id, (struct sockaddr *)&group));
	CHECK_FAILS(EOPNOTSUPP, rdma_set_local_ece(id.id, &ece));
	CHECK_EQ(0, rdma_get_remote_ece(id.id, &ece));
	CHECK_EQ(0, ece.vendor_id);
	t_id_close(&id);
}

/* ---- many ---- */

static void thousand_connections_leave_nothing(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);

	t_connect_repeatedly(&listener, LOOPBACK, CYCLES);
	t_id_close(&listener);
}

static void tests(void)
{
	T_MUST(!setenv("SOFTHCA_CM_TIMEOUT_MS", "3200", 1));
	T_RUN(events_have_the_private_data_of_the_peer);
	T_RUN(both_may_disconnect_at_once);
	T_RUN(destroying_disconnects);
	T_RUN(received_data_establishes);
	T_RUN(port_without_listener_rejects);
	T_RUN(reject_carries_its_reason);
	T_RUN(the_response_may_be_rejected);
	T_RUN(requests_end_with_their_listener);
	T_RUN(a_client_that_gave_up_is_found_by_accept);
	T_RUN(private_data_that_does_not_fit_is_refused);
	T_RUN(full_backlog_delays_the_next_request);
	T_RUN(calls_in_a_wrong_state_are_refused);
	T_RUN(options_are_checked);
	T_RUN(unsupported_functions_fail_with_eopnotsupp);
	T_RUN(thousand_connections_leave_nothing);
}

int main(void)
{
	return t_cm_main(tests);
}
