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

#include "differential_end.h"

#include "differential_connect.h"

#include <arpa/inet.h>

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

struct end {
	struct ibv_context *context;
	struct ibv_device_attr attr;
	struct ibv_pd *pd;
	struct ibv_pd *other_pd;
	struct ibv_mr *mrs[KEY_REGISTERED];
	struct ibv_comp_channel *channel;
	struct ibv_cq *cqs[CQS];
	struct ibv_cq_ex *extended_cqs[CQS];
	struct ibv_srq *srq;
	struct ibv_qp *qps[PAIRS];
	struct ibv_qp_ex *extended_qps[PAIRS];
	struct ibv_ah *ah;
	struct connector *connector;
	struct d_random random;
	struct end_info info;
	struct end_info peer;
	uint8_t *arena;
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
	end->info.rkeys[KEY_NOBODYS] = 0xfffffe01;
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

/* ---- posting ---- */

static uint32_t build_sges(struct end *end, const struct work *work, struct ibv_sge *sges)
{
	for (uint32_t i = 0; i < work->num_sge && i <= MAX_SGE; i++) {
		uint32_t key = work->sges[i].key;

		sges[i].addr = (uintptr_t)end->arena + work->sges[i].offset;
		sges[i].length = work->sges[i].length;
		sges[i].lkey = key < KEY_REGISTERED ? end->mrs[key]->lkey : 0xfffffe01;
	}
	return work->num_sge;
}

static void build_send(struct end *end, uint32_t pair, const struct work *work, struct ibv_send_wr *wr,
		       struct ibv_sge *sges)
{
	uint64_t address = end->peer.arena + work->remote_offset;
	uint32_t rkey = end->peer.rkeys[work->remote_key];

	*wr = (struct ibv_send_wr){
		.wr_id = work->wr_id,
		.sg_list = sges,
		.num_sge = (int)build_sges(end, work, sges),
		.opcode = (enum ibv_wr_opcode)work->opcode,
		.send_flags = work->flags,
		.imm_data = htonl(work->immediate),
	};
	if (plans[pair].type == IBV_QPT_UD) {
		wr->wr.ud.ah = end->ah;
		wr->wr.ud.remote_qpn = end->peer.addresses[pair].qpn;
		wr->wr.ud.remote_qkey = work->qkey;
	} else if (work->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || work->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr->wr.atomic.remote_addr = address;
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = work->operands[0];
		wr->wr.atomic.swap = work->operands[1];
	} else {
		wr->wr.rdma.remote_addr = address;
		wr->wr.rdma.rkey = rkey;
	}
}

static void post_send_classic(struct end *end, const struct command *command, struct reply *reply)
{
	struct ibv_send_wr wrs[MAX_BATCH];
	struct ibv_send_wr *bad = NULL;
	struct ibv_sge sges[MAX_BATCH][MAX_SGE + 1];

	for (uint32_t i = 0; i < command->count; i++) {
		build_send(end, command->pair, &command->works[i], &wrs[i], sges[i]);
		wrs[i].next = i + 1 < command->count ? &wrs[i + 1] : NULL;
	}
	reply->error = abs(ibv_post_send(end->qps[command->pair], wrs, &bad));
	reply->bad = reply->error ? (uint32_t)(bad - wrs) : command->count;
}

static void start_extended(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	qp->wr_id = wr->wr_id;
	qp->wr_flags = (unsigned int)wr->send_flags & ~(unsigned int)IBV_SEND_INLINE;
	switch (wr->opcode) {
	case IBV_WR_SEND:
		ibv_wr_send(qp);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qp, wr->imm_data);
		break;
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, wr->imm_data);
		break;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(qp, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr, wr->wr.atomic.compare_add,
				      wr->wr.atomic.swap);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qp, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
					wr->wr.atomic.compare_add);
		break;
	default:
		D_FAIL("opcode %d has no extended function", wr->opcode);
	}
}

static void set_extended_data(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	struct ibv_data_buf buffers[MAX_SGE + 1];

	if (!(wr->send_flags & IBV_SEND_INLINE)) {
		if (wr->num_sge == 1)
			ibv_wr_set_sge(qp, wr->sg_list[0].lkey, wr->sg_list[0].addr, wr->sg_list[0].length);
		else
			ibv_wr_set_sge_list(qp, (size_t)wr->num_sge, wr->sg_list);
		return;
	}
	for (int i = 0; i < wr->num_sge; i++) {
		buffers[i].addr = (void *)(uintptr_t)wr->sg_list[i].addr;
		buffers[i].length = wr->sg_list[i].length;
	}
	if (wr->num_sge == 1)
		ibv_wr_set_inline_data(qp, buffers[0].addr, buffers[0].length);
	else
		ibv_wr_set_inline_data_list(qp, (size_t)wr->num_sge, buffers);
}

/* One session, which posts all of it or nothing. */
static void post_send_extended(struct end *end, const struct command *command, struct reply *reply)
{
	struct ibv_qp_ex *qp = end->extended_qps[command->pair];

	ibv_wr_start(qp);
	for (uint32_t i = 0; i < command->count; i++) {
		struct ibv_send_wr wr;
		struct ibv_sge sges[MAX_SGE + 1];

		build_send(end, command->pair, &command->works[i], &wr, sges);
		start_extended(qp, &wr);
		if (plans[command->pair].type == IBV_QPT_UD)
			ibv_wr_set_ud_addr(qp, wr.wr.ud.ah, wr.wr.ud.remote_qpn, wr.wr.ud.remote_qkey);
		set_extended_data(qp, &wr);
	}
	reply->error = abs(ibv_wr_complete(qp));
	reply->bad = reply->error ? 0 : command->count;
}

static void post_send(struct end *end, const struct command *command, struct reply *reply)
{
	if (command->extended && end->extended_qps[command->pair])
		post_send_extended(end, command, reply);
	else
		post_send_classic(end, command, reply);
}

static void post_receive(struct end *end, const struct command *command, struct reply *reply)
{
	struct ibv_recv_wr wrs[MAX_BATCH];
	struct ibv_recv_wr *bad = NULL;
	struct ibv_sge sges[MAX_BATCH][MAX_SGE + 1];

	for (uint32_t i = 0; i < command->count; i++) {
		wrs[i] = (struct ibv_recv_wr){
			.wr_id = command->works[i].wr_id,
			.next = i + 1 < command->count ? &wrs[i + 1] : NULL,
			.sg_list = sges[i],
			.num_sge = (int)build_sges(end, &command->works[i], sges[i]),
		};
	}
	if (plans[command->pair].shared)
		reply->error = abs(ibv_post_srq_recv(end->srq, wrs, &bad));
	else
		reply->error = abs(ibv_post_recv(end->qps[command->pair], wrs, &bad));
	reply->bad = reply->error ? (uint32_t)(bad - wrs) : command->count;
}

/* ---- completions and events ---- */

static uint32_t pair_of(struct end *end, uint32_t qp_num)
{
	for (uint32_t pair = 0; pair < PAIRS; pair++)
		if (end->qps[pair] && end->qps[pair]->qp_num == qp_num)
			return pair;
	D_FAIL("a completion of queue pair %u, which is not there", qp_num);
}

static void poll_classic(struct end *end, const struct command *command, struct reply *reply)
{
	struct ibv_wc wcs[MAX_POLLED];
	int count = ibv_poll_cq(end->cqs[command->cq], (int)command->count, wcs);

	if (count < 0 || count > (int)command->count)
		D_FAIL("ibv_poll_cq of %u: %d", command->count, count);
	reply->count = (uint32_t)count;
	for (int i = 0; i < count; i++) {
		struct completion *completion = &reply->completions[i];

		completion->wr_id = wcs[i].wr_id;
		completion->status = wcs[i].status;
		completion->pair = pair_of(end, wcs[i].qp_num);
		if (wcs[i].status != IBV_WC_SUCCESS)
			continue;
		completion->opcode = wcs[i].opcode;
		completion->byte_len = wcs[i].byte_len;
		completion->flags = wcs[i].wc_flags;
		completion->immediate = wcs[i].wc_flags & IBV_WC_WITH_IMM ? ntohl(wcs[i].imm_data) : 0;
		completion->src_qp = wcs[i].src_qp;
	}
}

static void poll_extended(struct end *end, const struct command *command, struct reply *reply)
{
	struct ibv_cq_ex *cq = end->extended_cqs[command->cq];
	struct ibv_poll_cq_attr attr = { 0 };
	int ret = ibv_start_poll(cq, &attr);

	if (ret && ret != ENOENT)
		D_FAIL("ibv_start_poll: %d", ret);
	if (ret)
		return;
	do {
		struct completion *completion = &reply->completions[reply->count++];

		completion->wr_id = cq->wr_id;
		completion->status = cq->status;
		completion->pair = pair_of(end, ibv_wc_read_qp_num(cq));
		if (cq->status != IBV_WC_SUCCESS)
			continue;
		completion->opcode = ibv_wc_read_opcode(cq);
		completion->byte_len = ibv_wc_read_byte_len(cq);
		completion->flags = ibv_wc_read_wc_flags(cq);
		completion->immediate = completion->flags & IBV_WC_WITH_IMM ? ntohl(ibv_wc_read_imm_data(cq)) : 0;
		completion->src_qp = ibv_wc_read_src_qp(cq);
	} while (reply->count < command->count && !(ret = ibv_next_poll(cq)));
	if (ret && ret != ENOENT)
		D_FAIL("ibv_next_poll: %d", ret);
	ibv_end_poll(cq);
}

static void poll_queue(struct end *end, const struct command *command, struct reply *reply)
{
	if (command->extended && end->extended_cqs[command->cq])
		poll_extended(end, command, reply);
	else
		poll_classic(end, command, reply);
}

static void completion_event(struct end *end, bool wait, struct reply *reply)
{
	struct ibv_cq *cq;
	void *context;

	if (wait)
		d_wait_readable(end->channel->fd);
	if (ibv_get_cq_event(end->channel, &cq, &context))
		return;
	D_CHECK(cq == end->cqs[0]);
	ibv_ack_cq_events(cq, 1);
	reply->count = 1;
}

static void async_event(struct end *end, bool wait, struct reply *reply)
{
	struct ibv_qp *qp = NULL;

	reply->error = wait ? d_wait_async_event(end->context, &qp) : d_async_event(end->context, &qp);
	if (reply->error >= 0)
		reply->pair = pair_of(end, qp->qp_num);
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
	case DO_DIAL:
	case DO_ANSWER:
	case DO_GREET:
	case DO_HEAR:
		connector_execute(end->connector, command, end->qps[command->pair], end->peer.port);
		break;
	case DO_POST_SEND:
		post_send(end, command, reply);
		break;
	case DO_POST_RECEIVE:
		post_receive(end, command, reply);
		break;
	case DO_POLL:
		poll_queue(end, command, reply);
		break;
	case DO_ARM:
		D_MUST(ibv_req_notify_cq(end->cqs[0], command->solicited));
		break;
	case DO_COMPLETION_EVENT:
		completion_event(end, command->wait, reply);
		break;
	case DO_ASYNC_EVENT:
		async_event(end, command->wait, reply);
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
