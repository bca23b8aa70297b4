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

/* Messages of connection management that arrive twice, or after messages that were sent later. */
#include "abi/softhca.h"
#include "t_cm.h"

#define LOOPBACK	"127.0.0.1"
#define ROUNDS		40

static void set_faults(const char *faults)
{
	char command[64];

	snprintf(command, sizeof(command), "faults off,%s", faults);
	T_MUST(!softhca_control(0, command));
}

/* Each message arrives twice, and the copy has no effect. */
static void repeated_message_counts_once(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server;

	set_faults("seed=1,repeat=1");
	server = t_connect_pair(&client, &listener);
	t_expect_no_event(listener.channel);
	t_expect_no_event(client.channel);
	CHECK_EQ(0, rdma_disconnect(client.id));
	t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(0, rdma_disconnect(server));
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_expect_event(client.channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	t_expect_event(listener.channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	t_expect_no_event(client.channel);
	set_faults("seed=1");
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&listener);
}

/* The RTU is overtaken by DREQ. */
static void disconnect_before_established(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server;

	set_faults("seed=1,ready-late=1:300ms");
	server = t_establish(&client, &listener);
	CHECK_EQ(0, rdma_disconnect(client.id));
	t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(0, rdma_disconnect(server));
	t_expect_event(client.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	/* The late RTU has arrived by now, and has no effect. */
	usleep(300000);
	t_expect_event(listener.channel, RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
	t_expect_no_event(listener.channel);
	set_faults("seed=1");
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&client);
	t_id_close(&listener);
}

static void many_connect(const char *faults)
{
	struct t_id listener = t_listen(LOOPBACK, 4);

	set_faults(faults);
	t_connect_repeatedly(&listener, LOOPBACK, ROUNDS);
	set_faults("seed=7");
	t_id_close(&listener);
}

static void many_may_be_late(void)
{
	many_connect("seed=7,late=0.3:1ms");
}

static void many_may_come_twice(void)
{
	many_connect("seed=7,repeat=0.5");
}

/*
 * The accepting side has forgotten the first request and takes its copy for a new one. Its reply is rejected, because
 * no id waits for it.
 */
static void request_repeated_after_the_end_is_rejected(void)
{
	struct t_id listener = t_listen(LOOPBACK, 4);
	struct t_id client = t_routed(LOOPBACK, t_port(&listener));
	struct rdma_cm_id *server;

	set_faults("seed=1,repeat@1,late@2:200ms");
	server = t_connect_pair(&client, &listener);
	t_id_close(&client);
	t_expect_event(listener.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(0, rdma_destroy_id(server));
	server = t_request(&listener);
	t_accept(server);
	t_expect_event(listener.channel, RDMA_CM_EVENT_REJECTED, 6);
	set_faults("seed=1");
	CHECK_EQ(0, rdma_destroy_id(server));
	t_id_close(&listener);
}

static void tests(void)
{
	T_RUN(repeated_message_counts_once);
	T_RUN(disconnect_before_established);
	T_RUN(many_may_be_late);
	T_RUN(many_may_come_twice);
	T_RUN(request_repeated_after_the_end_is_rejected);
}

int main(void)
{
	return t_cm_main(tests);
}
