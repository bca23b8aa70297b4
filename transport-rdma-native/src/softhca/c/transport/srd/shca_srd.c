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

/* The queue pair of type SRD: its tables, its states, and which packet goes where. */
#include "transport/srd/shca_srd.h"

#include <stdlib.h>

#include "base/shca_clock.h"

/* Not set by ibv_modify_qp, the device repeats a message until there is a receive. */
#define RNR_UNLIMITED	7

enum ibv_wc_status shca_srd_wc_status(enum shca_srd_status status)
{
	switch (status) {
	case SHCA_SRD_OK:
		return IBV_WC_SUCCESS;
	case SHCA_SRD_FLUSHED:
		return IBV_WC_WR_FLUSH_ERR;
	case SHCA_SRD_INVALID_LKEY:
		return IBV_WC_LOC_PROT_ERR;
	case SHCA_SRD_LOCAL_LENGTH:
		return IBV_WC_LOC_LEN_ERR;
	case SHCA_SRD_BAD_ADDRESS:
		return IBV_WC_REM_ACCESS_ERR;
	case SHCA_SRD_ABORT:
		return IBV_WC_REM_ABORT_ERR;
	case SHCA_SRD_BAD_DEST_QPN:
		return IBV_WC_REM_INV_RD_REQ_ERR;
	case SHCA_SRD_RNR:
		return IBV_WC_RNR_RETRY_EXC_ERR;
	case SHCA_SRD_REMOTE_LENGTH:
		return IBV_WC_REM_INV_REQ_ERR;
	case SHCA_SRD_BAD_STATUS:
		return IBV_WC_BAD_RESP_ERR;
	case SHCA_SRD_UNRESPONSIVE:
	case SHCA_SRD_UNREACHABLE:
		return IBV_WC_RESP_TIMEOUT_ERR;
	case SHCA_SRD_UNKNOWN_PEER:
		return IBV_WC_REM_OP_ERR;
	default:
		return IBV_WC_GENERAL_ERR;
	}
}

/* ---- tables ---- */

/* Numbers of queue pairs recur, also in the next process. The epoch distinguishes their owners. */
static uint32_t new_epoch(void)
{
	static _Atomic uint32_t count;

	return (uint32_t)(shca_now() / 1000) ^ atomic_fetch_add(&count, 0x9e3779b9);
}

static void empty(struct shca_srd *srd)
{
	srd->free_count = 0;
	for (uint32_t i = srd->depth; i-- > 0;) {
		srd->requests[i].state = SHCA_SRD_FREE;
		srd->free[srd->free_count++] = i;
	}
	srd->ready_count = 0;
	srd->answer_count = 0;
	shca_srd_forget_sources(srd);
	srd->epoch = new_epoch();
}

static void destroy(struct shca_qp *qp)
{
	struct shca_srd *srd = shca_srd_of(qp);

	shca_srd_forget_sources(srd);
	free(srd->ready);
	free(srd->free);
	free(srd->inline_data);
	free(srd->sges);
	free(srd->requests);
}

/* At least one entry of each, so that none is NULL. */
static bool create(struct shca_qp *qp)
{
	struct shca_srd *srd = shca_srd_of(qp);
	size_t depth = qp->cap.max_send_wr;

	srd->depth = (uint32_t)depth;
	srd->requests = calloc(depth + 1, sizeof(*srd->requests));
	srd->sges = malloc((depth * qp->cap.max_send_sge + 1) * sizeof(*srd->sges));
	srd->inline_data = malloc(depth * qp->cap.max_inline_data + 1);
	srd->free = malloc((depth + 1) * sizeof(*srd->free));
	srd->ready = malloc((depth + 1) * sizeof(*srd->ready));
	if (!srd->requests || !srd->sges || !srd->inline_data || !srd->free || !srd->ready)
		return false;	/* destroy is called */
	empty(srd);
	return true;
}

/* ---- states and packets ---- */

static void entered(struct shca_qp *qp, enum ibv_qp_state from, enum ibv_qp_state to)
{
	(void)from;
	switch (to) {
	case IBV_QPS_RESET:
		empty(shca_srd_of(qp));
		qp->link = NULL;
		qp->answer_link = NULL;
		break;
	case IBV_QPS_INIT:
		qp->attr.rnr_retry = RNR_UNLIMITED;
		break;
	case IBV_QPS_SQD:
		qp->sq.drain_reported = false;
		break;
	case IBV_QPS_ERR:
		shca_srd_flush(qp);
		break;
	default:
		break;
	}
}

static bool is_drained(const struct shca_qp *qp)
{
	struct shca_srd *srd = shca_srd_of(qp);

	return srd->free_count == srd->depth;
}

static void receive(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet, const void *payload)
{
	if (shca_srd_is_request(packet)) {
		shca_srd_request(qp, link, packet, payload);
		return;
	}
	if (qp->ibv.state != IBV_QPS_RTS && qp->ibv.state != IBV_QPS_SQD)
		return;
	if (packet->type == SHCA_SRD_ANSWER)
		shca_srd_answered(qp, packet);
	else if (packet->type == SHCA_SRD_DATA)
		shca_srd_data(qp, packet, payload);
	shca_qp_report_drained(qp);
}

void shca_srd_no_queue_pair(struct shca_link *link, const struct shca_packet *packet, const void *payload)
{
	if (shca_srd_is_request(packet))
		shca_srd_refuse(link, packet, payload);
}

const struct shca_qp_type_ops shca_srd_ops = {
	.type = IBV_QPT_DRIVER,
	.size = sizeof(struct shca_srd),
	.send_ops = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE |
		    IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ,
	.create = create,
	.destroy = destroy,
	.entered = entered,
	.transmit = shca_srd_transmit,
	.receive = receive,
	.acknowledge = shca_srd_acknowledge,
	.is_drained = is_drained,
	.tick = shca_srd_tick,
};
