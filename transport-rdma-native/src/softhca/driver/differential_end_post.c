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

/* The posts of one end, through the classic and through the extended functions. */
#include <arpa/inet.h>

#include "differential_end_internal.h"

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
	if (pair == UD_PAIR) {
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
		if (command->pair == UD_PAIR)
			ibv_wr_set_ud_addr(qp, wr.wr.ud.ah, wr.wr.ud.remote_qpn, wr.wr.ud.remote_qkey);
		set_extended_data(qp, &wr);
	}
	reply->error = abs(ibv_wr_complete(qp));
	reply->bad = reply->error ? 0 : command->count;
}

void end_post_send(struct end *end, const struct command *command, struct reply *reply)
{
	if (command->extended && end->extended_qps[command->pair])
		post_send_extended(end, command, reply);
	else
		post_send_classic(end, command, reply);
}

void end_post_receive(struct end *end, const struct command *command, struct reply *reply)
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
	if (end_uses_srq(command->pair))
		reply->error = abs(ibv_post_srq_recv(end->srq, wrs, &bad));
	else
		reply->error = abs(ibv_post_recv(end->qps[command->pair], wrs, &bad));
	reply->bad = reply->error ? (uint32_t)(bad - wrs) : command->count;
}
