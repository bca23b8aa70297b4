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

/* The requester's sending side: requests leave the send queue for the table, and the table in packets. */
#include <string.h>

#include "address/shca_address_number.h"
#include "base/shca_clock.h"
#include "device/shca_gid.h"
#include "fault/shca_fault.h"
#include "memory/shca_region.h"
#include "personality/shca_personality.h"
#include "queue/shca_srd_order.h"
#include "registry/shca_fabric.h"
#include "transport/srd/shca_srd.h"
#include "wire/shca_watch.h"

/* After that time without an answer, a request whose packets have all been handled counts as lost. */
#define LOSS_NS		50000000u

static uint32_t segments_of(const struct shca_send *send)
{
	return send->opcode == IBV_WR_RDMA_READ ? 1 : shca_srd_segments(send->length);
}

void shca_srd_begin_attempt(struct shca_qp *qp, uint32_t index)
{
	struct shca_srd *srd = shca_srd_of(qp);
	struct shca_srd_request *request = &srd->requests[index];

	request->state = SHCA_SRD_READY;
	request->attempt++;
	request->first_segment = shca_srd_next_of(segments_of(&request->send));
	request->segments_sent = 0;
	request->received = 0;
	srd->ready[srd->ready_count++] = index;
}

/* ---- from the send queue into the table ---- */

static enum shca_srd_status check(const struct shca_qp *qp, uint32_t index)
{
	const struct shca_personality *personality = shca_personality();
	const struct shca_send *send = &shca_srd_of(qp)->requests[index].send;
	bool is_message = send->opcode == IBV_WR_SEND || send->opcode == IBV_WR_SEND_WITH_IMM;
	unsigned int access = send->opcode == IBV_WR_RDMA_READ ? IBV_ACCESS_LOCAL_WRITE : 0;

	if (send->length > (is_message ? personality->max_message : personality->max_rdma))
		return SHCA_SRD_LOCAL_LENGTH;
	if (!(send->flags & IBV_SEND_INLINE) &&
	    shca_check_list(qp->pd, shca_srd_sges(qp, index), send->num_sge, access) != IBV_WC_SUCCESS)
		return SHCA_SRD_INVALID_LKEY;
	return SHCA_SRD_OK;
}

/* Slots of the send queue are in order, and requests are not done in order: so each leaves its slot at once. */
static uint32_t take(struct shca_qp *qp)
{
	struct shca_srd *srd = shca_srd_of(qp);
	struct shca_send_queue *sq = &qp->sq;
	uint32_t cursor = sq->next, index = srd->free[--srd->free_count];
	struct shca_srd_request *request = &srd->requests[index];

	request->send = *shca_send_at(sq, cursor);
	request->generation++;
	request->attempt = 0;
	request->not_ready = 0;
	request->losses = 0;
	request->is_unanswered = shca_faults_are_active() && shca_fault_unresponsive();
	memcpy(shca_srd_sges(qp, index), shca_send_sges(sq, cursor), request->send.num_sge * sizeof(struct ibv_sge));
	if (request->send.flags & IBV_SEND_INLINE)
		memcpy(shca_srd_inline(qp, index), shca_send_inline(sq, cursor), request->send.length);
	/* A slot is free for a post when its completion was polled, see in_any_order of struct shca_cqe. */
	sq->next = sq->acked = sq->completed = cursor + 1;
	return index;
}

static void take_all(struct shca_qp *qp)
{
	while (qp->sq.next != qp->sq.posted && qp->ibv.state == IBV_QPS_RTS) {
		uint32_t index = take(qp);
		enum shca_srd_status status = check(qp, index);

		shca_srd_begin_attempt(qp, index);
		if (status != SHCA_SRD_OK)
			shca_srd_complete(qp, index, status);
	}
}

/* ---- from the table into the ring ---- */

static uint8_t type_of(const struct shca_send *send)
{
	switch (send->opcode) {
	case IBV_WR_RDMA_READ:
		return SHCA_SRD_READ;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return SHCA_SRD_WRITE;
	default:
		return SHCA_SRD_SEND;
	}
}

static bool has_immediate(const struct shca_send *send)
{
	return send->opcode == IBV_WR_SEND_WITH_IMM || send->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static bool fill(struct shca_qp *qp, uint32_t index, uint32_t offset, uint8_t *to, uint32_t length)
{
	struct shca_srd *srd = shca_srd_of(qp);
	const struct shca_srd_request *request = &srd->requests[index];
	const struct shca_send *send = &request->send;
	struct shca_srd_header header = {
		.source = send->local_gid, .qkey = send->remote_qkey, .epoch = srd->epoch,
		.generation = request->generation, .attempt = request->attempt,
	};

	memcpy(to, &header, sizeof(header));
	to += sizeof(header);
	if (send->flags & IBV_SEND_INLINE) {
		memcpy(to, shca_srd_inline(qp, index) + offset, length);
		return true;
	}
	return shca_gather(qp->pd, shca_srd_sges(qp, index), send->num_sge, offset, to, length) == IBV_WC_SUCCESS;
}

enum sent { SENT, RING_FULL, COMPLETED };

static enum sent send_segment(struct shca_qp *qp, struct shca_link *link, uint32_t index)
{
	struct shca_srd_request *request = &shca_srd_of(qp)->requests[index];
	const struct shca_send *send = &request->send;
	uint32_t segments = segments_of(send);
	uint32_t offset = (request->first_segment + request->segments_sent) % segments * SHCA_SEGMENT;
	uint32_t left = send->opcode == IBV_WR_RDMA_READ ? 0 : send->length - offset;
	uint32_t length = left < SHCA_SEGMENT ? left : SHCA_SEGMENT;
	struct shca_packet *packet = shca_link_begin(link, &qp->wire, sizeof(struct shca_srd_header) + length);

	if (!packet)
		return RING_FULL;
	shca_packet_start(packet, type_of(send), qp->ibv.qp_num, send->remote_qpn, index);
	packet->wakers = (uint8_t)(shca_cq_waker(qp->send_cq) << 4);
	packet->flags = has_immediate(send) ? SHCA_IMMEDIATE : 0;
	packet->offset = offset;
	packet->length = send->length;
	packet->immediate = send->immediate;
	packet->key = send->rkey;
	packet->address = send->remote_address;
	if (!fill(qp, index, offset, shca_link_payload(link, packet), length)) {
		shca_link_cancel(link);
		shca_srd_complete(qp, index, SHCA_SRD_INVALID_LKEY);
		return COMPLETED;
	}
	shca_link_end(link, packet, 0);
	request->segments_sent++;
	return SENT;
}

/* Where the request goes. Completes it and returns NULL if it goes nowhere. */
static struct shca_link *link_of(struct shca_qp *qp, uint32_t index)
{
	const struct shca_send *send = &shca_srd_of(qp)->requests[index].send;
	uint32_t slot = shca_slot_of_qpn(send->remote_qpn);
	struct shca_link *link = NULL;
	enum shca_srd_status status;

	if (shca_address_number_of(qp->pd, &send->remote_gid) == SHCA_UNKNOWN_SENDER) {
		status = SHCA_SRD_FLUSHED;	/* its address handle is gone */
	} else if (!shca_gid_is_local(&send->remote_gid)) {
		status = SHCA_SRD_UNREACHABLE;
	} else {
		link = slot ? shca_link_to(shca_qp_links(qp), send->remote_qpn) : NULL;
		status = slot ? SHCA_SRD_UNRESPONSIVE : SHCA_SRD_BAD_DEST_QPN;
	}
	if (!link)
		shca_srd_complete(qp, index, status);
	return link;
}

static enum sent send_all(struct shca_qp *qp, struct shca_link *link, uint32_t index)
{
	struct shca_srd_request *request = &shca_srd_of(qp)->requests[index];
	uint32_t segments = segments_of(&request->send);

	/* An attempt that began on another link begins again. */
	if (request->segments_sent && (request->link != link || request->link_life != link->life)) {
		request->attempt++;
		request->segments_sent = 0;
	}
	request->link = link;
	request->link_life = link->life;
	while (request->segments_sent < segments) {
		enum sent sent = send_segment(qp, link, index);

		if (sent != SENT)
			return sent;
	}
	request->state = SHCA_SRD_SENT;
	request->deadline = shca_now() + LOSS_NS;
	return SENT;
}

/*
 * Sends the ready requests in an order that chance chooses. A full ring holds back only the requests that go there; a
 * request that was sent in part keeps its turn.
 */
static struct shca_link *send_ready(struct shca_qp *qp)
{
	struct shca_srd *srd = shca_srd_of(qp);
	struct shca_link *last = NULL, *full = NULL;
	uint32_t count = srd->ready_count, kept = 0;

	/* A request that completes here is off the list meanwhile. */
	srd->ready_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t chosen = i + shca_srd_next_of(count - i);
		uint32_t index = srd->ready[chosen];
		struct shca_link *link;

		srd->ready[chosen] = srd->ready[i];
		link = link_of(qp, index);
		if (!link)
			continue;
		if (link == full || send_all(qp, link, index) == RING_FULL) {
			full = link;
			srd->ready[kept++] = index;
		}
		if (last && link != last)
			shca_link_ring_doorbell(last);
		last = link;
	}
	srd->ready_count = kept;
	return last;
}

void shca_srd_transmit(struct shca_qp *qp)
{
	struct shca_srd *srd = shca_srd_of(qp);

	if (qp->ibv.state != IBV_QPS_RTS && qp->ibv.state != IBV_QPS_SQD)
		return;
	take_all(qp);
	/* The posting thread rings the doorbell of the last one, or drains it if it leads to this process. */
	qp->link = send_ready(qp);
	shca_qp_report_drained(qp);
	if (srd->free_count != srd->depth)
		shca_watch_add(&qp->wire);
}
