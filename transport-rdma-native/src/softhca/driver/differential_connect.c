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

#include "differential_connect.h"

struct connector {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener;
	struct rdma_cm_id *ids[PAIRS];
	struct ibv_mr *mr;
	char nothing;		/* for the first message, which has no bytes */
};

struct connector *connector_open(struct ibv_pd *pd, uint16_t *port)
{
	struct connector *connector = D_HAVE((struct connector *)calloc(1, sizeof(struct connector)));

	connector->mr = D_HAVE(ibv_reg_mr(pd, &connector->nothing, 1, IBV_ACCESS_LOCAL_WRITE));
	connector->channel = D_HAVE(rdma_create_event_channel());
	d_non_blocking(connector->channel->fd);
	connector->listener = d_cm_listen(connector->channel, port);
	return connector;
}

void connector_close(struct connector *connector)
{
	for (int pair = 0; pair < PAIRS; pair++)
		if (connector->ids[pair])
			D_MUST(rdma_destroy_id(connector->ids[pair]));
	D_MUST(rdma_destroy_id(connector->listener));
	rdma_destroy_event_channel(connector->channel);
	D_MUST(ibv_dereg_mr(connector->mr));
	free(connector);
}

static void to_init(struct rdma_cm_id *id, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	int mask;

	D_MUST(rdma_init_qp_attr(id, &attr, &mask));
	attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	D_MUST(ibv_modify_qp(qp, &attr, mask | IBV_QP_ACCESS_FLAGS));
}

static struct rdma_conn_param parameters(struct ibv_qp *qp)
{
	struct rdma_conn_param param = d_cm_parameters();

	param.qp_num = qp->qp_num;
	return param;
}

static void resolve_peer(struct connector *connector, uint32_t pair, struct ibv_qp *qp, uint16_t port)
{
	struct rdma_conn_param param = parameters(qp);

	connector->ids[pair] = d_cm_resolve(connector->channel, port);
	to_init(connector->ids[pair], qp);
	D_MUST(rdma_connect(connector->ids[pair], &param));
}

static void answer(struct connector *connector, uint32_t pair, struct ibv_qp *qp)
{
	struct rdma_cm_event *event = d_cm_expect(connector->channel, RDMA_CM_EVENT_CONNECT_REQUEST);
	struct rdma_conn_param param = parameters(qp);
	struct ibv_sge sge = { (uintptr_t)&connector->nothing, 1, connector->mr->lkey };
	struct ibv_recv_wr first = { .sg_list = &sge, .num_sge = 1 }, *bad;

	connector->ids[pair] = event->id;
	D_MUST(rdma_ack_cm_event(event));
	to_init(connector->ids[pair], qp);
	if (qp->srq)
		D_MUST(ibv_post_srq_recv(qp->srq, &first, &bad));
	else
		D_MUST(ibv_post_recv(qp, &first, &bad));
	D_MUST(rdma_accept(connector->ids[pair], &param));
}

static void send_first(struct connector *connector, struct ibv_qp *qp)
{
	struct ibv_send_wr first = { .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED }, *bad;

	d_cm_pass(connector->channel, RDMA_CM_EVENT_ESTABLISHED);
	D_MUST(ibv_post_send(qp, &first, &bad));
	D_EQ(IBV_WC_SUCCESS, d_wait(qp->send_cq).status);
}

static void receive_first(struct connector *connector, struct ibv_qp *qp)
{
	d_cm_pass(connector->channel, RDMA_CM_EVENT_ESTABLISHED);
	D_EQ(IBV_WC_SUCCESS, d_wait(qp->recv_cq).status);
}

void connector_execute(struct connector *connector, const struct command *command, struct ibv_qp *qp, uint16_t port)
{
	switch (command->kind) {
	case DO_RESOLVE:
		resolve_peer(connector, command->pair, qp, port);
		break;
	case DO_ANSWER:
		answer(connector, command->pair, qp);
		break;
	case DO_SEND_FIRST:
		send_first(connector, qp);
		break;
	default:
		receive_first(connector, qp);
		break;
	}
}
