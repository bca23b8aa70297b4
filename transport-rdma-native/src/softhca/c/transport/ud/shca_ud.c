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

/*
 * Unreliable datagrams. A datagram completes for its sender as soon as it is sent, or would be. One without a
 * recipient, with a wrong Q_Key, to a queue pair without a receive, or longer than the next receive is lost, and takes
 * no receive.
 *
 * A ring that is full holds the send queue, as a port that is busy holds an adapter's. But a process that stands still
 * must not keep its peers from all others: an adapter would lose packets for it. So one datagram waits for a while,
 * then all that meet the full ring are lost, until there is room.
 *
 *	FREE ---- the ring is full ----> HELD ---- HOLD_NS ----> STUCK: lost at once
 *	  ^                               | room                   | room
 *	  +-------------------------------+------------------------+
 */
#include "transport/ud/shca_ud.h"

#include <string.h>

#include "address/shca_address_number.h"
#include "address/shca_network_header.h"
#include "base/shca_clock.h"
#include "device/shca_gid.h"
#include "memory/shca_region.h"
#include "personality/shca_personality.h"
#include "registry/shca_fabric.h"
#include "transport/srd/shca_srd.h"
#include "wire/shca_link.h"
#include "wire/shca_watch.h"

/* For a program that asks for none: a packet with a limit of 0 would go nowhere. */
#define HOP_LIMIT		64
/* Besides its data a packet has UDP's header, those of InfiniBand's transport, and its check. */
#define UDP_HEADER		8u
#define BASE_HEADER		12u
#define DATAGRAM_HEADER		8u
#define IMMEDIATE_HEADER	4u
#define CHECK			4u
#define WORD			4u

/* Longer than a process that runs is kept from a processor. */
#define HOLD_NS			1000000000ull
/* The peer may have stopped polling a moment ago; its helper thread would sleep on for longer. */
#define NUDGE_NS		10000000u

struct shca_ud {
	struct shca_qp qp;
	uint64_t held_since;		/* since when the next datagram finds no room; 0: it does not wait */
	struct shca_link *stuck;	/* the link whose ring had no room for too long; NULL: none */
	uint32_t stuck_life;
};

static struct shca_ud *ud_of(struct shca_qp *qp)
{
	return shca_container_of(qp, struct shca_ud, qp);
}

static struct shca_link *link_to(const struct shca_qp *qp, const struct shca_send *send)
{
	if (!shca_gid_is_local(&send->remote_gid))
		return NULL;
	return shca_link_to(shca_qp_links(qp), send->remote_qpn);
}

static void write_header(uint8_t *to, const struct shca_send *send)
{
	uint32_t data = (send->length + WORD - 1) / WORD * WORD;
	struct shca_network_header header = {
		.source = send->local_gid,
		.destination = send->remote_gid,
		.flow_label = send->flow_label,
		.traffic_class = send->traffic_class,
		.hop_limit = send->hop_limit ? send->hop_limit : HOP_LIMIT,
		.length = (uint16_t)(UDP_HEADER + BASE_HEADER + DATAGRAM_HEADER + data + CHECK +
				     (send->opcode == IBV_WR_SEND_WITH_IMM ? IMMEDIATE_HEADER : 0)),
	};

	static_assert(SHCA_NETWORK_HEADER == SHCA_GRH_SIZE, "the room in front of a datagram");
	shca_network_header_write(&header, to);
}

static enum ibv_wc_status fill(struct shca_qp *qp, const struct shca_send *send, uint8_t *to)
{
	struct shca_send_queue *sq = &qp->sq;

	write_header(to, send);
	if (send->flags & IBV_SEND_INLINE) {
		memcpy(to + SHCA_GRH_SIZE, shca_send_inline(sq, sq->next), send->length);
		return IBV_WC_SUCCESS;
	}
	return shca_gather(qp->pd, shca_send_sges(sq, sq->next), send->num_sge, 0, to + SHCA_GRH_SIZE, send->length);
}

/* The ring has no room. Returns whether the datagram waits for some; otherwise it is lost. */
static bool must_wait(struct shca_qp *qp, struct shca_link *link)
{
	struct shca_ud *ud = ud_of(qp);
	uint64_t now;

	if (ud->stuck == link && ud->stuck_life == link->life)
		return false;
	now = shca_now();
	if (!ud->held_since)
		ud->held_since = now;
	if (now - ud->held_since < HOLD_NS) {
		shca_watch_add(&qp->wire);
		return true;
	}
	ud->stuck = link;
	ud->stuck_life = link->life;
	return false;
}

enum sent { SENT, HELD };

/* Sets *status: that of the completion, if it is not held. A lost datagram counts as sent. */
static enum sent send_datagram(struct shca_qp *qp, struct shca_link *link, const struct shca_send *send,
			       enum ibv_wc_status *status)
{
	struct shca_ud *ud = ud_of(qp);
	struct shca_packet *packet;

	*status = IBV_WC_LOC_LEN_ERR;
	if (send->length > shca_personality()->max_datagram)
		return SENT;
	*status = IBV_WC_SUCCESS;
	/* A datagram that goes nowhere is checked first, too. */
	if (!(send->flags & IBV_SEND_INLINE))
		*status = shca_check_list(qp->pd, shca_send_sges(&qp->sq, qp->sq.next), send->num_sge, 0);
	if (*status != IBV_WC_SUCCESS || !link)
		return SENT;
	packet = shca_link_begin(link, &qp->wire, SHCA_GRH_SIZE + send->length);
	if (!packet)
		return must_wait(qp, link) ? HELD : SENT;
	if (ud->stuck == link)
		ud->stuck = NULL;
	shca_packet_start(packet, SHCA_DATAGRAM, qp->ibv.qp_num, send->remote_qpn, 0);
	packet->flags = SHCA_FIRST | SHCA_LAST | (send->opcode == IBV_WR_SEND_WITH_IMM ? SHCA_IMMEDIATE : 0) |
			(send->flags & IBV_SEND_SOLICITED ? SHCA_SOLICITED : 0);
	packet->length = SHCA_GRH_SIZE + send->length;
	packet->immediate = send->immediate;
	packet->key = send->remote_qkey;
	*status = fill(qp, send, shca_link_payload(link, packet));
	if (*status == IBV_WC_SUCCESS)
		shca_link_end(link, packet, 0);
	else
		shca_link_cancel(link);
	return SENT;
}

/* Enters SQE: sends are flushed until the application recovers, receives continue. */
static void fail_sends(struct shca_qp *qp, enum ibv_wc_status status)
{
	struct shca_send_queue *sq = &qp->sq;

	qp->ibv.state = IBV_QPS_SQE;
	while (sq->completed != sq->posted && qp->ibv.state == IBV_QPS_SQE) {
		sq->next = sq->acked = ++sq->completed;
		shca_qp_complete_send(qp, sq->completed - 1, status);
		status = IBV_WC_WR_FLUSH_ERR;
	}
}

static void transmit(struct shca_qp *qp)
{
	struct shca_send_queue *sq = &qp->sq;
	struct shca_link *last = NULL;

	if (qp->ibv.state == IBV_QPS_SQE && sq->completed != sq->posted)
		fail_sends(qp, IBV_WC_WR_FLUSH_ERR);
	while (sq->next != sq->posted && qp->ibv.state == IBV_QPS_RTS) {
		struct shca_send *send = shca_send_at(sq, sq->next);
		struct shca_link *link = link_to(qp, send);
		enum ibv_wc_status status;
		enum sent sent = send_datagram(qp, link, send, &status);

		if (last && link != last)
			shca_link_ring_doorbell(last);
		last = link;
		if (sent == HELD)
			break;
		/* Also where its process is gone. */
		ud_of(qp)->held_since = 0;
		if (status != IBV_WC_SUCCESS && !shca_personality()->fails_alone) {
			fail_sends(qp, status);
			break;
		}
		sq->completed = sq->acked = ++sq->next;
		shca_qp_complete_send(qp, sq->next - 1, status);
	}
	/*
	 * The link of the last datagram: the posting thread rings its doorbell, or drains it if it leads to this
	 * process.
	 */
	qp->link = last;
	shca_qp_report_drained(qp);
}

/* EFA leaves room for the header in the receive and says nothing of it: the completion names the sender. */
static void put_with_number(struct shca_qp *qp, struct shca_cqe *cqe, const void *payload)
{
	struct shca_network_header header = { .length = 0 };

	/* An invalid header has no address. */
	shca_network_header_read(payload, &header);
	cqe->slid = (uint16_t)shca_address_number_of(qp->pd, &header.source);
	shca_qp_put_from(qp, cqe, &header.source);
}

static void receive(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet, const void *payload)
{
	uint32_t pd = qp->srq ? qp->srq->pd : qp->pd;
	struct shca_receive *receive = &qp->receive;
	struct shca_cqe cqe;

	/* Both kinds of datagrams are sent to a number alone, which may belong to the other kind. */
	if (SHCA_UNLIKELY(shca_srd_is_request(packet))) {
		shca_srd_refuse(link, packet, payload);
		return;
	}
	if (packet->type != SHCA_DATAGRAM || packet->key != qp->attr.qkey || qp->ibv.state < IBV_QPS_RTR ||
	    qp->ibv.state == IBV_QPS_ERR || packet->payload < SHCA_GRH_SIZE || packet->payload != packet->length)
		return;
	receive->sges = qp->receive_sges;
	if (!shca_qp_take_receive(qp, packet->length, receive))
		return;
	shca_qp_start_receive_cqe(qp, receive, &cqe);
	cqe.opcode = IBV_WC_RECV;
	cqe.status = shca_scatter(pd, receive->sges, receive->num_sge, 0, payload, packet->length,
				  IBV_ACCESS_LOCAL_WRITE);
	if (cqe.status == IBV_WC_SUCCESS) {
		shca_cqe_set_received(&cqe, packet);
		cqe.src_qp = packet->source;
		if (!shca_personality()->connected) {
			put_with_number(qp, &cqe, payload);
			return;
		}
		cqe.wc_flags |= IBV_WC_GRH;
	}
	shca_qp_put(qp, qp->recv_cq, &cqe);
	if (cqe.status != IBV_WC_SUCCESS && !shca_personality()->fails_alone)
		shca_qp_fail(qp, -1);
}

static void entered(struct shca_qp *qp, enum ibv_qp_state from, enum ibv_qp_state to)
{
	struct shca_ud *ud = ud_of(qp);

	(void)from;
	if (to == IBV_QPS_SQD)
		qp->sq.drain_reported = false;
	if (to == IBV_QPS_RESET || to == IBV_QPS_ERR) {
		ud->held_since = 0;
		ud->stuck = NULL;
	}
}

/* Datagrams have no acknowledgements. */
static bool acknowledge(struct shca_qp *qp)
{
	(void)qp;
	return true;
}

/* The only timer is that of a datagram which waits for room. */
static uint64_t tick(struct shca_qp *qp, uint64_t now)
{
	struct shca_ud *ud = ud_of(qp);

	if (!ud->held_since || qp->ibv.state != IBV_QPS_RTS)
		return 0;
	transmit(qp);
	if (!ud->held_since)
		return 0;
	shca_link_nudge(qp->link);
	return now + NUDGE_NS;
}

const struct shca_qp_type_ops shca_ud_ops = {
	.type = IBV_QPT_UD,
	.size = sizeof(struct shca_ud),
	.send_ops = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM,
	.entered = entered,
	.transmit = transmit,
	.receive = receive,
	.acknowledge = acknowledge,
	.tick = tick,
};
