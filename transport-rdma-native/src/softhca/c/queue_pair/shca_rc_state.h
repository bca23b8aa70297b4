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
 * The state that a queue pair stores for its transport. transport/ says what it means; the queue pair itself only
 * allocates and resets it.
 */
#ifndef SHCA_RC_STATE_H
#define SHCA_RC_STATE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "queue/shca_receive_queue.h"

struct shca_link;

/* A read or atomic that the responder has to answer, or has answered and may have to answer again. */
struct shca_response {
	uint32_t psn;
	uint8_t type;			/* SHCA_READ, SHCA_COMPARE_SWAP, SHCA_FETCH_ADD */
	bool sent;
	uint32_t key;
	uint64_t address;
	uint32_t length;
	uint32_t offset;		/* bytes sent so far */
	uint64_t old;			/* of an atomic: the old value in the memory's byte order */
};

/* Reliable connection, both roles. */
struct shca_rc {
	/* requester */
	struct shca_link *link;		/* to the peer's process; NULL before it is dialled */
	uint32_t link_life;
	uint64_t wait_until;		/* RNR: nothing is sent before this time; 0: not waiting */
	uint64_t begin_at;		/* this and the next two: set by faults, see transport/rc/shca_rc_late.c */
	uint64_t ack_at;		/* when the acknowledgement of late_psn takes effect; 0: none is late */
	uint32_t late_psn;
	uint64_t stalled_since;		/* for the ack timer; only shca_qp_tick reads the clock */
	uint32_t acked_at_tick;
	uint8_t retries;		/* left */
	uint8_t rnr_retries;		/* left; 7 means for ever */
	uint8_t peer_wakers;		/* from its last packet */
	/* responder */
	uint32_t expected_psn;
	uint32_t message_offset;	/* bytes of the current message received so far */
	bool in_message;
	bool nak_sent;			/* the sequence error was reported: not again before it is resolved */
	bool heard;			/* a message has arrived: see client_speaks_first */
	bool accepted;			/* this is the accepting side */
	bool receiving;			/* receive holds the receive of the current message */
	struct shca_receive receive;
	struct ibv_sge *receive_sges;
	struct shca_response *responses;	/* ring of response_mask + 1: a power of two, as cursors wrap around */
	uint32_t response_mask;
	uint32_t response_count;		/* max_dest_rd_atomic: at most so many at a time */
	uint32_t responses_first;	/* oldest that is to be sent, for the first time or again */
	uint32_t responses_next;	/* free-running */
	/* owed by the responder, besides responses: both carry the expected_psn of the time they are sent */
	bool ack_owed;
	bool nak_owed;
	uint8_t nak_syndrome;
	struct shca_link *ack_link;	/* the link that brought the last request */
};

/* Unreliable datagrams. */
struct shca_ud {
	uint64_t held_since;		/* since when the next datagram finds no room; 0: it does not wait */
	struct shca_link *stuck;	/* the link whose ring had no room for too long; NULL: none */
	uint32_t stuck_life;
};

#endif
