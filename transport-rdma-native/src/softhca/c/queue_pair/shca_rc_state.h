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
 * What a queue pair remembers for its transport. What it means is in transport/; the queue pair itself only makes room
 * for it, and empties it.
 */
#ifndef SHCA_RC_STATE_H
#define SHCA_RC_STATE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "queue/shca_receive_queue.h"

struct shca_link;

/* A read or an atomic that the responder answers, or has answered and may have to answer again. */
struct shca_response {
	uint32_t psn;
	uint8_t type;			/* SHCA_READ, SHCA_COMPARE_SWAP, SHCA_FETCH_ADD */
	bool sent;
	uint32_t key;
	uint64_t address;
	uint32_t length;
	uint32_t offset;		/* bytes sent so far */
	uint64_t old;			/* of an atomic, big as the memory had it */
};

/* Reliable connection, both roles. */
struct shca_rc {
	/* requester */
	struct shca_link *link;		/* to the peer's process; NULL until dialled */
	uint32_t link_life;
	uint64_t wait_until;		/* RNR: nothing is sent before; 0: not waiting */
	uint64_t begin_at;		/* this and the next two: by faults, see transport/shca_rc_late.c */
	uint64_t ack_at;		/* the acknowledgement of late_psn counts then; 0: there is none */
	uint32_t late_psn;
	uint64_t stalled_since;		/* for the ack timer; only shca_qp_tick reads the clock */
	uint32_t acked_at_tick;
	uint8_t retries;		/* left */
	uint8_t rnr_retries;		/* left; 7 is for ever */
	/* responder */
	uint32_t expected_psn;
	uint32_t message_offset;	/* bytes of the current message that have come */
	bool in_message;
	bool nak_sent;			/* the sequence error was told: not again until it mends */
	bool heard;			/* a message has come: see client_speaks_first */
	bool accepted;			/* the side that accepted */
	bool receiving;			/* receive holds what the current message consumes */
	struct shca_receive receive;
	struct ibv_sge *receive_sges;
	struct shca_response *responses;	/* ring of response_mask + 1: a power of two, as cursors wrap around */
	uint32_t response_mask;
	uint32_t response_count;		/* max_dest_rd_atomic: of so many at a time */
	uint32_t responses_first;	/* oldest that is not sent, or is to be sent again */
	uint32_t responses_next;	/* free-running */
	/* what the responder owes, besides responses: both say expected_psn when they are sent */
	bool ack_owed;
	bool nak_owed;
	uint8_t nak_syndrome;
	struct shca_link *ack_link;	/* by which the last request came */
};

#endif
