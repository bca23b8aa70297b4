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
 * rdma_cm connections from many threads at once: clients that connect and hang up, a thread that accepts, and listeners
 * that come and go while clients connect to them.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "t_cm.h"

#define LOOPBACK	"127.0.0.1"
#define CLIENTS		4
#define ROUNDS		50
#define LISTENERS	60

static struct t_id listener;
static _Atomic int port_of_the_moment;

/* Either side may hang up first. */
static void *connect_many(void *argument)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		struct t_id client = t_routed(LOOPBACK, t_port(&listener));

		t_connect(&client);
		t_expect_event(client.channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
		CHECK_EQ(0, rdma_establish(client.id));
		if (i % 2) {
			CHECK_EQ(0, rdma_disconnect(client.id));
			t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
		}
		t_id_close(&client);
	}
	return argument;
}

static int accept_one_event(void)
{
	struct rdma_cm_event *event = t_event(listener.channel);
	enum rdma_cm_event_type type;
	struct rdma_cm_id *id;

	T_MUST(event);
	type = event->event;
	id = event->id;
	CHECK_EQ(0, event->status);
	CHECK_EQ(0, rdma_ack_cm_event(event));
	switch (type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		t_accept(id);
		return 0;
	case RDMA_CM_EVENT_ESTABLISHED:
		return 0;
	case RDMA_CM_EVENT_DISCONNECTED:
		CHECK_EQ(0, rdma_destroy_id(id));
		return 1;
	default:
		T_FAIL("%s", rdma_event_str(type));
		return 0;
	}
}

static void many_clients_of_one_listener(void)
{
	pthread_t threads[CLIENTS];
	int ended = 0;
	int i;

	listener = t_listen(LOOPBACK, 0);
	for (i = 0; i < CLIENTS; i++)
		T_MUST(!pthread_create(&threads[i], NULL, connect_many, NULL));
	while (ended < CLIENTS * ROUNDS)
		ended += accept_one_event();
	for (i = 0; i < CLIENTS; i++)
		T_MUST(!pthread_join(threads[i], NULL));
	t_expect_no_event(listener.channel);
	t_id_close(&listener);
}

/* There is no listener, or it goes while it has the request: either way the request is rejected, never ignored. */
static void *connect_to_a_vanishing_listener(void *argument)
{
	int port;

	while ((port = atomic_load(&port_of_the_moment)) >= 0) {
		struct t_id client = t_routed(LOOPBACK, (uint16_t)port);
		struct rdma_cm_event *event;

		t_connect(&client);
		event = t_event(client.channel);
		T_MUST(event);
		CHECK_EQ(RDMA_CM_EVENT_REJECTED, event->event);
		CHECK(event->status == 8 || event->status == 28);
		CHECK_EQ(0, rdma_ack_cm_event(event));
		t_id_close(&client);
	}
	return argument;
}

static void listeners_are_created_and_destroyed(void)
{
	pthread_t threads[CLIENTS];
	int i;

	atomic_store(&port_of_the_moment, 1);
	for (i = 0; i < CLIENTS; i++)
		T_MUST(!pthread_create(&threads[i], NULL, connect_to_a_vanishing_listener, NULL));
	for (i = 0; i < LISTENERS; i++) {
		struct t_id passing = t_listen(LOOPBACK, 0);

		atomic_store(&port_of_the_moment, t_port(&passing));
		if (i % 3)
			CHECK(t_wait_readable(passing.channel->fd));
		if (i % 3 == 2)
			CHECK_EQ(0, rdma_destroy_id(t_request(&passing)));
		t_id_close(&passing);
	}
	atomic_store(&port_of_the_moment, -1);
	for (i = 0; i < CLIENTS; i++)
		T_MUST(!pthread_join(threads[i], NULL));
}

static void tests(void)
{
	T_RUN(many_clients_of_one_listener);
	T_RUN(listeners_are_created_and_destroyed);
}

int main(void)
{
	return t_cm_main(tests);
}
