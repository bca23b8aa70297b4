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

/* The requester's sending side: posted requests leave in packets, or complete with a local error. */
#include <errno.h>

#include "base/shca_copy.h"
#include "device/shca_gid.h"
#include "fault/shca_fault.h"
#include "memory/shca_region.h"
#include "personality/shca_personality.h"
#include "queue_pair/shca_send_buffer.h"
#include "registry/shca_fabric.h"
#include "transport/rc/shca_rc.h"
#include "wire/shca_watch.h"

/* NULL if no process answers there: packets are then lost, and the timers notice it. */
static struct shca_link *link_of(struct shca_qp *qp)
{
	struct shca_rc *rc = shca_rc_of(qp);

	if (SHCA_LIKELY(qp->link && qp->link->life == rc->link_life &&
			atomic_load_explicit(&qp->link->state, memory_order_acquire) == SHCA_LINK_UP))
		return qp->link;
	qp->link = NULL;
	if (shca_gid_is_local(&qp->attr.ah_attr.grh.dgid))
		qp->link = shca_link_to(shca_qp_links(qp), qp->attr.dest_qp_num);
	if (qp->link)
		rc->link_life = qp->link->life;
	return qp->link;
}

/*
 * Of two processes the one in the lower slot makes the link: otherwise there were two as a rule, because both become
 * ready to send at about the same time. The other one makes it with its first packet, should it not be there by then.
 * What the peer lacks, or that it is gone, is seen by the timers.
 */
int shca_rc_reach(struct shca_qp *qp)
{
	uint32_t peer = qp->attr.dest_qp_num;
	struct shca_link *link;
	int result;

	if (!shca_gid_is_local(&qp->attr.ah_attr.grh.dgid) || shca_slot_of_qpn(peer) < shca_fabric_slot())
		return 0;
	result = -shca_link_reach(shca_qp_links(qp), shca_slot_of_qpn(peer), shca_set_of_qpn(peer), &link);
	return result == ECONNREFUSED || result == EAGAIN ? 0 : result;
}

void shca_rc_fail_send(struct shca_qp *qp, uint32_t cursor, enum ibv_wc_status status)
{
	struct shca_send_queue *sq = &qp->sq;

	if (!shca_rc_is_complete(sq, cursor)) {
		/*
		 * Move the cursors first: the completion may find its queue overrun and flush the requests behind it.
		 */
		sq->completed = sq->acked = cursor + 1;
		if (sq->next == cursor)
			sq->next = cursor + 1;
		sq->next_offset = 0;
		shca_qp_complete_send(qp, cursor, status);
	}
	shca_qp_fail(qp, -1);
}

/* Asks for the fault only if all earlier requests have completed: completions come in order. */
static bool is_reset(const struct shca_qp *qp)
{
	return SHCA_UNLIKELY(shca_faults_are_active()) && shca_personality()->connect_by_cm_only &&
	       qp->sq.completed == qp->sq.next && shca_fault_reset();
}

/* TCP has lost the connection and refuses the next send before any notification. siw reports both like this. */
static void reset(struct shca_qp *qp)
{
	struct shca_send_queue *sq = &qp->sq;
	uint32_t cursor = sq->next;

	shca_send_buffer_forget(sq);
	sq->completed = sq->acked = sq->next = cursor + 1;
	shca_qp_complete_send(qp, cursor, IBV_WC_LOC_QP_OP_ERR);
	shca_qp_fail(qp, IBV_EVENT_QP_FATAL);
}

static uint8_t packet_type(const struct shca_send *send)
{
	switch (send->opcode) {
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
		return SHCA_SEND;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return SHCA_WRITE;
	case IBV_WR_RDMA_READ:
		return SHCA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return SHCA_COMPARE_SWAP;
	default:
		return SHCA_FETCH_ADD;
	}
}

static bool has_immediate(const struct shca_send *send)
{
	return send->opcode == IBV_WR_SEND_WITH_IMM || send->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

/* Whether the peer gets a completion. */
static bool completes_there(const struct shca_send *send)
{
	return has_immediate(send) || send->opcode == IBV_WR_SEND;
}

static enum ibv_wc_status fill_payload(struct shca_qp *qp, const struct shca_send *send, void *to, uint32_t length)
{
	struct shca_send_queue *sq = &qp->sq;

	if (send->flags & IBV_SEND_INLINE) {
		memcpy(to, shca_send_inline(sq, sq->next) + sq->next_offset, length);
		return IBV_WC_SUCCESS;
	}
	if (shca_rc_is_complete(sq, sq->next) && send->kept) {
		shca_copy(to, send->kept + sq->next_offset, length);
		return IBV_WC_SUCCESS;
	}
	return shca_gather(qp->pd, shca_send_sges(sq, sq->next), send->num_sge, sq->next_offset, to, length);
}

enum sent { SENT, RING_FULL, REFUSED };

/* Sends one segment of a send or write, or a whole read or atomic request. Sets *status when REFUSED. */
static enum sent send_packet(struct shca_qp *qp, struct shca_link *link, struct shca_send *send, uint32_t payload,
			     enum ibv_wc_status *status)
{
	struct shca_send_queue *sq = &qp->sq;
	struct shca_packet *packet = shca_link_begin(link, &qp->wire, payload);
	void *to;

	if (!packet)
		return RING_FULL;
	shca_rc_address(qp, packet, packet_type(send), shca_rc_psn_of(qp, sq->next));
	packet->flags = (sq->next_offset == 0 ? SHCA_FIRST : 0) |
			(has_immediate(send) ? SHCA_IMMEDIATE : 0) |
			(send->flags & IBV_SEND_SOLICITED ? SHCA_SOLICITED : 0);
	if (shca_rc_is_answered(send) || sq->next_offset + payload == send->length)
		packet->flags |= SHCA_LAST;
	packet->offset = sq->next_offset;
	packet->length = send->length;
	packet->immediate = send->immediate;
	packet->key = send->rkey;
	packet->address = send->remote_address;
	to = shca_link_payload(link, packet);
	if (packet->type == SHCA_COMPARE_SWAP || packet->type == SHCA_FETCH_ADD) {
		memcpy(to, send->operands, sizeof(send->operands));
	} else if (payload) {
		*status = fill_payload(qp, send, to, payload);
		if (*status != IBV_WC_SUCCESS) {
			shca_link_cancel(link);
			return REFUSED;
		}
	}
	shca_link_end(link, packet, completes_there(send) ? shca_rc_message_waker(qp) : 0);
	return SENT;
}

/* Sends the rest of the next work request. */
static enum sent send_message(struct shca_qp *qp, struct shca_link *link, struct shca_send *send,
			      enum ibv_wc_status *status)
{
	struct shca_send_queue *sq = &qp->sq;
	bool asks = shca_rc_is_answered(send);
	uint32_t whole = send->opcode == IBV_WR_RDMA_READ ? 0 : asks ? sizeof(send->operands) : send->length;

	do {
		uint32_t left = whole - sq->next_offset;
		uint32_t payload = left < SHCA_SEGMENT ? left : SHCA_SEGMENT;

		if (link) {
			enum sent sent = send_packet(qp, link, send, payload, status);

			if (sent != SENT)
				return sent;
		}
		sq->next_offset += payload;
	} while (sq->next_offset < whole);
	sq->next_offset = 0;
	sq->next++;
	if (asks) {
		send->answered = false;
		send->received = 0;
		sq->reads++;
	}
	return SENT;
}

/* Finds local errors before the first byte leaves. */
static enum ibv_wc_status check(struct shca_qp *qp, uint32_t cursor)
{
	const struct shca_personality *personality = shca_personality();
	const struct shca_send *send = shca_send_at(&qp->sq, cursor);
	const struct ibv_sge *sges = shca_send_sges(&qp->sq, cursor);
	unsigned int access = 0;

	/* The accepting side sends second: its peer's stack may not be listening yet. */
	if (personality->client_speaks_first && qp->accepted && !shca_rc_of(qp)->has_received)
		return IBV_WC_LOC_QP_OP_ERR;
	if (shca_rc_is_answered(send)) {
		if (qp->attr.max_rd_atomic == 0)
			return IBV_WC_LOC_QP_OP_ERR;
		access = IBV_ACCESS_LOCAL_WRITE;
		if (personality->read_sink_needs_remote_write)
			access |= IBV_ACCESS_REMOTE_WRITE;
	} else if (send->flags & IBV_SEND_INLINE) {
		return IBV_WC_SUCCESS;
	}
	return shca_check_list(qp->pd, sges, send->num_sge, access);
}

/* Whether the request completes as soon as the device has its bytes. It must wait for earlier requests that do not. */
static bool completes_early(const struct shca_qp *qp, uint32_t cursor, const struct shca_send *send)
{
	return SHCA_UNLIKELY(shca_personality()->send_buffer) && cursor == qp->sq.completed &&
	       shca_send_buffer_takes(send);
}

/* Whether the next work request must wait for responses to earlier ones, or until the peer has taken some of them. */
static bool must_wait(const struct shca_qp *qp, const struct shca_send *send)
{
	if (send->flags & IBV_SEND_FENCE && qp->sq.reads)
		return true;
	if (completes_early(qp, qp->sq.next, send) && !shca_send_buffer_has_room(&qp->sq, send))
		return true;
	return shca_rc_is_answered(send) && qp->sq.reads && qp->sq.reads >= qp->attr.max_rd_atomic;
}

/* Completes the oldest request that has not completed: the program may overwrite its memory after this. */
static enum ibv_wc_status complete_early(struct shca_qp *qp)
{
	struct shca_send_queue *sq = &qp->sq;
	uint32_t cursor = sq->completed;
	bool is_late = shca_faults_are_active() && shca_rc_reads_late(qp, shca_send_at(sq, cursor));
	enum ibv_wc_status status = shca_send_buffer_keep(qp, cursor, is_late);

	if (status != IBV_WC_SUCCESS)
		return status;
	sq->completed++;
	shca_qp_complete_send(qp, cursor, IBV_WC_SUCCESS);
	return IBV_WC_SUCCESS;
}

/* The fault "begin" delays sending; requests whose bytes the device takes complete nevertheless. */
static void complete_ahead(struct shca_qp *qp)
{
	struct shca_send_queue *sq = &qp->sq;

	while (sq->completed != sq->posted && qp->ibv.state == IBV_QPS_RTS) {
		const struct shca_send *send = shca_send_at(sq, sq->completed);

		if (!completes_early(qp, sq->completed, send) || !shca_send_buffer_has_room(sq, send) ||
		    check(qp, sq->completed) != IBV_WC_SUCCESS || complete_early(qp) != IBV_WC_SUCCESS)
			break;
	}
}

void shca_rc_transmit(struct shca_qp *qp)
{
	struct shca_rc *rc = shca_rc_of(qp);
	struct shca_send_queue *sq = &qp->sq;
	struct shca_link *link;

	if (sq->next == sq->posted || rc->wait_until ||
	    (qp->ibv.state != IBV_QPS_RTS && qp->ibv.state != IBV_QPS_SQD)) {
		shca_qp_report_drained(qp);
		return;
	}
	/*
	 * A reply must not overtake the acknowledgement of the message that it answers: programs rely on the completion
	 * of a send being there before the peer's reply to it.
	 */
	if (qp->wire.is_on_acks) {
		shca_rc_acknowledge(qp);
		if (qp->ibv.state == IBV_QPS_ERR)
			return;
	}
	if (SHCA_UNLIKELY(rc->begin_at)) {
		if (qp->sq.completed != qp->sq.next)
			complete_ahead(qp);
		return;
	}
	link = link_of(qp);
	while (sq->next != sq->posted) {
		struct shca_send *send = shca_send_at(sq, sq->next);
		enum ibv_wc_status status = IBV_WC_SUCCESS;

		if (sq->next_offset == 0 && !shca_rc_is_complete(sq, sq->next)) {
			if (qp->ibv.state == IBV_QPS_SQD || must_wait(qp, send))
				break;
			if (is_reset(qp)) {
				reset(qp);
				return;
			}
			status = check(qp, sq->next);
			if (status == IBV_WC_SUCCESS && completes_early(qp, sq->next, send))
				status = complete_early(qp);
			/* The completion may have found its queue full. */
			if (qp->ibv.state == IBV_QPS_ERR)
				return;
			if (SHCA_UNLIKELY(rc->begin_at)) {
				complete_ahead(qp);
				return;
			}
		}
		if (SHCA_LIKELY(status == IBV_WC_SUCCESS)) {
			enum sent sent = send_message(qp, link, send, &status);

			if (sent == RING_FULL)
				break;
			if (sent == SENT)
				continue;
		}
		/* Completions come in order: this error waits until all earlier requests are settled. */
		if (sq->acked == sq->next)
			shca_rc_fail_send(qp, sq->next, status);
		break;
	}
	shca_qp_report_drained(qp);
	shca_watch_add(&qp->wire);
}
