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
 * Reliable connection: what its two halves, shca_rc_requester.c with shca_rc_transmit.c and shca_rc_responder.c, share,
 * with shca_rc.c between them. All of it runs with the queue pair's lock held.
 *
 *    requester                                responder
 *    SEND, WRITE: segments of one psn  ---->  copied as they arrive; the last one completes
 *    READ, atomics                     ---->  a response is queued
 *                                      <----  READ_DATA ..., ATOMIC_OLD, in order of the requests
 *                                      <----  ACK of all so far, once per batch of packets
 *                                      <----  NAK: retransmit from psn, or the request fails
 *
 * Cursors of the send queue and message numbers correspond: psn = sq_psn + cursor.
 */
#ifndef SHCA_RC_H
#define SHCA_RC_H

#include "queue_pair/shca_queue_pair.h"
#include "wire/shca_link.h"

extern const struct shca_qp_type_ops shca_rc_ops;

/* A queue pair of this type, in both roles. */
struct shca_rc {
	struct shca_qp qp;
	/* requester */
	uint32_t link_life;
	uint64_t wait_until;		/* RNR: nothing is sent before this time; 0: not waiting */
	uint64_t begin_at;		/* this and the next two: set by faults, see shca_rc_late.c */
	uint64_t ack_at;		/* when the acknowledgement of late_psn takes effect; 0: none is late */
	uint32_t late_psn;
	uint64_t stalled_since;		/* for the ack timer; only shca_qp_tick reads the clock */
	uint32_t acked_at_tick;
	uint8_t retries;		/* left */
	uint8_t rnr_retries;		/* left; 7 means without limit */
	uint8_t peer_wakers;		/* from its last packet */
	/* responder */
	uint32_t expected_psn;
	uint32_t message_offset;	/* bytes of the current message received so far */
	bool in_message;
	bool nak_sent;			/* the sequence error was reported: not again before it is resolved */
	bool has_received;			/* a message has arrived: see client_speaks_first */
	/* owed by the responder, besides responses: both carry the expected_psn of the time they are sent */
	bool ack_owed;
	bool nak_owed;
	uint8_t nak_syndrome;
};

static inline struct shca_rc *shca_rc_of(const struct shca_qp *qp)
{
	return shca_container_of(qp, struct shca_rc, qp);
}

/* Finds the cursor of the work request with that psn, if it was sent and is not acknowledged. */
bool shca_rc_in_flight(const struct shca_qp *qp, uint32_t psn, uint32_t *cursor);

void shca_rc_transmit(struct shca_qp *qp);
int shca_rc_reach(struct shca_qp *qp);
/*
 * Fails a send, when all sends before cursor are settled. If it has completed already, only the flush of the others
 * shows the failure.
 */
void shca_rc_fail_send(struct shca_qp *qp, uint32_t cursor, enum ibv_wc_status status);
/* The peer has all messages up to psn. */
void shca_rc_acknowledged(struct shca_qp *qp, uint32_t psn);
uint64_t shca_rc_tick(struct shca_qp *qp, uint64_t now);
void shca_rc_requester_receive(struct shca_qp *qp, const struct shca_packet *packet, const void *payload);

void shca_rc_responder_receive(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet,
			       const void *payload);
bool shca_rc_acknowledge(struct shca_qp *qp);

/* ---- delays by faults: shca_rc_late.c ---- */

/* A request was posted. */
void shca_rc_begin_late(struct shca_qp *qp);
/* Whether the next work request, which completes before it is sent, is read from memory only when it is sent. */
bool shca_rc_reads_late(struct shca_qp *qp, const struct shca_send *send);
/* Whether that acknowledgement takes effect later. */
bool shca_rc_acknowledges_late(struct shca_qp *qp, uint32_t psn);
/* Does what is due. Returns the next deadline, or 0. */
uint64_t shca_rc_late_tick(struct shca_qp *qp, uint64_t now);

static inline uint32_t shca_rc_psn_of(const struct shca_qp *qp, uint32_t cursor)
{
	return shca_psn_add(qp->attr.sq_psn, cursor);
}

/* Reads and atomics, whose responses carry data. */
static inline bool shca_rc_is_answered(const struct shca_send *send)
{
	return send->opcode == IBV_WR_RDMA_READ || send->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       send->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/*
 * Whether the request has completed before it was acknowledged. Its bytes are kept: it counts as sent, and may have to
 * be sent again.
 */
static inline bool shca_rc_is_complete(const struct shca_send_queue *sq, uint32_t cursor)
{
	return (int32_t)(cursor - sq->completed) < 0;
}

/* The time of the ack timer in ns; 0: it never ends. */
static inline uint64_t shca_rc_timeout(const struct shca_qp *qp)
{
	return qp->attr.timeout ? 4096ull << qp->attr.timeout : 0;
}

/* Starts a packet to the queue pair's peer. */
static inline void shca_rc_address(const struct shca_qp *qp, struct shca_packet *packet, enum shca_packet_type type,
				   uint32_t psn)
{
	shca_packet_start(packet, type, qp->ibv.qp_num, qp->attr.dest_qp_num, psn);
	packet->wakers = (uint8_t)(shca_cq_waker(qp->recv_cq) | shca_cq_waker(qp->send_cq) << 4);
}

/* The peer's wakers: of messages, and of answers. */
static inline uint32_t shca_rc_message_waker(const struct shca_qp *qp)
{
	return shca_rc_of(qp)->peer_wakers & 15;
}

static inline uint32_t shca_rc_answer_waker(const struct shca_qp *qp)
{
	return shca_rc_of(qp)->peer_wakers >> 4;
}

#endif
