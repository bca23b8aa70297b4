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

/* Completions of queue pairs, and the error state, which flushes all work requests. */
#include <string.h>

#include "base/shca_clock.h"
#include "device/shca_async_event.h"
#include "memory/shca_scribble.h"
#include "personality/shca_personality.h"
#include "queue_pair/shca_send_buffer.h"
#include "wire/shca_packet.h"
#include "wire/shca_wakeup.h"

void shca_qp_raise(struct shca_qp *qp, enum ibv_event_type type)
{
	struct ibv_async_event event = { .element.qp = &qp->ibv, .event_type = type };

	shca_async_raise(qp->ibv.context, event, &qp->async_events);
}

void shca_qp_put(struct shca_qp *qp, struct shca_cq *cq, const struct shca_cqe *cqe)
{
	if (SHCA_UNLIKELY(!shca_cq_put(cq, cqe)))
		shca_qp_fail(qp, IBV_EVENT_QP_FATAL);
}

void shca_qp_put_from(struct shca_qp *qp, const struct shca_cqe *cqe, const union ibv_gid *source)
{
	if (SHCA_UNLIKELY(!shca_cq_put_from(qp->recv_cq, cqe, source)))
		shca_qp_fail(qp, IBV_EVENT_QP_FATAL);
}

/* ---- sends ---- */

static enum ibv_wc_opcode wc_opcode(uint8_t opcode)
{
	switch (opcode) {
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
		return IBV_WC_SEND;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_WC_RDMA_WRITE;
	case IBV_WR_RDMA_READ:
		return IBV_WC_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return IBV_WC_COMP_SWAP;
	default:
		return IBV_WC_FETCH_ADD;
	}
}

void shca_qp_complete_send(struct shca_qp *qp, uint32_t cursor, enum ibv_wc_status status)
{
	const struct shca_send *send = shca_send_at(&qp->sq, cursor);
	struct shca_cqe cqe;

	/* The next signaled completion frees its slot. */
	if (status == IBV_WC_SUCCESS && !(send->flags & IBV_SEND_SIGNALED))
		return;
	memset(&cqe, 0, sizeof(cqe));
	cqe.wr_id = send->wr_id;
	cqe.qp_num = qp->ibv.qp_num;
	cqe.slots = cursor + 1;
	cqe.status = (uint8_t)status;
	cqe.opcode = (uint8_t)wc_opcode(send->opcode);
	/* The bytes received; the application knows the length of a send or write itself. */
	if (status == IBV_WC_SUCCESS && cqe.opcode != IBV_WC_SEND && cqe.opcode != IBV_WC_RDMA_WRITE)
		cqe.byte_len = send->length;
	cqe.qp = qp;
	cqe.freed = &qp->sq.freed;
	shca_qp_put(qp, qp->send_cq, &cqe);
}

void shca_qp_report_drained(struct shca_qp *qp)
{
	struct shca_send_queue *sq = &qp->sq;

	if (qp->ibv.state != IBV_QPS_SQD || sq->drain_reported || sq->acked != sq->next || sq->next_offset ||
	    (qp->ops->is_drained && !qp->ops->is_drained(qp)))
		return;
	sq->drain_reported = true;
	qp->attr.sq_draining = 0;
	if (qp->attr.en_sqd_async_notify)
		shca_qp_raise(qp, IBV_EVENT_SQ_DRAINED);
}

/* ---- receives ---- */

bool shca_qp_take_receive(struct shca_qp *qp, uint32_t least, struct shca_receive *into)
{
	return qp->srq ? shca_srq_take(qp->srq, least, into) : shca_receive_queue_take_into(&qp->rq, least, into);
}

const struct shca_receive *shca_qp_peek_receive(struct shca_qp *qp)
{
	const struct shca_receive *receive;

	/* EFA writes no descriptor for a receive without SGEs: it takes an entry of the queue and never matches. */
	while ((receive = shca_receive_queue_peek(&qp->rq)) && !receive->num_sge)
		shca_receive_queue_take(&qp->rq);
	return receive;
}

void shca_qp_start_receive_cqe(struct shca_qp *qp, const struct shca_receive *receive, struct shca_cqe *cqe)
{
	memset(cqe, 0, sizeof(*cqe));
	cqe->wr_id = receive->wr_id;
	cqe->qp_num = qp->ibv.qp_num;
	cqe->opcode = IBV_WC_RECV;
	cqe->slots = 1;
	cqe->qp = qp;
	cqe->is_shared = qp->srq;
	cqe->freed = qp->srq ? &qp->srq->receives.freed : &qp->rq.freed;
}

void shca_cqe_set_received(struct shca_cqe *cqe, const struct shca_packet *packet)
{
	cqe->byte_len = packet->length;
	cqe->solicited = packet->flags & SHCA_SOLICITED;
	if (packet->flags & SHCA_IMMEDIATE) {
		cqe->wc_flags |= IBV_WC_WITH_IMM;
		cqe->immediate = packet->immediate;
	}
}

/* ---- the error state ---- */

static void flush_receive(struct shca_qp *qp, const struct shca_receive *receive)
{
	struct shca_cqe cqe;

	shca_maybe_scribble(qp->srq ? qp->srq->pd : qp->pd, receive->sges, receive->num_sge);
	shca_qp_start_receive_cqe(qp, receive, &cqe);
	cqe.status = IBV_WC_WR_FLUSH_ERR;
	shca_qp_put(qp, qp->recv_cq, &cqe);
}

static void flush_send(struct shca_qp *qp, uint32_t cursor)
{
	const struct shca_send *send = shca_send_at(&qp->sq, cursor);

	if (shca_send_fills(send))
		shca_maybe_scribble(qp->pd, shca_send_sges(&qp->sq, cursor), send->num_sge);
	shca_qp_complete_send(qp, cursor, IBV_WC_WR_FLUSH_ERR);
}

void shca_qp_flush(struct shca_qp *qp)
{
	struct shca_send_queue *sq = &qp->sq;
	const struct shca_receive *receive;

	shca_send_buffer_forget(sq);
	while (sq->completed != sq->posted) {
		sq->next = sq->acked = ++sq->completed;
		flush_send(qp, sq->completed - 1);
	}
	sq->next = sq->acked;
	sq->next_offset = 0;
	sq->reads = 0;
	/* The receive of a partly received message is older than all that are queued. */
	if (qp->receiving) {
		qp->receiving = false;
		flush_receive(qp, &qp->receive);
	}
	while ((receive = shca_receive_queue_take(&qp->rq)))
		flush_receive(qp, receive);
}

static void enter_error(struct shca_qp *qp, int event)
{
	enum ibv_qp_state from = qp->ibv.state;

	qp->ibv.state = IBV_QPS_ERR;
	qp->ops->entered(qp, from, IBV_QPS_ERR);
	shca_qp_flush(qp);
	if (event >= 0)
		shca_qp_raise(qp, (enum ibv_event_type)event);
	/* This queue pair will not consume the receives that are left in the shared queue. */
	if (qp->srq)
		shca_qp_raise(qp, IBV_EVENT_QP_LAST_WQE_REACHED);
}

static _Atomic bool some_failed;

bool shca_qp_take_failures(void)
{
	return atomic_exchange(&some_failed, false);
}

void shca_qp_fail(struct shca_qp *qp, int event)
{
	if (qp->ibv.state == IBV_QPS_ERR)
		return;
	enter_error(qp, event);
	if (shca_personality()->connect_by_cm_only && !atomic_exchange(&some_failed, true))
		shca_wakeup_at(shca_now());
}

void shca_qp_connection_ended(struct shca_qp *qp)
{
	if (qp->ibv.state != IBV_QPS_ERR && qp->ibv.state != IBV_QPS_RESET)
		enter_error(qp, -1);
}
