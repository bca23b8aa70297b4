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
 * Event channels of rdma_cm: their events, moving ids between them, and waiting for acknowledgements; ids in
 * synchronous mode; the datagram handshake.
 */
#include <pthread.h>

#include "t_cm.h"

#define LOOPBACK	"127.0.0.1"

/* ---- taking, acknowledging, destroying ---- */

static void an_empty_channel_would_block(void)
{
	struct t_id id = t_id_open(RDMA_PS_TCP);
	struct rdma_cm_event *event;

	CHECK_EQ(0, fcntl(id.channel->fd, F_SETFL, fcntl(id.channel->fd, F_GETFL) | O_NONBLOCK));
	CHECK_FAILS(EAGAIN, rdma_get_cm_event(id.channel, &event));
	CHECK_FAILS(EINVAL, rdma_get_cm_event(id.channel, NULL));
	t_id_close(&id);
}

static void unfetched_events_are_removed_with_their_id(void)
{
	struct t_id kept = t_id_open(RDMA_PS_TCP);
	struct sockaddr_in6 address = t_address(LOOPBACK, 1234);
	struct rdma_cm_event *event;
	struct rdma_cm_id *gone;

	CHECK_EQ(0, rdma_create_id(kept.channel, &gone, NULL, RDMA_PS_TCP));
	CHECK_EQ(0, rdma_resolve_addr(gone, NULL, (struct sockaddr *)&address, 100));
	CHECK_EQ(0, rdma_resolve_addr(kept.id, NULL, (struct sockaddr *)&address, 100));
	CHECK_EQ(0, rdma_destroy_id(gone));
	event = t_event(kept.channel);
	CHECK(event->id == kept.id);
	CHECK_EQ(0, rdma_ack_cm_event(event));
	t_expect_no_event(kept.channel);
	t_id_close(&kept);
}

static void *destroy(void *id)
{
	CHECK_EQ(0, rdma_destroy_id(id));
	return NULL;
}

/* An unacknowledged event keeps its id: rdma_destroy_id waits for the acknowledgement. */
static void destroying_waits_for_the_acknowledgement(void)
{
	struct t_id id = t_id_open(RDMA_PS_TCP);
	struct sockaddr_in6 address = t_address(LOOPBACK, 1234);
	struct rdma_cm_event *event;
	pthread_t thread;

	CHECK_EQ(0, rdma_resolve_addr(id.id, NULL, (struct sockaddr *)&address, 100));
	event = t_event(id.channel);
	T_MUST(!pthread_create(&thread, NULL, destroy, id.id));
	/* The address sanitizer would report freed memory here. */
	CHECK(event->id == id.id);
	CHECK_EQ(1, event->id->port_num);
	CHECK_EQ(0, rdma_ack_cm_event(event));
	T_MUST(!pthread_join(thread, NULL));
	rdma_destroy_event_channel(id.channel);
}

/* ---- moving ids between channels ---- */

static void events_move_with_their_id_and_wake(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_event_channel *other = rdma_create_event_channel();
	struct rdma_cm_id *server = t_connect_pair(&client, &listener);

	T_MUST(other);
	CHECK_EQ(0, rdma_disconnect(client.id));
	CHECK(t_wait_readable(listener.channel->fd));
	CHECK_EQ(0, rdma_migrate_id(server, other));
	CHECK(server->channel == other);
	t_expect_no_event(listener.channel);
	t_expect_event(other, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(0, rdma_migrate_id(server, other));
	CHECK_EQ(0, rdma_disconnect(server));
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(0, rdma_destroy_id(server));
	rdma_destroy_event_channel(other);
	t_id_close(&client);
	t_id_close(&listener);
}

static void a_listener_moves_with_its_requests(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_event_channel *old = listener.channel;
	struct rdma_cm_id *server;

	t_connect(&client);
	CHECK(t_wait_readable(old->fd));
	listener.channel = rdma_create_event_channel();
	T_MUST(listener.channel);
	CHECK_EQ(0, rdma_migrate_id(listener.id, listener.channel));
	rdma_destroy_event_channel(old);
	server = t_request(&listener);
	CHECK(server->channel == listener.channel);
	t_accept(server);
	t_expect_event(client.channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	CHECK_EQ(0, rdma_establish(client.id));
	t_expect_event(listener.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_id_close(&client);
	t_id_close(&listener);
}

/* ---- synchronous mode, with queue pairs that are created with the id ---- */

struct talk {
	struct rdma_cm_id *id;
	uint8_t memory[64];
	struct ibv_mr *mr;
};

static struct ibv_qp_init_attr queue_pair(void)
{
	return (struct ibv_qp_init_attr){
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.sq_sig_all = 1,
	};
}

static struct rdma_addrinfo *look_up(int flags, uint16_t port)
{
	struct rdma_addrinfo hints = { .ai_flags = flags, .ai_port_space = RDMA_PS_TCP };
	struct rdma_addrinfo *info;
	char service[8];

	snprintf(service, sizeof(service), "%u", port);
	T_MUST(!rdma_getaddrinfo(LOOPBACK, service, &hints, &info));
	return info;
}

static void register_memory(struct talk *talk)
{
	talk->mr = rdma_reg_msgs(talk->id, talk->memory, sizeof(talk->memory));
	T_MUST(talk->mr);
	CHECK_EQ(0, rdma_post_recv(talk->id, NULL, talk->memory, sizeof(talk->memory), talk->mr));
}

static void end_talk(struct talk *talk)
{
	CHECK_EQ(0, rdma_disconnect(talk->id));
	rdma_dereg_mr(talk->mr);
	rdma_destroy_ep(talk->id);
}

static void *serve(void *argument)
{
	struct rdma_cm_id *listener = argument;
	struct talk talk;
	struct ibv_wc wc;

	T_MUST(!rdma_get_request(listener, &talk.id));
	CHECK(talk.id->qp != NULL);
	register_memory(&talk);
	CHECK_EQ(0, rdma_accept(talk.id, NULL));
	CHECK_EQ(1, rdma_get_recv_comp(talk.id, &wc));
	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_BYTES("ping", talk.memory, 5);
	memcpy(talk.memory, "pong", 5);
	CHECK_EQ(0, rdma_post_send(talk.id, NULL, talk.memory, 5, talk.mr, 0));
	CHECK_EQ(1, rdma_get_send_comp(talk.id, &wc));
	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	end_talk(&talk);
	return NULL;
}

static void endpoints_talk(void)
{
	struct ibv_qp_init_attr attr = queue_pair();
	struct rdma_addrinfo *info = look_up(RAI_PASSIVE, 0);
	struct rdma_cm_id *listener;
	struct talk talk;
	struct ibv_wc wc;
	pthread_t thread;

	T_MUST(!rdma_create_ep(&listener, info, NULL, &attr));
	rdma_freeaddrinfo(info);
	CHECK_EQ(0, rdma_listen(listener, 0));
	T_MUST(!pthread_create(&thread, NULL, serve, listener));

	info = look_up(0, ntohs(rdma_get_src_port(listener)));
	attr = queue_pair();
	T_MUST(!rdma_create_ep(&talk.id, info, NULL, &attr));
	rdma_freeaddrinfo(info);
	CHECK_FAILS(EINVAL, rdma_establish(talk.id));
	CHECK_FAILS(EINVAL, rdma_migrate_id(talk.id, NULL));
	register_memory(&talk);
	CHECK_EQ(0, rdma_connect(talk.id, NULL));
	CHECK_EQ(RDMA_CM_EVENT_ESTABLISHED, talk.id->event->event);
	memcpy(talk.memory + 8, "ping", 5);
	CHECK_EQ(0, rdma_post_send(talk.id, NULL, talk.memory + 8, 5, talk.mr, 0));
	CHECK_EQ(1, rdma_get_send_comp(talk.id, &wc));
	CHECK_EQ(1, rdma_get_recv_comp(talk.id, &wc));
	CHECK_EQ(IBV_WC_SUCCESS, wc.status);
	CHECK_BYTES("pong", talk.memory, 5);
	end_talk(&talk);
	T_MUST(!pthread_join(thread, NULL));
	rdma_destroy_ep(listener);
}

static void a_refused_endpoint_says_so(void)
{
	struct ibv_qp_init_attr attr = queue_pair();
	struct t_id listener = t_listen(LOOPBACK, 1);
	struct rdma_addrinfo *info = look_up(0, t_port(&listener));
	struct rdma_cm_id *id;

	t_id_close(&listener);
	T_MUST(!rdma_create_ep(&id, info, NULL, &attr));
	rdma_freeaddrinfo(info);
	CHECK_FAILS(ECONNREFUSED, rdma_connect(id, NULL));
	CHECK_EQ(RDMA_CM_EVENT_REJECTED, id->event->event);
	CHECK_EQ(8, id->event->status);
	CHECK_EQ(IBV_QPS_ERR, id->qp->state);
	rdma_destroy_ep(id);
}

/* ---- datagrams ---- */

static struct t_id resolve_for_datagrams(const struct t_id *listener)
{
	return t_routed_in(RDMA_PS_UDP, LOOPBACK, t_port(listener));
}

static void datagrams_learn_where_to_send_to(void)
{
	struct t_id listener = t_listen_in(RDMA_PS_UDP, LOOPBACK, 4);
	struct t_id client = resolve_for_datagrams(&listener);
	struct rdma_conn_param param = t_param(5, "hi", 2);
	const uint8_t hello[180] = "hi";
	const uint8_t answer[136] = "ho";
	struct rdma_cm_event *event;
	struct rdma_cm_id *server;

	CHECK_EQ(0, rdma_connect(client.id, &param));
	event = t_event(listener.channel);
	CHECK_EQ(RDMA_CM_EVENT_CONNECT_REQUEST, event->event);
	CHECK_EQ(180, event->param.ud.private_data_len);
	CHECK_BYTES(hello, event->param.ud.private_data, 180);
	server = event->id;
	CHECK_EQ(0, rdma_ack_cm_event(event));
	param = t_param(0x777, "ho", 2);
	CHECK_EQ(0, rdma_accept(server, &param));
	event = t_event(client.channel);
	CHECK_EQ(RDMA_CM_EVENT_ESTABLISHED, event->event);
	CHECK_EQ(0x777, event->param.ud.qp_num);
	CHECK_EQ(RDMA_UDP_QKEY, event->param.ud.qkey);
	CHECK_EQ(1, event->param.ud.ah_attr.is_global);
	CHECK_EQ(1, event->param.ud.ah_attr.port_num);
	CHECK_EQ(136, event->param.ud.private_data_len);
	CHECK_BYTES(answer, event->param.ud.private_data, 136);
	CHECK_EQ(0, rdma_ack_cm_event(event));
	CHECK_FAILS(EINVAL, rdma_accept(server, &param));
	CHECK_EQ(0, rdma_destroy_id(server));
	t_expect_no_event(listener.channel);
	t_id_close(&client);
	t_id_close(&listener);
}

static void datagrams_are_refused(void)
{
	struct t_id listener = t_listen_in(RDMA_PS_UDP, LOOPBACK, 4);
	struct t_id client = resolve_for_datagrams(&listener);
	struct t_id late = resolve_for_datagrams(&listener);
	struct rdma_cm_id *server;

	t_connect(&client);
	server = t_request(&listener);
	CHECK_EQ(0, rdma_reject(server, "no", 2));
	t_expect_event(client.channel, RDMA_CM_EVENT_UNREACHABLE, 2);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&listener);
	t_connect(&late);
	t_expect_event(late.channel, RDMA_CM_EVENT_UNREACHABLE, 1);
	t_id_close(&late);
}

static void tests(void)
{
	T_RUN(an_empty_channel_would_block);
	T_RUN(unfetched_events_are_removed_with_their_id);
	T_RUN(destroying_waits_for_the_acknowledgement);
	T_RUN(events_move_with_their_id_and_wake);
	T_RUN(a_listener_moves_with_its_requests);
	T_RUN(endpoints_talk);
	T_RUN(a_refused_endpoint_says_so);
	T_RUN(datagrams_learn_where_to_send_to);
	T_RUN(datagrams_are_refused);
}

int main(void)
{
	return t_cm_main(tests);
}
