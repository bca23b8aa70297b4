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

/* Ids of connection management for tests: the steps that all tests share, and waiting for events. */
#ifndef T_CM_H
#define T_CM_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#include "t_fabric.h"

#define T_RESOLVE_MS	5000

/* An id with a channel of its own. */
struct t_id {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
};

static inline struct sockaddr_in6 t_address(const char *text, uint16_t port)
{
	struct sockaddr_in6 address = { 0 };
	struct sockaddr_in *in = (struct sockaddr_in *)&address;

	if (strchr(text, ':')) {
		address.sin6_family = AF_INET6;
		address.sin6_port = htons(port);
		T_MUST(inet_pton(AF_INET6, text, &address.sin6_addr) == 1);
	} else {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		T_MUST(inet_pton(AF_INET, text, &in->sin_addr) == 1);
	}
	return address;
}

static inline struct t_id t_id_open(enum rdma_port_space ps)
{
	struct t_id id = { .channel = rdma_create_event_channel() };

	T_MUST(id.channel);
	T_MUST(!rdma_create_id(id.channel, &id.id, NULL, ps));
	return id;
}

static inline void t_id_close(struct t_id *id)
{
	CHECK_EQ(0, rdma_destroy_id(id->id));
	rdma_destroy_event_channel(id->channel);
	id->id = NULL;
}

/* Returns the next event of the channel, which the caller acknowledges, or NULL when none came in time. */
static inline struct rdma_cm_event *t_event(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *event = NULL;

	if (!t_wait_readable(channel->fd))
		T_FAIL("no event after %d ms", T_PATIENCE_MS);
	else
		CHECK_EQ(0, rdma_get_cm_event(channel, &event));
	return event;
}

static inline void t_expect_event(struct rdma_event_channel *channel, enum rdma_cm_event_type type, int status)
{
	struct rdma_cm_event *event = t_event(channel);

	if (!event)
		return;
	if (event->event != type || event->status != status)
		T_FAIL("%s, status %d came, not %s, status %d", rdma_event_str(event->event), event->status,
		       rdma_event_str(type), status);
	CHECK_EQ(0, rdma_ack_cm_event(event));
}

static inline void t_expect_no_event(struct rdma_event_channel *channel)
{
	CHECK(!t_is_readable(channel->fd));
}

/* Opens an id that listens on a port of the system's choice. */
static inline struct t_id t_listen_in(enum rdma_port_space ps, const char *text, int backlog)
{
	struct sockaddr_in6 address = t_address(text, 0);
	struct t_id id = t_id_open(ps);

	T_MUST(!rdma_bind_addr(id.id, (struct sockaddr *)&address));
	T_MUST(!rdma_listen(id.id, backlog));
	return id;
}

static inline struct t_id t_listen(const char *text, int backlog)
{
	return t_listen_in(RDMA_PS_TCP, text, backlog);
}

static inline uint16_t t_port(const struct t_id *id)
{
	return ntohs(rdma_get_src_port(id->id));
}

/* Makes an id ready to connect. */
static inline void t_resolve(const struct t_id *id, const char *text, uint16_t port)
{
	struct sockaddr_in6 address = t_address(text, port);

	T_MUST(!rdma_resolve_addr(id->id, NULL, (struct sockaddr *)&address, T_RESOLVE_MS));
	t_expect_event(id->channel, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
	T_MUST(!rdma_resolve_route(id->id, T_RESOLVE_MS));
	t_expect_event(id->channel, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
}

static inline struct t_id t_routed_in(enum rdma_port_space ps, const char *text, uint16_t port)
{
	struct t_id id = t_id_open(ps);

	t_resolve(&id, text, port);
	return id;
}

static inline struct t_id t_routed(const char *text, uint16_t port)
{
	return t_routed_in(RDMA_PS_TCP, text, port);
}

static inline struct rdma_conn_param t_param(uint32_t qpn, const void *data, uint8_t size)
{
	return (struct rdma_conn_param){
		.private_data = data, .private_data_len = size, .responder_resources = 1, .initiator_depth = 1,
		.retry_count = 7, .rnr_retry_count = 7, .qp_num = qpn,
	};
}

static inline void t_connect(struct t_id *id)
{
	/* A queue pair of that number is not needed until packets go to it. */
	struct rdma_conn_param param = t_param(77, NULL, 0);

	CHECK_EQ(0, rdma_connect(id->id, &param));
}

/* Returns the id of the next request, and acknowledges the event. */
static inline struct rdma_cm_id *t_request(struct t_id *listener)
{
	struct rdma_cm_event *event = t_event(listener->channel);
	struct rdma_cm_id *id;

	T_MUST(event && event->event == RDMA_CM_EVENT_CONNECT_REQUEST);
	CHECK(event->listen_id == listener->id);
	id = event->id;
	CHECK_EQ(0, rdma_ack_cm_event(event));
	return id;
}

static inline void t_accept(struct rdma_cm_id *id)
{
	struct rdma_conn_param param = t_param(78, NULL, 0);

	CHECK_EQ(0, rdma_accept(id, &param));
}

/* Connects a resolved id as far as its RTU, which may not have arrived. Returns the passive id. */
static inline struct rdma_cm_id *t_establish(struct t_id *client, struct t_id *listener)
{
	struct rdma_cm_id *server;

	t_connect(client);
	server = t_request(listener);
	t_accept(server);
	t_expect_event(client->channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	CHECK_EQ(0, rdma_establish(client->id));
	return server;
}

/* Connects a resolved id. Returns the passive id, whose events come on the listener's channel. */
static inline struct rdma_cm_id *t_connect_pair(struct t_id *client, struct t_id *listener)
{
	struct rdma_cm_id *server = t_establish(client, listener);

	t_expect_event(listener->channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	return server;
}

/* The client disconnects and its peer is destroyed; closes client and listener. */
static inline void t_disconnect(struct t_id *client, struct t_id *listener, struct rdma_cm_id *server)
{
	CHECK_EQ(0, rdma_disconnect(client->id));
	t_expect_event(listener->channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_expect_event(client->channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_id_close(client);
	t_id_close(listener);
}

/* Makes connections one after another; each ends when the client's id is destroyed. */
static inline void t_connect_repeatedly(struct t_id *listener, const char *text, int times)
{
	int i;

	for (i = 0; i < times; i++) {
		struct t_id client = t_routed(text, t_port(listener));
		struct rdma_cm_id *server = t_connect_pair(&client, listener);

		t_id_close(&client);
		t_expect_event(listener->channel, RDMA_CM_EVENT_DISCONNECTED, 0);
		CHECK_EQ(0, rdma_destroy_id(server));
	}
	t_expect_no_event(listener->channel);
}

/* Checks that a call fails, and with which errno. */
#define CHECK_FAILS(error, call)		\
	do {					\
		errno = 0;			\
		CHECK_EQ(-1, call);		\
		CHECK_EQ(error, errno);		\
	} while (0)

/*
 * main of such a test. A process that has used the device leaves its fabric only when it ends, so another one checks
 * that nothing is left.
 */
static inline int t_cm_main(void (*tests)(void))
{
	pid_t child;
	int status;

	t_fabric_open();
	fflush(NULL);
	child = fork();
	T_MUST(child >= 0);
	if (!child) {
		tests();
		exit(t_result());
	}
	T_MUST(waitpid(child, &status, 0) == child);
	t_name = "after the end";
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		T_FAIL("the tests ended with status 0x%x", status);
	t_fabric_close();
	return t_result();
}

#endif
