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
 * Lost messages of connection management: each is sent again, none counts twice, and a side that gets no answer gives
 * up in the end.
 */
#include <time.h>

#include "abi/softhca.h"
#include "t_cm.h"

#define LOOPBACK	"127.0.0.1"
#define ROUNDS		40
#define TIMEOUT_MS	800
#define UNANSWERED	128

static void set_faults(const char *faults)
{
	char command[64];

	snprintf(command, sizeof(command), "faults %s", faults);
	T_MUST(!softhca_control(0, command));
}

static void connect_and_disconnect(struct t_id *listener)
{
	struct t_id client = t_routed(LOOPBACK, t_port(listener));
	struct rdma_cm_id *server = t_connect_pair(&client, listener);

	CHECK_EQ(0, rdma_disconnect(client.id));
	t_expect_event(listener->channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(0, rdma_disconnect(server));
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_expect_event(client.channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	t_expect_event(listener->channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	t_expect_no_event(client.channel);
	t_expect_no_event(listener->channel);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
}

/* Loses each message of a connection once: REQ, REP, RTU, DREQ, DREP. */
static void any_message_may_be_lost(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	char faults[32];
	int i;

	for (i = 1; i <= 5; i++) {
		snprintf(faults, sizeof(faults), "seed=1,message@%d", i);
		set_faults(faults);
		connect_and_disconnect(&listener);
	}
	set_faults("off");
	t_id_close(&listener);
}

/* Each repeated REP is answered by another RTU, which is lost, too. */
static void accepting_side_without_rtu_gives_up(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server;

	set_faults("seed=1,ready=1");
	server = t_establish(&client, &listener);
	t_expect_event(listener.channel, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	set_faults("off");
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&listener);
}

/*
 * With one message in five lost, all connections succeed. The quiet time before TIMEWAIT_EXIT is shorter than the time
 * until a DREQ is repeated whose DREP was lost.
 */
static void many_may_be_lost(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);

	set_faults("seed=7,message=0.2");
	t_connect_repeatedly(&listener, LOOPBACK, ROUNDS);
	set_faults("off");
	t_id_close(&listener);
}

static void lost_messages_end_with_unreachable(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct t_id connected = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server = t_connect_pair(&connected, &listener);

	set_faults("seed=1,message=1");
	t_connect(&client);
	t_expect_event(client.channel, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	CHECK_EQ(0, rdma_disconnect(connected.id));
	t_expect_event(connected.channel, RDMA_CM_EVENT_DISCONNECTED, -ETIMEDOUT);
	t_expect_no_event(listener.channel);
	set_faults("off");
	t_id_close(&connected);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&listener);
}

/*
 * 128 requests are not answered, so further ones wait for the end of a try. Then those that were not sent yet come
 * first, and none was sent so often that it fails.
 */
static void requests_that_wait_are_sent_after_a_try(void)
{
	struct t_id listener = t_listen(LOOPBACK, 2 * UNANSWERED);
	struct t_id other = t_listen(LOOPBACK, 4);
	struct t_id clients[UNANSWERED];
	struct t_id late;
	int i;

	for (i = 0; i < UNANSWERED; i++) {
		clients[i] = t_routed(LOOPBACK, t_port(&listener));
		t_connect(&clients[i]);
	}
	late = t_routed(LOOPBACK, t_port(&other));
	t_connect(&late);
	CHECK_EQ(0, rdma_destroy_id(t_request(&other)));
	for (i = 0; i < UNANSWERED; i++)
		t_expect_no_event(clients[i].channel);
	for (i = 0; i < UNANSWERED; i++)
		t_id_close(&clients[i]);
	t_id_close(&late);
	t_id_close(&other);
	t_id_close(&listener);
}

/* A request that was sent while the port was down is repeated when it is up. */
static void a_request_outlives_a_port_that_is_down(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));

	T_MUST(!softhca_control(0, "port-down"));
	t_connect(&client);
	t_expect_no_event(listener.channel);
	T_MUST(!softhca_control(0, "port-up"));
	CHECK_EQ(0, rdma_destroy_id(t_request(&listener)));
	t_expect_event(client.channel, RDMA_CM_EVENT_REJECTED, 28);
	t_id_close(&client);
	t_id_close(&listener);
}

/* Whether there is a listener is decided when the request arrives, not when it is sent. */
static void lost_request_reaches_no_listener(enum rdma_port_space ps, enum rdma_cm_event_type refusal, int status)
{
	struct sockaddr_in6 address = t_address(LOOPBACK, 0);
	struct t_id listener = t_id_open(ps);
	struct t_id early, late;

	T_MUST(!rdma_bind_addr(listener.id, (struct sockaddr *)&address));
	early = t_routed_in(ps, LOOPBACK, t_port(&listener));
	late = t_routed_in(ps, LOOPBACK, t_port(&listener));
	set_faults("seed=1,message=1");
	t_connect(&early);
	t_expect_no_event(early.channel);
	set_faults("off");
	t_expect_event(early.channel, refusal, status);
	set_faults("seed=1,message=1");
	t_connect(&late);
	T_MUST(!rdma_listen(listener.id, 4));
	set_faults("off");
	CHECK_EQ(0, rdma_destroy_id(t_request(&listener)));
	t_id_close(&late);
	t_id_close(&early);
	t_id_close(&listener);
}

static void a_lost_request_for_a_connection(void)
{
	lost_request_reaches_no_listener(RDMA_PS_TCP, RDMA_CM_EVENT_REJECTED, 8);
}

static void a_lost_request_for_datagrams(void)
{
	lost_request_reaches_no_listener(RDMA_PS_UDP, RDMA_CM_EVENT_UNREACHABLE, 1);
}

/* REQ, REP and, too late, RTU: the passive side finds the connection by data, and notifies the device. */
static struct rdma_cm_id *notified(struct t_id *client, struct t_id *listener)
{
	struct rdma_cm_id *server;

	set_faults("seed=1,late@3:300ms");
	t_connect(client);
	server = t_request(listener);
	t_accept(server);
	t_expect_event(client->channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	CHECK_EQ(0, rdma_establish(client->id));
	CHECK_EQ(0, rdma_notify(server, IBV_EVENT_COMM_EST));
	CHECK_FAILS(EISCONN, rdma_notify(server, IBV_EVENT_COMM_EST));
	return server;
}

/* Whether the id is destroyed only when its REP is not repeated any more. */
static bool is_held(struct rdma_cm_id *id)
{
	struct timespec start, end;

	clock_gettime(CLOCK_MONOTONIC, &start);
	CHECK_EQ(0, rdma_destroy_id(id));
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000 > TIMEOUT_MS / 2;
}

/* The kernel stops to repeat the REP when it raises ESTABLISHED, and not for a program that disconnects before. */
static void a_disconnect_overtakes_the_report(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server = notified(&client, &listener);

	CHECK_EQ(0, rdma_disconnect(server));
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(0, rdma_disconnect(client.id));
	t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK(is_held(server));
	set_faults("off");
	t_id_close(&client);
	t_id_close(&listener);
}

static void an_end_overtakes_the_report(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));

	CHECK(is_held(notified(&client, &listener)));
	set_faults("off");
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_id_close(&client);
	t_id_close(&listener);
}

static void the_report_comes_first(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server = notified(&client, &listener);

	t_expect_event(listener.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	CHECK_EQ(0, rdma_disconnect(server));
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK(!is_held(server));
	set_faults("off");
	t_id_close(&client);
	t_id_close(&listener);
}

/* A peer's message is handled after the report. */
static void peer_may_disconnect_before_the_report(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server = notified(&client, &listener);

	CHECK_EQ(0, rdma_disconnect(client.id));
	t_expect_event(listener.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK(!is_held(server));
	set_faults("off");
	t_id_close(&client);
	t_id_close(&listener);
}

/* The device is gone, and the message that it would have repeated with it. */
static void a_removal_overtakes_the_report(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server = notified(&client, &listener);

	T_MUST(!softhca_control(0, "remove-device"));
	CHECK(!is_held(server));
	set_faults("off");
	t_id_close(&client);
	t_id_close(&listener);
	T_MUST(!softhca_control(0, "insert-device"));
}

static void tests(void)
{
	char timeout[16];

	snprintf(timeout, sizeof(timeout), "%d", TIMEOUT_MS);
	T_MUST(!setenv("SOFTHCA_CM_TIMEOUT_MS", timeout, 1));
	T_RUN(any_message_may_be_lost);
	T_RUN(accepting_side_without_rtu_gives_up);
	T_RUN(many_may_be_lost);
	T_RUN(lost_messages_end_with_unreachable);
	T_RUN(requests_that_wait_are_sent_after_a_try);
	T_RUN(a_request_outlives_a_port_that_is_down);
	T_RUN(a_lost_request_for_a_connection);
	T_RUN(a_lost_request_for_datagrams);
	T_RUN(a_disconnect_overtakes_the_report);
	T_RUN(an_end_overtakes_the_report);
	T_RUN(the_report_comes_first);
	T_RUN(peer_may_disconnect_before_the_report);
	T_RUN(a_removal_overtakes_the_report);
}

int main(void)
{
	return t_cm_main(tests);
}
