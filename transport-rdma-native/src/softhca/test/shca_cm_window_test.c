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
 * At most 128 requests of a process wait for an answer; others are queued. No try ends during these tests, and no time
 * is measured: messages of a process to itself keep their order, and the RTU of a connection prepared before is sent
 * without limit. When it has arrived, so has all that was sent before it.
 */
#include "abi/softhca.h"
#include "t_cm.h"

#define LOOPBACK	"127.0.0.1"
#define LIMIT		128

/* A connection that lacks its RTU. */
struct fence {
	struct t_id client;
	struct rdma_cm_id *server;
};

/* A server that answers none of as many requests as may wait, and another one. */
struct scene {
	struct t_id silent;
	struct t_id other;
	struct t_id datagrams;
	struct t_id clients[LIMIT];
	struct rdma_cm_id *requests[LIMIT];
	struct fence fences[3];
	int passed;
};

static void send_requests(struct scene *scene)
{
	int i;

	for (i = 0; i < LIMIT; i++) {
		scene->clients[i] = t_routed(LOOPBACK, t_port(&scene->silent));
		t_connect(&scene->clients[i]);
	}
	for (i = 0; i < LIMIT; i++)
		scene->requests[i] = t_request(&scene->silent);
}

static void prepare(struct scene *scene)
{
	struct fence *fence;

	*scene = (struct scene){ .silent = t_listen(LOOPBACK, 2 * LIMIT), .other = t_listen(LOOPBACK, 4),
				 .datagrams = t_listen_in(RDMA_PS_UDP, LOOPBACK, 4) };
	for (fence = scene->fences; fence < scene->fences + 3; fence++) {
		fence->client = t_routed(LOOPBACK, t_port(&scene->silent));
		t_connect(&fence->client);
		fence->server = t_request(&scene->silent);
		t_accept(fence->server);
		t_expect_event(fence->client.channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	}
}

static void open_scene(struct scene *scene)
{
	prepare(scene);
	send_requests(scene);
}

/* All that was sent before has arrived, and the silent server got no other request. */
static void pass_fence(struct scene *scene)
{
	T_MUST(scene->passed < 3);
	CHECK_EQ(0, rdma_establish(scene->fences[scene->passed++].client.id));
	t_expect_event(scene->silent.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
}

static void destroy_request(struct scene *scene, int i)
{
	CHECK_EQ(0, rdma_destroy_id(scene->requests[i]));
	scene->requests[i] = NULL;
}

static void close_scene(struct scene *scene)
{
	int i;

	for (i = 0; i < LIMIT; i++) {
		if (scene->clients[i].id)
			t_id_close(&scene->clients[i]);
		if (scene->requests[i])
			destroy_request(scene, i);
	}
	for (i = 0; i < 3; i++) {
		t_id_close(&scene->fences[i].client);
		CHECK_EQ(0, rdma_destroy_id(scene->fences[i].server));
	}
	t_id_close(&scene->datagrams);
	t_id_close(&scene->other);
	t_id_close(&scene->silent);
}

static struct t_id connect_to(const struct t_id *listener)
{
	struct t_id client = t_routed_in(listener->id->ps, LOOPBACK, t_port(listener));

	t_connect(&client);
	return client;
}

/* The next request of the listener is this client's. */
static void expect_request(struct t_id *listener, const struct t_id *client)
{
	struct rdma_cm_id *request = t_request(listener);

	CHECK_EQ(rdma_get_src_port(client->id), rdma_get_dst_port(request));
	CHECK_EQ(0, rdma_destroy_id(request));
}

/* ---- what gives room for the next one ---- */

static void reject(struct scene *scene)
{
	CHECK_EQ(0, rdma_reject(scene->requests[0], NULL, 0));
	t_expect_event(scene->clients[0].channel, RDMA_CM_EVENT_REJECTED, 28);
}

static void accept_first(struct scene *scene)
{
	t_accept(scene->requests[0]);
	t_expect_event(scene->clients[0].channel, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
}

static void destroy_client(struct scene *scene)
{
	t_id_close(&scene->clients[0]);
}

static void request_waits_until(void (*gives_room)(struct scene *scene))
{
	struct scene scene;
	struct t_id next, second;

	open_scene(&scene);
	next = connect_to(&scene.other);
	second = connect_to(&scene.other);
	pass_fence(&scene);
	t_expect_no_event(scene.other.channel);
	gives_room(&scene);
	expect_request(&scene.other, &next);
	t_expect_event(next.channel, RDMA_CM_EVENT_REJECTED, 28);
	/* Its own answer gave room, too. */
	expect_request(&scene.other, &second);
	t_id_close(&second);
	t_id_close(&next);
	close_scene(&scene);
}

static void a_request_waits_until_another_is_rejected(void)
{
	request_waits_until(reject);
}

static void a_request_waits_until_another_is_accepted(void)
{
	request_waits_until(accept_first);
}

static void a_request_waits_until_the_id_of_another_ends(void)
{
	request_waits_until(destroy_client);
}

static void an_answer_gives_room_for_one_request(void)
{
	struct scene scene;
	struct t_id next, second;
	struct rdma_cm_id *request;

	open_scene(&scene);
	next = connect_to(&scene.other);
	second = connect_to(&scene.other);
	reject(&scene);
	request = t_request(&scene.other);
	pass_fence(&scene);
	t_expect_no_event(scene.other.channel);
	CHECK_EQ(0, rdma_destroy_id(request));
	expect_request(&scene.other, &second);
	t_id_close(&second);
	t_id_close(&next);
	close_scene(&scene);
}

/* ---- what waits, and what does not ---- */

/* Each request comes twice, and the server answers the second one by an MRA. */
static void an_mra_gives_no_room(void)
{
	struct scene scene;
	struct t_id next;

	prepare(&scene);
	T_MUST(!softhca_control(0, "faults seed=1,repeat=1"));
	send_requests(&scene);
	T_MUST(!softhca_control(0, "faults off"));
	/* Behind the second requests, and then behind the MRAs. */
	pass_fence(&scene);
	pass_fence(&scene);
	next = connect_to(&scene.other);
	pass_fence(&scene);
	t_expect_no_event(scene.other.channel);
	reject(&scene);
	expect_request(&scene.other, &next);
	t_id_close(&next);
	close_scene(&scene);
}

static void a_request_for_datagrams_waits(void)
{
	struct scene scene;
	struct t_id next;

	open_scene(&scene);
	next = connect_to(&scene.datagrams);
	pass_fence(&scene);
	t_expect_no_event(scene.datagrams.channel);
	reject(&scene);
	CHECK_EQ(0, rdma_destroy_id(t_request(&scene.datagrams)));
	t_id_close(&next);
	close_scene(&scene);
}

static void a_disconnect_waits(void)
{
	struct rdma_cm_id *server;
	struct t_id connected;
	struct scene scene;

	prepare(&scene);
	connected = t_routed(LOOPBACK, t_port(&scene.other));
	server = t_connect_pair(&connected, &scene.other);
	send_requests(&scene);
	CHECK_EQ(0, rdma_disconnect(connected.id));
	pass_fence(&scene);
	t_expect_no_event(scene.other.channel);
	reject(&scene);
	t_expect_event(scene.other.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	CHECK_EQ(0, rdma_destroy_id(server));
	t_expect_event(connected.channel, RDMA_CM_EVENT_DISCONNECTED, 0);
	t_id_close(&connected);
	close_scene(&scene);
}

/* ---- ids that end while they are queued ---- */

static void queued_requests_of_ids_that_end_are_not_sent(void)
{
	struct t_id queued[4];
	struct scene scene;
	int i;

	open_scene(&scene);
	for (i = 0; i < 4; i++)
		queued[i] = connect_to(&scene.other);
	t_id_close(&queued[1]);
	t_id_close(&queued[3]);
	t_id_close(&queued[0]);
	queued[3] = connect_to(&scene.other);
	reject(&scene);
	expect_request(&scene.other, &queued[2]);
	expect_request(&scene.other, &queued[3]);
	pass_fence(&scene);
	t_expect_no_event(scene.other.channel);
	t_id_close(&queued[2]);
	t_id_close(&queued[3]);
	close_scene(&scene);
}

static void a_removal_ends_all_that_wait(void)
{
	struct scene scene;
	struct t_id queued;

	open_scene(&scene);
	queued = connect_to(&scene.other);
	T_MUST(!softhca_control(0, "remove-device"));
	t_expect_event(queued.channel, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	t_expect_event(scene.clients[0].channel, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	t_id_close(&queued);
	close_scene(&scene);
	T_MUST(!softhca_control(0, "insert-device"));
	open_scene(&scene);
	close_scene(&scene);
}

static void tests(void)
{
	/* A try takes hours. */
	T_MUST(!setenv("SOFTHCA_CM_TIMEOUT_MS", "86400000", 1));
	T_RUN(a_request_waits_until_another_is_rejected);
	T_RUN(a_request_waits_until_another_is_accepted);
	T_RUN(a_request_waits_until_the_id_of_another_ends);
	T_RUN(an_answer_gives_room_for_one_request);
	T_RUN(an_mra_gives_no_room);
	T_RUN(a_request_for_datagrams_waits);
	T_RUN(a_disconnect_waits);
	T_RUN(queued_requests_of_ids_that_end_are_not_sent);
	T_RUN(a_removal_ends_all_that_wait);
}

int main(void)
{
	return t_cm_main(tests);
}
