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

#include <string.h>

#include "base/shca_copy.h"
#include "fault/shca_fault.h"
#include "memory/shca_region.h"
#include "personality/shca_personality.h"
#include "transport/rc/shca_rc.h"

/* ---- acknowledgements and NAKs, which are owed until the current batch of packets ends ---- */

static void owe_acknowledgement(struct shca_qp *qp, struct shca_link *link)
{
	qp->answer_link = link;
	if (qp->wire.is_on_acks)
		return;
	qp->wire.is_on_acks = true;
	qp->wire.next_ack = link->acks;
	link->acks = &qp->wire;
}

static void owe_nak(struct shca_qp *qp, struct shca_link *link, enum shca_nak syndrome)
{
	struct shca_rc *rc = shca_rc_of(qp);

	rc->nak_owed = true;
	rc->nak_syndrome = syndrome;
	/* Later packets are dropped silently until the message comes again from its start. */
	rc->nak_sent = true;
	rc->in_message = false;
	owe_acknowledgement(qp, link);
}

/* Refuses the request without a retry: the requester gets a NAK, and this queue pair fails. */
static void refuse(struct shca_qp *qp, struct shca_link *link, enum shca_nak syndrome, int event)
{
	owe_nak(qp, link, syndrome);
	shca_qp_fail(qp, event);
}

static bool send_nak(struct shca_qp *qp)
{
	struct shca_rc *rc = shca_rc_of(qp);
	struct shca_packet *packet = shca_link_begin(qp->answer_link, &qp->wire, 0);

	if (!packet)
		return false;
	shca_rc_address(qp, packet, SHCA_NAK, rc->expected_psn);
	packet->syndrome = rc->nak_syndrome;
	packet->timer = qp->attr.min_rnr_timer;
	shca_link_end(qp->answer_link, packet, shca_rc_answer_waker(qp));
	rc->nak_owed = false;
	rc->ack_owed = false;
	return true;
}

static bool send_ack(struct shca_qp *qp)
{
	struct shca_rc *rc = shca_rc_of(qp);
	struct shca_packet *packet = shca_link_begin(qp->answer_link, &qp->wire, 0);

	if (!packet)
		return false;
	shca_rc_address(qp, packet, SHCA_ACK, shca_psn_add(rc->expected_psn, SHCA_PSN_MASK));
	shca_link_end(qp->answer_link, packet, shca_rc_answer_waker(qp));
	rc->ack_owed = false;
	return true;
}

/* ---- responses to reads and atomics, in the order of their requests ---- */

/* Sends one packet of a response. Returns false when the ring is full or the memory is gone. */
static bool send_segment(struct shca_qp *qp, struct shca_response *response)
{
	bool is_read = response->type == SHCA_READ;
	uint32_t left = response->length - response->offset;
	uint32_t payload = left < SHCA_SEGMENT ? left : SHCA_SEGMENT;
	uint64_t from = response->address + response->offset;
	struct shca_region *region = NULL;
	struct shca_packet *packet;

	if (is_read && payload) {
		region = shca_region_pin(qp->pd, response->key, from, payload, IBV_ACCESS_REMOTE_READ);
		if (!region) {
			/* Deregistered after the request was accepted: the NAK names that message. */
			shca_rc_of(qp)->expected_psn = response->psn;
			qp->responses.first = qp->responses.next;
			refuse(qp, qp->answer_link, SHCA_NAK_REMOTE_ACCESS, IBV_EVENT_QP_ACCESS_ERR);
			return false;
		}
	}
	packet = shca_link_begin(qp->answer_link, &qp->wire, payload);
	if (packet) {
		shca_rc_address(qp, packet, is_read ? SHCA_READ_DATA : SHCA_ATOMIC_OLD, response->psn);
		packet->flags = (response->offset == 0 ? SHCA_FIRST : 0) | (payload == left ? SHCA_LAST : 0);
		packet->offset = response->offset;
		packet->length = response->length;
		if (region)
			shca_copy(shca_link_payload(qp->answer_link, packet), shca_region_at(region, from), payload);
		else if (!is_read)
			memcpy(shca_link_payload(qp->answer_link, packet), &response->old, sizeof(response->old));
		shca_link_end(qp->answer_link, packet, shca_rc_answer_waker(qp));
		response->offset += payload;
		response->sent = payload == left;
	}
	if (region)
		shca_region_unpin(region);
	return packet != NULL;
}

/* Returns false when something is left, or the queue pair has failed. */
static bool send_responses(struct shca_qp *qp)
{
	struct shca_rc *rc = shca_rc_of(qp);

	while (qp->responses.first != qp->responses.next) {
		struct shca_response *response = shca_response_at(&qp->responses, qp->responses.first);
		bool sends = !response->sent;

		while (!response->sent) {
			if (!send_segment(qp, response))
				return false;
		}
		qp->responses.first++;
		/* A response acknowledges everything up to and including its request. */
		if (sends && qp->responses.first == qp->responses.next &&
		    shca_psn_distance(rc->expected_psn, response->psn) == 1)
			rc->ack_owed = false;
	}
	return true;
}

bool shca_rc_acknowledge(struct shca_qp *qp)
{
	struct shca_rc *rc = shca_rc_of(qp);

	if (!qp->answer_link)
		return true;
	/* Requests before a refused one are answered first, although the queue pair is in error by now. */
	if ((qp->ibv.state != IBV_QPS_ERR || rc->nak_owed) && !send_responses(qp) &&
	    qp->responses.first != qp->responses.next)
		return false;
	if (rc->nak_owed)
		return send_nak(qp);
	if (rc->ack_owed && qp->ibv.state != IBV_QPS_ERR)
		return send_ack(qp);
	return true;
}

/* ---- requests ---- */

static bool has_right(const struct shca_qp *qp, unsigned int access)
{
	return qp->attr.qp_access_flags & access;
}

/* Completes a failed receive with the reason. The NAK to the sender is less specific. */
static void fail_receive(struct shca_qp *qp, struct shca_link *link, enum ibv_wc_status status, enum shca_nak syndrome)
{
	struct shca_cqe cqe;

	shca_qp_start_receive_cqe(qp, &qp->receive, &cqe);
	cqe.status = status;
	cqe.opcode = IBV_WC_RECV;
	qp->receiving = false;
	owe_nak(qp, link, syndrome);
	if (shca_personality()->reports_failed_receives)
		shca_qp_raise(qp, status == IBV_WC_LOC_LEN_ERR ? IBV_EVENT_QP_FATAL :
				    IBV_EVENT_QP_ACCESS_ERR);
	shca_qp_put(qp, qp->recv_cq, &cqe);
	shca_qp_fail(qp, -1);
}

static void complete_receive(struct shca_qp *qp, const struct shca_packet *packet, enum ibv_wc_opcode opcode)
{
	struct shca_cqe cqe;

	shca_qp_start_receive_cqe(qp, &qp->receive, &cqe);
	cqe.status = IBV_WC_SUCCESS;
	cqe.opcode = opcode;
	shca_cqe_set_received(&cqe, packet);
	qp->receiving = false;
	shca_qp_put(qp, qp->recv_cq, &cqe);
}

/* Provides the message's receive in qp->receive. Returns false if there is none. */
static bool has_receive(struct shca_qp *qp)
{
	/* A message that is repeated after a loss keeps the receive that it took the first time. */
	if (qp->receiving)
		return true;
	qp->receive.sges = qp->receive_sges;
	qp->receiving = shca_qp_take_receive(qp, 0, &qp->receive);
	return qp->receiving;
}

/* The same; if there is none the sender gets a NAK. */
static bool take_receive(struct shca_qp *qp, struct shca_link *link)
{
	bool is_refused = !qp->receiving && shca_faults_are_active() && shca_fault_receiver_not_ready();

	if (!is_refused && has_receive(qp))
		return true;
	owe_nak(qp, link, SHCA_NAK_RNR);
	return false;
}

/* Packets of a message must continue each other and stay within its length. */
static bool is_whole(const struct shca_packet *packet)
{
	uint32_t left = packet->length - packet->offset;

	return packet->offset <= packet->length && packet->payload <= left &&
	       (packet->payload == left) == !!(packet->flags & SHCA_LAST);
}

static bool receive_send(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet,
			 const void *payload)
{
	struct shca_receive *receive = &qp->receive;
	uint32_t pd = qp->srq ? qp->srq->pd : qp->pd;
	enum ibv_wc_status status;

	if (packet->flags & SHCA_FIRST) {
		if (!take_receive(qp, link))
			return false;
		if (packet->length > shca_list_length(receive->sges, receive->num_sge)) {
			fail_receive(qp, link, IBV_WC_LOC_LEN_ERR, SHCA_NAK_INVALID_REQUEST);
			return false;
		}
	}
	status = shca_scatter(pd, receive->sges, receive->num_sge, packet->offset, payload, packet->payload,
			      IBV_ACCESS_LOCAL_WRITE);
	if (status != IBV_WC_SUCCESS) {
		fail_receive(qp, link, status, SHCA_NAK_REMOTE_OPERATION);
		return false;
	}
	if (packet->flags & SHCA_LAST)
		complete_receive(qp, packet, IBV_WC_RECV);
	return true;
}

/*
 * The key or the range of a write is wrong. With an immediate the write has a receive, whose completion reports it to
 * the responder (IB specification, 11.6.2); else an event does.
 */
static void refuse_write(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet)
{
	if (packet->flags & SHCA_IMMEDIATE && has_receive(qp))
		fail_receive(qp, link, IBV_WC_LOC_ACCESS_ERR, SHCA_NAK_REMOTE_ACCESS);
	else
		refuse(qp, link, SHCA_NAK_REMOTE_ACCESS, IBV_EVENT_QP_ACCESS_ERR);
}

static bool receive_write(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet,
			  const void *payload)
{
	if (packet->flags & SHCA_FIRST) {
		struct shca_region *region = NULL;

		if (!has_right(qp, IBV_ACCESS_REMOTE_WRITE)) {
			refuse(qp, link, SHCA_NAK_INVALID_REQUEST, IBV_EVENT_QP_REQ_ERR);
			return false;
		}
		if (packet->length) {
			region = shca_region_pin(qp->pd, packet->key, packet->address, packet->length,
						 IBV_ACCESS_REMOTE_WRITE);
			if (!region) {
				refuse_write(qp, link, packet);
				return false;
			}
			shca_region_unpin(region);
		}
		if (packet->flags & SHCA_IMMEDIATE && !take_receive(qp, link))
			return false;
	}
	if (packet->payload) {
		uint64_t to = packet->address + packet->offset;
		struct shca_region *region = shca_region_pin(qp->pd, packet->key, to, packet->payload,
							     IBV_ACCESS_REMOTE_WRITE);

		if (!region) {
			refuse_write(qp, link, packet);
			return false;
		}
		shca_copy(shca_region_at(region, to), payload, packet->payload);
		shca_region_unpin(region);
	}
	if (packet->flags & SHCA_LAST && packet->flags & SHCA_IMMEDIATE)
		complete_receive(qp, packet, IBV_WC_RECV_RDMA_WITH_IMM);
	return true;
}

static struct shca_response *add_response(struct shca_qp *qp, const struct shca_packet *packet)
{
	struct shca_response *response;

	if (qp->responses.next - qp->responses.first >= qp->responses.limit)
		return NULL;
	response = shca_response_at(&qp->responses, qp->responses.next++);
	response->psn = packet->psn;
	response->type = packet->type;
	response->sent = false;
	response->key = packet->key;
	response->address = packet->address;
	response->length = packet->length;
	response->offset = 0;
	return response;
}

static bool receive_read(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet)
{
	struct shca_region *region;

	if (!has_right(qp, IBV_ACCESS_REMOTE_READ)) {
		refuse(qp, link, SHCA_NAK_INVALID_REQUEST, IBV_EVENT_QP_REQ_ERR);
		return false;
	}
	if (packet->length) {
		region = shca_region_pin(qp->pd, packet->key, packet->address, packet->length, IBV_ACCESS_REMOTE_READ);
		if (!region) {
			refuse(qp, link, SHCA_NAK_REMOTE_ACCESS, IBV_EVENT_QP_ACCESS_ERR);
			return false;
		}
		shca_region_unpin(region);
	}
	if (!add_response(qp, packet)) {
		refuse(qp, link, SHCA_NAK_INVALID_REQUEST, IBV_EVENT_QP_REQ_ERR);
		return false;
	}
	return true;
}

/* Uses the real instruction, which is atomic towards every queue pair and towards the processor. */
static uint64_t apply_atomic(uint64_t *memory, uint8_t type, const uint64_t operands[2])
{
	uint64_t old = operands[0];

	if (type == SHCA_FETCH_ADD)
		return __atomic_fetch_add(memory, operands[0], __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n(memory, &old, operands[1], false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}

static bool receive_atomic(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet,
			   const void *payload)
{
	struct shca_response *response;
	struct shca_region *region;
	uint64_t operands[2];

	if (!has_right(qp, IBV_ACCESS_REMOTE_ATOMIC) || packet->payload != sizeof(operands) ||
	    packet->length != sizeof(uint64_t) || packet->address % sizeof(uint64_t)) {
		refuse(qp, link, SHCA_NAK_INVALID_REQUEST, IBV_EVENT_QP_REQ_ERR);
		return false;
	}
	memcpy(operands, payload, sizeof(operands));
	region = shca_region_pin(qp->pd, packet->key, packet->address, sizeof(uint64_t), IBV_ACCESS_REMOTE_ATOMIC);
	if (!region) {
		refuse(qp, link, SHCA_NAK_REMOTE_ACCESS, IBV_EVENT_QP_ACCESS_ERR);
		return false;
	}
	response = add_response(qp, packet);
	/* If iova and memory are aligned differently, there is no such instruction. */
	if (response && (uintptr_t)shca_region_at(region, packet->address) % sizeof(uint64_t) == 0)
		response->old = apply_atomic((uint64_t *)shca_region_at(region, packet->address), packet->type,
					     operands);
	else
		response = NULL;
	shca_region_unpin(region);
	if (!response)
		refuse(qp, link, SHCA_NAK_INVALID_REQUEST, IBV_EVENT_QP_REQ_ERR);
	return response != NULL;
}

/*
 * Repeats a response from its stored entry: a new entry would evict another one whose response may also be lost.
 * Returns false if there is no entry.
 */
static bool answer_again(struct shca_qp *qp, const struct shca_packet *packet)
{
	uint32_t i;

	for (i = 1; i <= qp->responses.limit && i <= qp->responses.next; i++) {
		uint32_t cursor = qp->responses.next - i;
		struct shca_response *response = shca_response_at(&qp->responses, cursor);

		if (response->psn != packet->psn || response->type != packet->type)
			continue;
		if (response->sent) {
			response->sent = false;
			response->offset = 0;
			if ((int32_t)(cursor - qp->responses.first) < 0)
				qp->responses.first = cursor;
		}
		return true;
	}
	return false;
}

/*
 * A request that was answered before: the answer was lost. Sends and writes are acknowledged again, but not executed
 * again. A read is executed again. An atomic is answered from its stored entry.
 */
static void receive_duplicate(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet)
{
	owe_acknowledgement(qp, link);
	switch (packet->type) {
	case SHCA_READ:
		if (!answer_again(qp, packet))
			receive_read(qp, link, packet);
		break;
	case SHCA_COMPARE_SWAP:
	case SHCA_FETCH_ADD:
		answer_again(qp, packet);
		break;
	default:
		shca_rc_of(qp)->ack_owed = true;
		break;
	}
}

static bool execute(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet, const void *payload)
{
	switch (packet->type) {
	case SHCA_SEND:
		return receive_send(qp, link, packet, payload);
	case SHCA_WRITE:
		return receive_write(qp, link, packet, payload);
	case SHCA_READ:
		return receive_read(qp, link, packet);
	default:
		return receive_atomic(qp, link, packet, payload);
	}
}

void shca_rc_responder_receive(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet,
			       const void *payload)
{
	bool in_segments = packet->type == SHCA_SEND || packet->type == SHCA_WRITE;
	struct shca_rc *rc = shca_rc_of(qp);
	int32_t ahead = shca_psn_distance(packet->psn, rc->expected_psn);

	if (!rc->has_received) {
		rc->has_received = true;
		if (qp->ibv.state == IBV_QPS_RTR)
			shca_qp_raise(qp, IBV_EVENT_COMM_EST);
	}
	if (ahead < 0) {
		receive_duplicate(qp, link, packet);
		return;
	}
	if (ahead == 0 && packet->flags & SHCA_FIRST) {
		rc->in_message = true;
		rc->message_offset = 0;
		rc->nak_sent = false;
	}
	if (ahead > 0 || !rc->in_message || packet->offset != rc->message_offset) {
		if (!rc->nak_sent)
			owe_nak(qp, link, SHCA_NAK_SEQUENCE);
		return;
	}
	if (in_segments && !is_whole(packet)) {
		refuse(qp, link, SHCA_NAK_INVALID_REQUEST, IBV_EVENT_QP_REQ_ERR);
		return;
	}
	if (!execute(qp, link, packet, payload))
		return;
	rc->message_offset += packet->payload;
	if (packet->flags & SHCA_LAST) {
		rc->in_message = false;
		rc->expected_psn = shca_psn_add(rc->expected_psn, 1);
		if (in_segments)
			rc->ack_owed = true;
	}
	owe_acknowledgement(qp, link);
}
