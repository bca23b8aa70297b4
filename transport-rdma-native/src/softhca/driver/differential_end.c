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

#include "differential_end_internal.h"

/* More than all queues together can have in flight. */
#define COMPLETIONS	1024

struct pair_plan {
	enum ibv_qp_type type;
	bool shared;
	bool all_signaled;
	bool extended;
	uint32_t send_cq;
	uint32_t recv_cq;
	uint32_t depth;
};

static const struct pair_plan plans[PAIRS] = {
	{ IBV_QPT_RC, false, false, false, 0, 0, 32 },
	{ IBV_QPT_RC, false, false, true, 1, 1, 32 },
	{ IBV_QPT_RC, true, false, false, 0, 0, 32 },
	{ IBV_QPT_RC, true, true, true, 0, 1, 32 },
	{ IBV_QPT_RC, false, false, false, 1, 0, 4 },
	{ IBV_QPT_UD, false, false, true, 0, 1, 32 },
};

bool end_uses_srq(uint32_t pair)
{
	return plans[pair].shared;
}

uint32_t end_send_cq(uint32_t pair)
{
	return plans[pair].send_cq;
}

uint32_t end_recv_cq(uint32_t pair)
{
	return plans[pair].recv_cq;
}

bool end_signals_all(uint32_t pair)
{
	return plans[pair].all_signaled;
}

/* ---- creation ---- */

static unsigned int access_of(struct end *end, enum key key)
{
	unsigned int all = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

	if (end->info.has_atomics)
		all |= IBV_ACCESS_REMOTE_ATOMIC;
	switch (key) {
	case KEY_LOCAL:
		return IBV_ACCESS_LOCAL_WRITE;
	case KEY_READ_ONLY:
		return 0;
	case KEY_NO_WRITE:
		return all & ~(unsigned int)IBV_ACCESS_REMOTE_WRITE;
	case KEY_NO_READ:
		return all & ~(unsigned int)IBV_ACCESS_REMOTE_READ;
	case KEY_NO_ATOMIC:
		return all & ~(unsigned int)IBV_ACCESS_REMOTE_ATOMIC;
	default:
		return all;
	}
}

static void open_memory(struct end *end)
{
	end->pd = D_HAVE(ibv_alloc_pd(end->context));
	end->other_pd = D_HAVE(ibv_alloc_pd(end->context));
	for (int key = 0; key < KEY_REGISTERED; key++) {
		struct ibv_pd *pd = key == KEY_OTHER_PD ? end->other_pd : end->pd;
		int access = (int)access_of(end, (enum key)key);

		end->mrs[key] = D_HAVE(ibv_reg_mr(pd, end->arena, ARENA, access));
		end->info.rkeys[key] = end->mrs[key]->rkey;
	}
	end->info.rkeys[KEY_INVALID] = 0xfffffe01;
	end->info.arena = (uintptr_t)end->arena;
}

static uint32_t at_most(uint32_t wanted, int limit)
{
	return wanted < (uint32_t)limit ? wanted : (uint32_t)limit;
}

static void open_queues(struct end *end)
{
	int cqe = (int)at_most(COMPLETIONS, end->attr.max_cqe);
	struct ibv_cq_init_attr_ex extended = {
		.cqe = (uint32_t)cqe,
		.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | IBV_WC_EX_WITH_QP_NUM |
			    IBV_WC_EX_WITH_SRC_QP,
	};
	struct ibv_srq_init_attr shared = { .attr = { .max_wr = SRQ_DEPTH, .max_sge = 2 } };

	end->channel = D_HAVE(ibv_create_comp_channel(end->context));
	d_non_blocking(end->channel->fd);
	end->cqs[0] = D_HAVE(ibv_create_cq(end->context, cqe, NULL, end->channel, 0));
	if (!end->info.deviations.classic_only)
		end->extended_cqs[1] = ibv_create_cq_ex(end->context, &extended);
	end->info.has_extended_cq = end->extended_cqs[1];
	end->cqs[1] = end->extended_cqs[1] ? ibv_cq_ex_to_cq(end->extended_cqs[1]) :
		      D_HAVE(ibv_create_cq(end->context, cqe, NULL, NULL, 0));
	if (end->attr.max_srq)
		end->srq = D_HAVE(ibv_create_srq(end->pd, &shared));
}

static uint64_t send_operations(struct end *end, enum ibv_qp_type type)
{
	uint64_t operations = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;

	if (type == IBV_QPT_UD)
		return operations;
	operations |= IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ;
	if (end->info.has_atomics)
		operations |= IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	return operations;
}

static void open_pair(struct end *end, uint32_t pair)
{
	const struct pair_plan *plan = &plans[pair];
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = end->cqs[plan->send_cq],
		.recv_cq = end->cqs[plan->recv_cq],
		.srq = plan->shared ? end->srq : NULL,
		.cap = {
			.max_send_wr = at_most(plan->depth, end->attr.max_qp_wr),
			.max_recv_wr = plan->shared ? 0 : at_most(plan->depth, end->attr.max_qp_wr),
			.max_send_sge = at_most(MAX_SGE, end->attr.max_sge),
			.max_recv_sge = plan->shared ? 0 : at_most(2, end->attr.max_sge),
			.max_inline_data = 64,
		},
		.qp_type = plan->type,
		.sq_sig_all = plan->all_signaled,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = end->pd,
		.send_ops_flags = send_operations(end, plan->type),
	};

	if (plan->shared && !end->srq)
		return;
	end->qps[pair] = NULL;
	if (plan->extended && !end->info.deviations.classic_only)
		end->qps[pair] = ibv_create_qp_ex(end->context, &attr);
	end->extended_qps[pair] = end->qps[pair] ? D_HAVE(ibv_qp_to_qp_ex(end->qps[pair])) : NULL;
	end->info.has_extended_qp |= end->extended_qps[pair] != NULL;
	if (!end->qps[pair])
		end->qps[pair] = ibv_create_qp(end->pd, (struct ibv_qp_init_attr *)&attr);
	/* A device without inline data has refused it. */
	if (!end->qps[pair]) {
		attr.cap.max_inline_data = 0;
		end->qps[pair] = ibv_create_qp(end->pd, (struct ibv_qp_init_attr *)&attr);
	}
	if (!end->qps[pair] && plan->type == IBV_QPT_RC)
		D_FAIL("ibv_create_qp for pair %u: %s", pair, strerror(errno));
	end->info.has_pair[pair] = end->qps[pair];
	end->info.caps[pair] = attr.cap;
}

/* Brings the pair from RESET to the state where it needs the peer's address. */
static void start_pair(struct end *end, uint32_t pair)
{
	/* Half of the numbers wrap around soon. */
	uint32_t psn = d_once_in(&end->random, 2) ? 0xfffff0 + d_below(&end->random, 16) :
		       (uint32_t)d_random(&end->random);
	unsigned int access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

	if (!end->qps[pair] || end->connector)
		return;
	if (end->info.has_atomics)
		access |= IBV_ACCESS_REMOTE_ATOMIC;
	end->info.addresses[pair] = d_address_of(end->qps[pair], psn);
	if (plans[pair].type == IBV_QPT_RC)
		d_to_init(end->qps[pair], access);
	else
		d_open_datagrams(end->qps[pair], &end->info.addresses[pair]);
}

struct end *end_open(uint8_t *arena, uint64_t seed)
{
	struct end *end = D_HAVE((struct end *)calloc(1, sizeof(struct end)));

	end->arena = arena;
	end->random.state = seed;
	end->context = d_open();
	D_MUST(ibv_query_device(end->context, &end->attr));
	end->info.has_atomics = end->attr.atomic_cap != IBV_ATOMIC_NONE;
	end->info.has_immediate = end->context->device->transport_type != IBV_TRANSPORT_IWARP;
	end->info.max_sge_rd = (uint32_t)end->attr.max_sge_rd;
	end->info.deviations = end_deviations_of(end->context);
	open_memory(end);
	if (end->info.deviations.connected_by_cm)
		end->connector = connector_open(end->pd, &end->info.port);
	open_queues(end);
	for (uint32_t pair = 0; pair < PAIRS; pair++) {
		open_pair(end, pair);
		start_pair(end, pair);
	}
	return end;
}

void end_close(struct end *end)
{
	for (uint32_t pair = 0; pair < PAIRS; pair++)
		if (end->qps[pair])
			D_MUST(ibv_destroy_qp(end->qps[pair]));
	if (end->connector)
		connector_close(end->connector);
	if (end->ah)
		D_MUST(ibv_destroy_ah(end->ah));
	if (end->srq)
		D_MUST(ibv_destroy_srq(end->srq));
	for (int cq = 0; cq < CQS; cq++)
		D_MUST(ibv_destroy_cq(end->cqs[cq]));
	D_MUST(ibv_destroy_comp_channel(end->channel));
	for (int key = 0; key < KEY_REGISTERED; key++)
		D_MUST(ibv_dereg_mr(end->mrs[key]));
	D_MUST(ibv_dealloc_pd(end->other_pd));
	D_MUST(ibv_dealloc_pd(end->pd));
	D_MUST(ibv_close_device(end->context));
	free(end);
}

static void connect_pair(struct end *end, uint32_t pair, const struct end_info *peer)
{
	struct ibv_ah_attr attr = {
		.dlid = peer->addresses[pair].lid,
		.port_num = 1,
		.is_global = 1,
		.grh = { .dgid = peer->addresses[pair].gid, .sgid_index = (uint8_t)d_gid_index(end->context),
			 .hop_limit = 64 },
	};

	end->peer = *peer;
	if (!end->qps[pair] || end->connector)
		return;
	if (plans[pair].type == IBV_QPT_RC)
		d_connect(end->qps[pair], &end->info.addresses[pair], &peer->addresses[pair],
			  end->info.deviations.repeats_wrongly ? &d_calm : &d_patient);
	else if (!end->ah)
		end->ah = D_HAVE(ibv_create_ah(end->pd, &attr));
}

static void renew_pair(struct end *end, uint32_t pair, bool destroy)
{
	if (destroy) {
		D_MUST(ibv_destroy_qp(end->qps[pair]));
		open_pair(end, pair);
	} else {
		d_to_state(end->qps[pair], IBV_QPS_RESET);
	}
	start_pair(end, pair);
}

void end_execute(struct end *end, const struct command *command, struct reply *reply)
{
	memset(reply, 0, sizeof(*reply));
	switch (command->kind) {
	case DO_INFO:
		break;
	case DO_CONNECT:
		connect_pair(end, command->pair, &command->peer);
		break;
	case DO_RESOLVE:
	case DO_ANSWER:
	case DO_SEND_FIRST:
	case DO_RECEIVE_FIRST:
		connector_execute(end->connector, command, end->qps[command->pair], end->peer.port);
		break;
	case DO_POST_SEND:
		end_post_send(end, command, reply);
		break;
	case DO_POST_RECEIVE:
		end_post_receive(end, command, reply);
		break;
	case DO_POLL:
		end_poll_queue(end, command, reply);
		break;
	case DO_ARM:
		D_MUST(ibv_req_notify_cq(end->cqs[0], command->solicited));
		break;
	case DO_COMPLETION_EVENT:
		end_completion_event(end, command->wait, reply);
		break;
	case DO_ASYNC_EVENT:
		end_async_event(end, command->wait, reply);
		break;
	case DO_STATE:
		reply->error = d_state(end->qps[command->pair]);
		break;
	case DO_FAIL:
		d_to_state(end->qps[command->pair], IBV_QPS_ERR);
		break;
	case DO_RENEW:
		renew_pair(end, command->pair, command->extended);
		break;
	case DO_QUIT:
		break;
	}
	reply->info = end->info;
}
