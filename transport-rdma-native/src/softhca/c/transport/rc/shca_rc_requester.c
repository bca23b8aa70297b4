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

#include "base/shca_clock.h"
#include "fault/shca_fault.h"
#include "memory/shca_region.h"
#include "queue_pair/shca_send_buffer.h"
#include "transport/rc/shca_rc.h"
#include "wire/shca_wakeup.h"
#include "wire/shca_watch.h"

/* IB specification, table of RNR NAK timer values, in units of 10 microseconds. */
static const uint32_t rnr_timer[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

#define RNR_UNIT_NS	10000u
#define RNR_UNLIMITED	7

bool shca_rc_in_flight(const struct shca_qp *qp, uint32_t psn, uint32_t *cursor)
{
	int32_t distance = shca_psn_distance(psn, shca_rc_psn_of(qp, qp->sq.acked));
	/* A request that was sent in part counts: the peer may refuse it before all of it was sent. */
	uint32_t sent = qp->sq.next - qp->sq.acked + (qp->sq.next_offset > 0);

	if (distance < 0 || (uint32_t)distance >= sent)
		return false;
	*cursor = qp->sq.acked + (uint32_t)distance;
	return true;
}

/* ---- acknowledgements and responses ---- */

static void note_progress(struct shca_qp *qp)
{
	struct shca_rc *rc = shca_rc_of(qp);

	rc->retries = qp->attr.retry_cnt;
	rc->rnr_retries = qp->attr.rnr_retry;
	rc->stalled_since = 0;
}

/*
 * Completes all requests before cursor. Returns false when it meets a read whose data never came, or when a completion
 * queue has overrun meanwhile.
 */
static bool complete_before(struct shca_qp *qp, uint32_t cursor)
{
	struct shca_send_queue *sq = &qp->sq;

	while (sq->acked != cursor) {
		struct shca_send *send = shca_send_at(sq, sq->acked);

		if (shca_rc_is_answered(send) && !send->answered)
			return false;
		note_progress(qp);
		if (shca_rc_is_complete(sq, sq->acked)) {
			shca_send_buffer_release(sq, sq->acked++);
			continue;
		}
		sq->completed = ++sq->acked;
		shca_qp_complete_send(qp, sq->acked - 1, IBV_WC_SUCCESS);
		if (qp->ibv.state == IBV_QPS_ERR)
			return false;
	}
	return true;
}

/* Retransmits everything from this work request on. */
static void go_back(struct shca_qp *qp, uint32_t cursor)
{
	struct shca_send_queue *sq = &qp->sq;
	uint32_t i;

	sq->next = cursor;
	sq->next_offset = 0;
	sq->reads = 0;
	for (i = sq->acked; i != cursor; i++) {
		const struct shca_send *send = shca_send_at(sq, i);

		if (shca_rc_is_answered(send) && !send->answered)
			sq->reads++;
	}
	shca_rc_of(qp)->stalled_since = 0;
}

static void retry(struct shca_qp *qp, uint32_t cursor)
{
	struct shca_rc *rc = shca_rc_of(qp);

	if (rc->retries == 0) {
		shca_rc_fail_send(qp, cursor, IBV_WC_RETRY_EXC_ERR);
		return;
	}
	rc->retries--;
	go_back(qp, cursor);
}

static void receiver_not_ready(struct shca_qp *qp, uint32_t cursor, uint8_t timer)
{
	struct shca_rc *rc = shca_rc_of(qp);

	if (qp->attr.rnr_retry != RNR_UNLIMITED) {
		if (rc->rnr_retries == 0) {
			shca_rc_fail_send(qp, cursor, IBV_WC_RNR_RETRY_EXC_ERR);
			return;
		}
		rc->rnr_retries--;
	}
	go_back(qp, cursor);
	rc->wait_until = shca_now() + (uint64_t)rnr_timer[timer & 31] * RNR_UNIT_NS;
	shca_watch_add(&qp->wire);
	shca_wakeup_at(rc->wait_until);
}

static void receive_nak(struct shca_qp *qp, const struct shca_packet *packet)
{
	uint32_t cursor;

	if (shca_rc_of(qp)->wait_until || !shca_rc_in_flight(qp, packet->psn, &cursor) || !complete_before(qp, cursor))
		return;
	switch (packet->syndrome) {
	case SHCA_NAK_SEQUENCE:
		retry(qp, cursor);
		break;
	case SHCA_NAK_RNR:
		receiver_not_ready(qp, cursor, packet->timer);
		break;
	case SHCA_NAK_INVALID_REQUEST:
		shca_rc_fail_send(qp, cursor, IBV_WC_REM_INV_REQ_ERR);
		break;
	case SHCA_NAK_REMOTE_ACCESS:
		shca_rc_fail_send(qp, cursor, IBV_WC_REM_ACCESS_ERR);
		break;
	case SHCA_NAK_REMOTE_OPERATION:
		shca_rc_fail_send(qp, cursor, IBV_WC_REM_OP_ERR);
		break;
	default:
		shca_rc_fail_send(qp, cursor, IBV_WC_BAD_RESP_ERR);
		break;
	}
}

/* An acknowledgement names the last message that it covers. */
void shca_rc_acknowledged(struct shca_qp *qp, uint32_t psn)
{
	uint32_t cursor;

	if (shca_rc_in_flight(qp, psn, &cursor) && cursor != qp->sq.next)
		complete_before(qp, cursor + 1);
}

static void receive_ack(struct shca_qp *qp, const struct shca_packet *packet)
{
	if (!shca_faults_are_active() || !shca_rc_acknowledges_late(qp, packet->psn))
		shca_rc_acknowledged(qp, packet->psn);
}

/*
 * Data of a read, or an atomic's old value. A packet that does not continue the received data follows one that was
 * lost: it is ignored, and the timer requests everything again.
 */
static void receive_data(struct shca_qp *qp, const struct shca_packet *packet, const void *payload)
{
	bool is_atomic = packet->type == SHCA_ATOMIC_OLD;
	enum ibv_wc_status status;
	struct shca_send *send;
	uint32_t cursor;

	if (!shca_rc_in_flight(qp, packet->psn, &cursor) || cursor == qp->sq.next)
		return;
	send = shca_send_at(&qp->sq, cursor);
	if (!shca_rc_is_answered(send) || send->answered || is_atomic != (send->opcode != IBV_WR_RDMA_READ) ||
	    !complete_before(qp, cursor))
		return;
	if (packet->flags & SHCA_FIRST)
		send->received = 0;
	if (packet->offset != send->received || packet->payload > send->length - packet->offset ||
	    (packet->flags & SHCA_LAST && packet->payload != send->length - packet->offset))
		return;
	status = shca_scatter(qp->pd, shca_send_sges(&qp->sq, cursor), send->num_sge, packet->offset, payload,
			      packet->payload, IBV_ACCESS_LOCAL_WRITE);
	if (status != IBV_WC_SUCCESS) {
		shca_rc_fail_send(qp, cursor, status);
		return;
	}
	send->received += packet->payload;
	note_progress(qp);
	if (packet->flags & SHCA_LAST) {
		send->answered = true;
		qp->sq.reads--;
		complete_before(qp, cursor + 1);
	}
}

void shca_rc_requester_receive(struct shca_qp *qp, const struct shca_packet *packet, const void *payload)
{
	if (qp->ibv.state != IBV_QPS_RTS && qp->ibv.state != IBV_QPS_SQD)
		return;
	switch (packet->type) {
	case SHCA_ACK:
		receive_ack(qp, packet);
		break;
	case SHCA_NAK:
		receive_nak(qp, packet);
		break;
	default:
		receive_data(qp, packet, payload);
		break;
	}
	shca_rc_transmit(qp);
}

/* ---- timers ---- */

/*
 * The ack timer runs from the last progress. Only packets that have left the link count as lost: a peer whose process
 * is not scheduled still has the packets before it, as an adapter would. The same holds for us and the peer's answers.
 * The peer may have stopped polling a moment ago: then its helper thread sleeps, and must not for longer.
 */
uint64_t shca_rc_tick(struct shca_qp *qp, uint64_t now)
{
	struct shca_rc *rc = shca_rc_of(qp);
	uint64_t timeout = shca_rc_timeout(qp);

	if (qp->ibv.state != IBV_QPS_RTS && qp->ibv.state != IBV_QPS_SQD)
		return 0;
	if (SHCA_UNLIKELY(rc->begin_at || rc->ack_at)) {
		uint64_t next = shca_rc_late_tick(qp, now);

		if (next || qp->ibv.state == IBV_QPS_ERR)
			return next;
	}
	if (rc->wait_until) {
		if (now < rc->wait_until)
			return rc->wait_until;
		rc->wait_until = 0;
		shca_rc_transmit(qp);
	}
	if ((qp->sq.acked == qp->sq.next && !qp->sq.next_offset) || !timeout) {
		rc->stalled_since = 0;
		return 0;
	}
	if (!rc->stalled_since || rc->acked_at_tick != qp->sq.acked) {
		rc->acked_at_tick = qp->sq.acked;
		rc->stalled_since = now;
	}
	if (now - rc->stalled_since < timeout)
		return rc->stalled_since + timeout;
	if (!qp->link || qp->link->life != rc->link_life ||
	    (shca_link_is_drained(qp->link) && !shca_link_has_packet(qp->link))) {
		retry(qp, qp->sq.acked);
		if (qp->ibv.state == IBV_QPS_ERR)
			return 0;
		shca_rc_transmit(qp);
	} else if (!shca_link_is_drained(qp->link)) {
		shca_link_nudge(qp->link);
	}
	rc->stalled_since = now;
	return now + timeout;
}
