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
 * rdma_cm connections between two processes, and what happens to them when one is killed. One process is forked from
 * the other; both use the device only after that.
 */
#include <sched.h>

#include "t_cm.h"

#define LOOPBACK	"127.0.0.1"
#define ROUNDS		20

enum stage {
	LISTENING,
	REQUESTED,
	ACCEPTED,
	ESTABLISHED,
	DISCONNECTED,
};

static enum stage stage;

/* Serves up to the given stage, then waits for its end. */
static void serve_until(int fd)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct rdma_cm_id *server = NULL;

	t_put(fd, t_port(&listener));
	if (stage >= REQUESTED)
		server = t_request(&listener);
	if (stage >= ACCEPTED)
		t_accept(server);
	if (stage >= ESTABLISHED)
		t_expect_event(listener.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	if (stage >= DISCONNECTED)
		t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_put(fd, stage);
	t_get(fd);
}

static struct t_process start(enum stage until, struct t_id *client)
{
	struct t_process process;
	int64_t port;

	stage = until;
	process = t_fork(serve_until);
	port = t_get(process.fd);
	T_MUST(port > 0);
	*client = t_routed(LOOPBACK, (uint16_t)port);
	return process;
}

/* Each case has a process of its own, because a process must not fork after it has used the device. */
static void in_a_process(void (*run)(int fd))
{
	struct t_process process = t_fork(run);

	t_join(&process);
}

static void killed_listener(int fd)
{
	struct t_id client;
	struct t_process process = start(LISTENING, &client);

	(void)fd;
	CHECK_EQ(LISTENING, t_get(process.fd));
	t_kill(&process);
	t_connect(&client);
	t_expect_event(client.channel, RDMA_CM_EVENT_REJECTED, 8);
	t_id_close(&client);
}

static void killed_with_a_request(int fd)
{
	struct t_id client;
	struct t_process process = start(REQUESTED, &client);

	(void)fd;
	t_connect(&client);
	CHECK_EQ(REQUESTED, t_get(process.fd));
	t_kill(&process);
	t_expect_event(client.channel, RDMA_CM_EVENT_REJECTED, 28);
	t_id_close(&client);
}

static void killed_after_accepting(int fd)
{
	struct t_id client;
	struct t_process process = start(ACCEPTED, &client);

	(void)fd;
	t_connect(&client);
	CHECK_EQ(ACCEPTED, t_get(process.fd));
	t_expect_event(client.channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	t_kill(&process);
	t_expect_event(client.channel, RDMA_CM_EVENT_REJECTED, 28);
	CHECK_FAILS(EINVAL, rdma_establish(client.id));
	t_id_close(&client);
}

static void killed_when_connected(int fd)
{
	struct t_id client;
	struct t_process process = start(ESTABLISHED, &client);

	(void)fd;
	t_connect(&client);
	t_expect_event(client.channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	CHECK_EQ(0, rdma_establish(client.id));
	CHECK_EQ(ESTABLISHED, t_get(process.fd));
	t_kill(&process);
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(0, rdma_disconnect(client.id));
	t_expect_event(client.channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	t_id_close(&client);
}

static void killed_before_it_disconnects(int fd)
{
	struct t_id client;
	struct t_process process = start(DISCONNECTED, &client);

	(void)fd;
	t_connect(&client);
	t_expect_event(client.channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	CHECK_EQ(0, rdma_establish(client.id));
	CHECK_EQ(0, rdma_disconnect(client.id));
	CHECK_EQ(DISCONNECTED, t_get(process.fd));
	t_expect_no_event(client.channel);
	t_kill(&process);
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_id_close(&client);
}

/* ---- the client is killed ---- */

static void connect_and_wait(int fd)
{
	struct t_id client = t_routed(LOOPBACK, (uint16_t)t_get(fd));

	t_connect(&client);
	if (stage >= ESTABLISHED) {
		t_expect_event(client.channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
		CHECK_EQ(0, rdma_establish(client.id));
	}
	t_get(fd);
}

static void killed_client(int fd)
{
	struct rdma_conn_param param = t_param(78, NULL, 0);
	struct t_process process;
	struct t_process later;
	struct t_id listener;
	struct rdma_cm_id *first;
	struct rdma_cm_id *second;

	(void)fd;
	stage = REQUESTED;
	process = t_fork(connect_and_wait);
	stage = ESTABLISHED;
	later = t_fork(connect_and_wait);
	listener = t_listen(LOOPBACK, 4);
	t_put(process.fd, t_port(&listener));
	first = t_request(&listener);
	t_put(later.fd, t_port(&listener));
	second = t_request(&listener);
	t_accept(second);
	t_expect_event(listener.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	t_kill(&process);
	t_kill(&later);
	t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	/* A request that was not accepted gets no event; accepting it finds that its peer is gone. */
	for (;;) {
		struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
		int mask;

		if (rdma_init_qp_attr(first, &attr, &mask))
			break;
		sched_yield();
	}
	CHECK_FAILS(EINVAL, rdma_accept(first, &param));
	t_expect_no_event(listener.channel);
	CHECK_EQ(0, rdma_destroy_id(first));
	CHECK_EQ(0, rdma_destroy_id(second));
	t_id_close(&listener);
}

/* ---- both processes live ---- */

static void serve_rounds(int fd)
{
	struct t_id listener = t_listen("::", 4);
	int i;

	t_put(fd, t_port(&listener));
	for (i = 0; i < ROUNDS; i++) {
		struct rdma_cm_id *server = t_request(&listener);

		t_accept(server);
		t_expect_event(listener.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
		t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
		CHECK_EQ(0, rdma_disconnect(server));
		CHECK_EQ(0, rdma_destroy_id(server));
	}
	t_id_close(&listener);
}

static void rounds(int fd)
{
	struct t_process process = t_fork(serve_rounds);
	int64_t port = t_get(process.fd);
	int i;

	(void)fd;
	T_MUST(port > 0);
	for (i = 0; i < ROUNDS; i++) {
		struct t_id client = t_routed(i % 2 ? "::1" : LOOPBACK, (uint16_t)port);

		t_connect(&client);
		t_expect_event(client.channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
		CHECK_EQ(0, rdma_establish(client.id));
		CHECK_EQ(0, rdma_disconnect(client.id));
		t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
		t_id_close(&client);
	}
	t_join(&process);
}

/* ---- a child of a process that uses the device ---- */

static void try_to_bind(int fd)
{
	struct sockaddr_in6 address = t_address(LOOPBACK, 0);
	struct t_id id = t_id_open(RDMA_PS_TCP);

	CHECK_FAILS(ENODEV, rdma_bind_addr(id.id, (struct sockaddr *)&address));
	t_id_close(&id);
	t_put(fd, 1);
	/* The leak sanitizer would look for the parent's helper thread. */
	_exit(t_result());
}

static void a_child_has_no_device(int fd)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server = t_connect_pair(&client, &listener);
	struct t_process process = t_fork(try_to_bind);

	(void)fd;
	CHECK_EQ(1, t_get(process.fd));
	t_join(&process);
	t_expect_no_event(client.channel);
	t_disconnect(&client, &listener, server);
}

#define IN_A_PROCESS(name)		\
	static void name##_case(void)	\
	{				\
		in_a_process(name);	\
	}

IN_A_PROCESS(killed_listener)
IN_A_PROCESS(killed_with_a_request)
IN_A_PROCESS(killed_after_accepting)
IN_A_PROCESS(killed_when_connected)
IN_A_PROCESS(killed_before_it_disconnects)
IN_A_PROCESS(killed_client)
IN_A_PROCESS(rounds)
IN_A_PROCESS(a_child_has_no_device)

int main(void)
{
	t_fabric_open();
	T_MUST(!setenv("SOFTHCA_CM_TIMEOUT_MS", "16000", 1));
	T_RUN(killed_listener_case);
	T_RUN(killed_with_a_request_case);
	T_RUN(killed_after_accepting_case);
	T_RUN(killed_when_connected_case);
	T_RUN(killed_before_it_disconnects_case);
	T_RUN(killed_client_case);
	T_RUN(rounds_case);
	T_RUN(a_child_has_no_device_case);
	t_fabric_close();
	return t_result();
}
