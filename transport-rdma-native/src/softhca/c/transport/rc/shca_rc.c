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

#include "transport/rc/shca_rc.h"

#include <string.h>

static void reset(struct shca_qp *qp)
{
	struct shca_rc *rc = shca_rc_of(qp);

	/* The receive of an unfinished message vanishes without a completion, but its slot must be freed. */
	if (qp->receiving && qp->srq)
		atomic_fetch_add_explicit(&qp->srq->receives.freed, 1, memory_order_release);
	qp->link = NULL;
	rc->wait_until = 0;
	rc->begin_at = 0;
	rc->ack_at = 0;
	rc->stalled_since = 0;
	rc->peer_wakers = 0;
	qp->sq.drain_reported = false;
	rc->message_offset = 0;
	rc->in_message = false;
	rc->nak_sent = false;
	rc->has_received = false;
	qp->accepted = false;
	qp->receiving = false;
	qp->responses.first = 0;
	qp->responses.next = 0;
	rc->ack_owed = false;
	rc->nak_owed = false;
	qp->answer_link = NULL;
}

static void entered(struct shca_qp *qp, enum ibv_qp_state from, enum ibv_qp_state to)
{
	struct shca_rc *rc = shca_rc_of(qp);

	switch (to) {
	case IBV_QPS_RESET:
		reset(qp);
		break;
	case IBV_QPS_RTR:
		rc->expected_psn = qp->attr.rq_psn & SHCA_PSN_MASK;
		break;
	case IBV_QPS_RTS:
		if (from == IBV_QPS_RTR) {
			rc->retries = qp->attr.retry_cnt;
			rc->rnr_retries = qp->attr.rnr_retry;
			/* The helper thread may watch it already: it answers since RTR. */
			atomic_store_explicit(&qp->wire.timeout, shca_rc_timeout(qp), memory_order_relaxed);
		}
		break;
	case IBV_QPS_SQD:
		qp->sq.drain_reported = false;
		break;
	default:
		break;
	}
}

/* In other states, and from a foreign queue pair, packets are dropped without an answer, as by hardware. */
static bool accepts_packets(const struct shca_qp *qp)
{
	return qp->ibv.state == IBV_QPS_RTR || qp->ibv.state == IBV_QPS_RTS || qp->ibv.state == IBV_QPS_SQD;
}

static void receive(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet, const void *payload)
{
	if (!accepts_packets(qp) || packet->source != qp->attr.dest_qp_num)
		return;
	shca_rc_of(qp)->peer_wakers = packet->wakers;
	switch (packet->type) {
	case SHCA_SEND:
	case SHCA_WRITE:
	case SHCA_READ:
	case SHCA_COMPARE_SWAP:
	case SHCA_FETCH_ADD:
		shca_rc_responder_receive(qp, link, packet, payload);
		break;
	case SHCA_ACK:
	case SHCA_NAK:
	case SHCA_READ_DATA:
	case SHCA_ATOMIC_OLD:
		shca_rc_requester_receive(qp, packet, payload);
		break;
	default:
		break;
	}
}

const struct shca_qp_type_ops shca_rc_ops = {
	.type = IBV_QPT_RC,
	.size = sizeof(struct shca_rc),
	.send_ops = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE |
		    IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |
		    IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
	.reach = shca_rc_reach,
	.entered = entered,
	.begin_late = shca_rc_begin_late,
	.transmit = shca_rc_transmit,
	.receive = receive,
	.acknowledge = shca_rc_acknowledge,
	.tick = shca_rc_tick,
};
