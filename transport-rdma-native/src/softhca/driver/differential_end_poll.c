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

/* The completions and events of one end. */
#include <arpa/inet.h>

#include "differential_end_internal.h"

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

void end_poll_queue(struct end *end, const struct command *command, struct reply *reply)
{
	if (command->extended && end->extended_cqs[command->cq])
		poll_extended(end, command, reply);
	else
		poll_classic(end, command, reply);
}

void end_completion_event(struct end *end, bool wait, struct reply *reply)
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

void end_async_event(struct end *end, bool wait, struct reply *reply)
{
	struct ibv_qp *qp = NULL;

	reply->error = wait ? d_wait_async_event(end->context, &qp) : d_async_event(end->context, &qp);
	if (reply->error >= 0)
		reply->pair = pair_of(end, qp->qp_num);
}
