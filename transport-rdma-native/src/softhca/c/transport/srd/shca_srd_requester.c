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

/* The requester's receiving side: answers and data, completions, and the timers of requests without an answer. */
#include <string.h>

#include "base/shca_clock.h"
#include "memory/shca_region.h"
#include "memory/shca_scribble.h"
#include "transport/srd/shca_srd.h"
#include "wire/shca_wakeup.h"
#include "wire/shca_watch.h"

#define RNR_UNLIMITED	7
/* The pause before a message is tried again, which doubles up to the longest. */
#define RNR_PAUSE_NS	100000u
#define RNR_DOUBLINGS	6u
/* After this number of losses in a row, about 400 ms, the peer counts as unresponsive. */
#define LOSSES		7u
#define LOSS_NS		50000000u
/* How soon the timer tries a ring again that was full. Usually its reader reports room before. */
#define FULL_NS		1000000u

/* ---- completing ---- */

static void take_off_ready(struct shca_srd *srd, uint32_t index)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < srd->ready_count; i++)
		if (srd->ready[i] != index)
			srd->ready[kept++] = srd->ready[i];
	srd->ready_count = kept;
}

static void complete_as(struct shca_qp *qp, const struct shca_send *send, enum shca_srd_status status)
{
	struct shca_cqe cqe;

	memset(&cqe, 0, sizeof(cqe));
	cqe.wr_id = send->wr_id;
	cqe.qp_num = qp->ibv.qp_num;
	cqe.status = (uint8_t)shca_srd_wc_status(status);
	cqe.vendor_err = status;
	/* EFA's completion knows only these two: a read completes as a send. */
	cqe.opcode = send->opcode == IBV_WR_RDMA_WRITE || send->opcode == IBV_WR_RDMA_WRITE_WITH_IMM ?
		     IBV_WC_RDMA_WRITE : IBV_WC_SEND;
	cqe.in_any_order = true;
	cqe.qp = qp;
	cqe.freed = &qp->sq.freed;
	shca_qp_put(qp, qp->send_cq, &cqe);
}

void shca_srd_complete(struct shca_qp *qp, uint32_t index, enum shca_srd_status status)
{
	struct shca_srd *srd = shca_srd_of(qp);
	struct shca_srd_request *request = &srd->requests[index];

	if (request->state == SHCA_SRD_READY)
		take_off_ready(srd, index);
	if (status == SHCA_SRD_FLUSHED && shca_send_fills(&request->send))
		shca_maybe_scribble(qp->pd, shca_srd_sges(qp, index), request->send.num_sge);
	request->state = SHCA_SRD_FREE;
	srd->free[srd->free_count++] = index;
	complete_as(qp, &request->send, status);
}

void shca_srd_flush(struct shca_qp *qp)
{
	struct shca_srd *srd = shca_srd_of(qp);
	struct shca_send_queue *sq = &qp->sq;

	for (uint32_t i = 0; i < srd->depth; i++)
		if (srd->requests[i].state != SHCA_SRD_FREE)
			shca_srd_complete(qp, i, SHCA_SRD_FLUSHED);
	while (sq->next != sq->posted) {
		sq->acked = sq->completed = ++sq->next;
		complete_as(qp, shca_send_at(sq, sq->next - 1), SHCA_SRD_FLUSHED);
	}
}

/* ---- answers ---- */

/* The request that the answer is for, if it is in flight and can be answered. */
static struct shca_srd_request *request_of(struct shca_qp *qp, const struct shca_packet *packet)
{
	struct shca_srd *srd = shca_srd_of(qp);
	struct shca_srd_request *request;

	if (packet->psn >= srd->depth)
		return NULL;
	request = &srd->requests[packet->psn];
	if (request->state == SHCA_SRD_FREE || request->is_unanswered || request->send.remote_qpn != packet->source ||
	    packet->address != shca_srd_name(request->generation, srd->epoch))
		return NULL;
	return request;
}

static void not_ready(struct shca_qp *qp, uint32_t index)
{
	struct shca_srd_request *request = &shca_srd_of(qp)->requests[index];
	uint32_t doublings = request->not_ready < RNR_DOUBLINGS ? request->not_ready : RNR_DOUBLINGS;

	if (qp->attr.rnr_retry != RNR_UNLIMITED && request->not_ready >= qp->attr.rnr_retry) {
		shca_srd_complete(qp, index, SHCA_SRD_RNR);
		return;
	}
	request->not_ready++;
	request->losses = 0;
	request->state = SHCA_SRD_WAITING;
	request->deadline = shca_now() + ((uint64_t)RNR_PAUSE_NS << doublings);
	shca_watch_add(&qp->wire);
	shca_wakeup_at(request->deadline);
}

void shca_srd_answered(struct shca_qp *qp, const struct shca_packet *packet)
{
	struct shca_srd_request *request = request_of(qp, packet);

	if (!request)
		return;
	if (packet->syndrome != SHCA_SRD_RNR)
		shca_srd_complete(qp, packet->psn, (enum shca_srd_status)packet->syndrome);
	else if (request->state == SHCA_SRD_SENT && packet->key == request->attempt)
		not_ready(qp, packet->psn);
}

/* Segments of an attempt come in any order, and each once. */
void shca_srd_data(struct shca_qp *qp, const struct shca_packet *packet, const void *payload)
{
	struct shca_srd_request *request = request_of(qp, packet);
	const struct shca_send *send;

	if (!request || request->state != SHCA_SRD_SENT || packet->key != request->attempt)
		return;
	send = &request->send;
	if (send->opcode != IBV_WR_RDMA_READ || packet->offset > send->length ||
	    packet->payload > send->length - packet->offset)
		return;
	if (shca_scatter(qp->pd, shca_srd_sges(qp, packet->psn), send->num_sge, packet->offset, payload,
			 packet->payload, IBV_ACCESS_LOCAL_WRITE) != IBV_WC_SUCCESS) {
		shca_srd_complete(qp, packet->psn, SHCA_SRD_INVALID_LKEY);
		return;
	}
	request->received += packet->payload;
	request->losses = 0;
	request->deadline = shca_now() + LOSS_NS;
	if (request->received >= send->length)
		shca_srd_complete(qp, packet->psn, SHCA_SRD_OK);
}

/* ---- timers ---- */

/* No answer for long: only packets that have left the link count as lost, as for a reliable connection. */
static void repeat_unanswered(struct shca_qp *qp, uint32_t index, uint64_t now)
{
	struct shca_srd_request *request = &shca_srd_of(qp)->requests[index];
	struct shca_link *link = request->link;
	bool is_same = link->life == request->link_life && atomic_load(&link->state) == SHCA_LINK_UP;

	if (is_same && !shca_link_is_drained(link)) {
		shca_link_nudge(link);
		request->deadline = now + LOSS_NS;
	} else if (is_same && shca_link_has_packet(link)) {
		request->deadline = now + LOSS_NS;
	} else if (!is_same || request->losses++ >= LOSSES) {
		shca_srd_complete(qp, index, SHCA_SRD_UNRESPONSIVE);
	} else {
		shca_srd_begin_attempt(qp, index);
	}
}

static uint64_t run_timers(struct shca_qp *qp, uint64_t now)
{
	struct shca_srd *srd = shca_srd_of(qp);
	uint64_t next = 0;

	for (uint32_t i = 0; i < srd->depth && srd->free_count != srd->depth; i++) {
		struct shca_srd_request *request = &srd->requests[i];

		if (request->state == SHCA_SRD_WAITING && now >= request->deadline)
			shca_srd_begin_attempt(qp, i);
		else if (request->state == SHCA_SRD_SENT && now >= request->deadline)
			repeat_unanswered(qp, i, now);
		if (request->state == SHCA_SRD_WAITING || request->state == SHCA_SRD_SENT)
			next = shca_sooner(next, request->deadline);
	}
	return next;
}

uint64_t shca_srd_tick(struct shca_qp *qp, uint64_t now)
{
	struct shca_srd *srd = shca_srd_of(qp);
	uint64_t next = 0;

	if (qp->ibv.state == IBV_QPS_RESET)
		return 0;
	shca_srd_acknowledge(qp);
	if (qp->ibv.state == IBV_QPS_RTS || qp->ibv.state == IBV_QPS_SQD) {
		run_timers(qp, now);
		shca_srd_transmit(qp);
		next = run_timers(qp, now);
	}
	if (srd->ready_count || srd->answer_count)
		next = shca_sooner(next, now + FULL_NS);
	return next;
}
