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
 * Connects, exchanges a message each way, and closes, over and over, between two threads of one process: nothing
 * may be left over. --count N (1000). Also meant for valgrind.
 */
#include <pthread.h>
#include <rdma/rdma_verbs.h>

#include "support.h"

#define SIZE	256
#define WARM_UP	10

static uint64_t count;
static uint16_t port;
static struct rdma_event_channel *server_channel;

struct connection {
	struct rdma_cm_id *id;
	struct ibv_mr *mr;
	uint8_t memory[2 * SIZE];	/* to send, received */
};

/* Each connection has queues of its own, which are created and destroyed with it. */
static void open_connection(struct connection *connection, struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = d_rc_attributes(4, 4);

	connection->id = id;
	D_MUST(rdma_create_qp(id, NULL, &attr));
	connection->mr = D_HAVE(rdma_reg_msgs(id, connection->memory, sizeof(connection->memory)));
	D_MUST(rdma_post_recv(id, NULL, connection->memory + SIZE, SIZE, connection->mr));
}

static void close_connection(struct connection *connection)
{
	rdma_destroy_qp(connection->id);
	D_MUST(rdma_dereg_mr(connection->mr));
	D_MUST(rdma_destroy_id(connection->id));
}

static void send_one(struct connection *connection, uint64_t seed)
{
	struct ibv_wc wc;

	d_fill(connection->memory, SIZE, seed);
	D_MUST(rdma_post_send(connection->id, NULL, connection->memory, SIZE, connection->mr, 0));
	D_EQ(1, rdma_get_send_comp(connection->id, &wc));
	D_EQ(IBV_WC_SUCCESS, wc.status);
}

static void receive_one(struct connection *connection, uint64_t seed)
{
	uint8_t expected[SIZE];
	struct ibv_wc wc;

	d_fill(expected, SIZE, seed);
	D_EQ(1, rdma_get_recv_comp(connection->id, &wc));
	D_EQ(IBV_WC_SUCCESS, wc.status);
	D_EQ(SIZE, wc.byte_len);
	D_CHECK(!memcmp(expected, connection->memory + SIZE, SIZE));
}

static void serve_one(uint64_t i)
{
	struct rdma_conn_param parameters = d_cm_parameters();
	struct rdma_cm_event *event = d_cm_expect(server_channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	struct connection connection;

	open_connection(&connection, event->id);
	D_MUST(rdma_ack_cm_event(event));
	D_MUST(rdma_accept(connection.id, &parameters));
	d_cm_pass(server_channel, RDMA_CM_EVENT_ESTABLISHED);
	receive_one(&connection, i);
	send_one(&connection, ~i);
	d_cm_pass(server_channel, RDMA_CM_EVENT_DISCONNECTED);
	close_connection(&connection);
}

static void *serve(void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < count; i++)
		serve_one(i);
	return NULL;
}

static void connect_one(struct rdma_event_channel *channel, uint64_t i)
{
	struct rdma_conn_param parameters = d_cm_parameters();
	struct connection connection;

	open_connection(&connection, d_cm_resolve(channel, port));
	D_MUST(rdma_connect(connection.id, &parameters));
	d_cm_pass(channel, RDMA_CM_EVENT_ESTABLISHED);
	send_one(&connection, i);
	receive_one(&connection, ~i);
	D_MUST(rdma_disconnect(connection.id));
	d_cm_pass(channel, RDMA_CM_EVENT_DISCONNECTED);
	close_connection(&connection);
}

int main(int argc, char **argv)
{
	struct rdma_event_channel *channel = D_HAVE(rdma_create_event_channel());
	struct rdma_cm_id *listener;
	int descriptors = 0;
	pthread_t server;

	count = d_option(argc, argv, "--count", 1000);
	d_watchdog(120);
	server_channel = D_HAVE(rdma_create_event_channel());
	listener = d_cm_listen(server_channel, &port);
	D_MUST(pthread_create(&server, NULL, serve, NULL));
	for (uint64_t i = 0; i < count; i++) {
		d_context("cycle %llu", (unsigned long long)i);
		d_alive();
		/* The server may be one close behind when the descriptors are counted. */
		if (i == WARM_UP)
			descriptors = d_open_descriptors();
		connect_one(channel, i);
	}
	D_MUST(pthread_join(server, NULL));
	if (count > WARM_UP && d_open_descriptors() > descriptors)
		D_FAIL("%d descriptors are open, after %d cycles there were %d", d_open_descriptors(), WARM_UP,
		       descriptors);
	D_MUST(rdma_destroy_id(listener));
	rdma_destroy_event_channel(server_channel);
	rdma_destroy_event_channel(channel);
	printf("connects: %llu cycles, %d descriptors open after %d and %d at the end\n", (unsigned long long)count,
	       descriptors, WARM_UP, d_open_descriptors());
	return 0;
}
