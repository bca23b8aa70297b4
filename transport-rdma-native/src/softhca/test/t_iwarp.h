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

/* Both ends of an iWARP connection in one process: queue pairs created with the ids, which the device connects. */
#ifndef T_IWARP_H
#define T_IWARP_H

#include "t_cm.h"

#define T_IWARP_ADDRESS	"127.0.0.1"

struct t_iwarp_side {
	struct rdma_cm_id *id;
	struct ibv_mr *mr;
	uint8_t *memory;
};

struct t_iwarp {
	struct t_id listener;
	struct t_id active;
	struct t_iwarp_side client;
	struct t_iwarp_side server;
};

static inline void t_iwarp_queue_pair(struct t_iwarp_side *side, uint32_t depth, size_t size)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = depth, .max_recv_wr = depth, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};

	T_MUST(!rdma_create_qp(side->id, NULL, &attr));
	side->memory = calloc(1, size);
	T_MUST(side->memory);
	side->mr = rdma_reg_msgs(side->id, side->memory, size);
	T_MUST(side->mr);
}

static inline void t_iwarp_end(struct t_iwarp_side *side)
{
	rdma_destroy_qp(side->id);
	if (side->mr)
		rdma_dereg_mr(side->mr);
	free(side->memory);
}

static inline void t_iwarp_receive(struct t_iwarp_side *side, size_t at, size_t length)
{
	CHECK_EQ(0, rdma_post_recv(side->id, NULL, side->memory + at, length, side->mr));
}

/* Returns what ibv_post_send does. */
static inline int t_iwarp_post(struct t_iwarp_side *side, size_t at, uint32_t length, unsigned int flags)
{
	struct ibv_sge sge = { (uintptr_t)side->memory + at, length, side->mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = flags };
	struct ibv_send_wr *bad;

	return ibv_post_send(side->id->qp, &wr, &bad);
}

static inline int t_iwarp_send(struct t_iwarp_side *side, size_t at, uint32_t length)
{
	return t_iwarp_post(side, at, length, IBV_SEND_SIGNALED);
}

static inline enum ibv_qp_state t_iwarp_state(const struct t_iwarp_side *side)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	CHECK_EQ(0, ibv_query_qp(side->id->qp, &attr, IBV_QP_STATE, &init));
	return attr.qp_state;
}

/* Opens a connected pair; each side has size bytes of memory, and no receive is posted. */
static inline void t_iwarp_open(struct t_iwarp *pair, uint32_t depth, size_t size)
{
	struct rdma_conn_param param = t_param(0, "hi", 2);
	struct rdma_cm_event *event;

	pair->listener = t_listen(T_IWARP_ADDRESS, 4);
	pair->active = t_routed(T_IWARP_ADDRESS, t_port(&pair->listener));
	pair->client.id = pair->active.id;
	t_iwarp_queue_pair(&pair->client, depth, size);
	CHECK_EQ(0, rdma_connect(pair->client.id, &param));
	event = t_event(pair->listener.channel);
	CHECK_EQ(RDMA_CM_EVENT_CONNECT_REQUEST, event->event);
	CHECK_BYTES("hi", event->param.conn.private_data, 3);
	pair->server.id = event->id;
	CHECK_EQ(0, rdma_ack_cm_event(event));
	t_iwarp_queue_pair(&pair->server, depth, size);
	CHECK_EQ(0, rdma_accept(pair->server.id, &param));
	t_expect_event(pair->active.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	t_expect_event(pair->listener.channel, RDMA_CM_EVENT_ESTABLISHED, 0);
	CHECK_EQ(IBV_QPS_RTS, t_iwarp_state(&pair->client));
	CHECK_EQ(IBV_QPS_RTS, t_iwarp_state(&pair->server));
}

/* Closes the pair, with the queue pairs that are left. */
static inline void t_iwarp_close(struct t_iwarp *pair)
{
	if (pair->client.id) {
		t_iwarp_end(&pair->client);
		t_id_close(&pair->active);
	}
	t_iwarp_end(&pair->server);
	CHECK_EQ(0, rdma_destroy_id(pair->server.id));
	t_id_close(&pair->listener);
}

#endif
