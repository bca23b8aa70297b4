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
 * Scalable reliable datagrams, as Amazon's EFA has them: every work request names its destination, is delivered at most
 * once, and completes by itself, in any order. An error belongs to one request; the queue pair goes on.
 *
 *    requester                                       responder
 *
 *    request copied from the send queue
 *    into a table; index and generation
 *    name it from now on
 *    SEND                              ---------->   takes a receive, completes it, remembers index and generation
 *    WRITE: segments in any order      ---------->   copies them; when all bytes of this attempt are there: takes a
 *                                                    receive if there is an immediate, remembers
 *    READ                              ---------->   checks key and range
 *                                      <----------   DATA: segments in any order
 *    completes                         <----------   ANSWER: enum shca_srd_status, owed until the batch of packets ends
 *      RNR: waits, then the next attempt
 *    no answer and nothing in flight: the next attempt; the responder answers it from memory if it has executed it
 *
 * A request and its packets:
 *
 *    FREE --> READY --> SENT --> FREE: completed, by an answer or an error found here
 *               ^        | |
 *               +--------+ +--> WAITING, for the peer to post a receive
 *               ^ no answer         |
 *               +-------------------+
 *
 * The rings lose nothing, so attempts repeat only because of a missing receive, a fault, or a peer that could not
 * answer because its ring was full.
 *
 * All of it runs with the queue pair's lock held. The files: shca_srd_requester.c, _transmit.c, _responder.c,
 * _answer.c, _source.c, and shca_srd.c around them.
 */
#ifndef SHCA_SRD_H
#define SHCA_SRD_H

#include <assert.h>

#include "queue_pair/shca_queue_pair.h"
#include "wire/shca_link.h"

/* The device's own codes, which completions return as vendor_err: enum efa_io_comp_status of rdma-core. */
enum shca_srd_status {
	SHCA_SRD_OK = 0,
	SHCA_SRD_FLUSHED = 1,
	SHCA_SRD_INVALID_LKEY = 5,
	SHCA_SRD_LOCAL_LENGTH = 6,
	SHCA_SRD_BAD_ADDRESS = 7,
	SHCA_SRD_ABORT = 8,
	SHCA_SRD_BAD_DEST_QPN = 9,
	SHCA_SRD_RNR = 10,
	SHCA_SRD_REMOTE_LENGTH = 11,
	SHCA_SRD_BAD_STATUS = 12,
	SHCA_SRD_UNRESPONSIVE = 13,
	SHCA_SRD_UNKNOWN_PEER = 14,
	SHCA_SRD_UNREACHABLE = 15,
};

/*
 * In front of a request's payload, as the header of a packet has no room for it. The packet says: psn, the index of the
 * request; key and address, those of remote memory; offset and length.
 */
struct shca_srd_header {
	union ibv_gid source;
	uint32_t qkey;
	uint32_t epoch;		/* of the queue pair: another one has its number now, or it was reset */
	uint32_t generation;	/* of the index */
	uint32_t attempt;
};

static_assert(sizeof(struct shca_srd_header) <= SHCA_GRH_SIZE, "a ring has room for a segment and a GRH");

/*
 * An answer has psn, the index; syndrome, enum shca_srd_status; key, the attempt; address, generation << 32 | epoch.
 * DATA has offset and length of the read as well.
 */
static inline uint64_t shca_srd_name(uint32_t generation, uint32_t epoch)
{
	return (uint64_t)generation << 32 | epoch;
}

enum shca_srd_state { SHCA_SRD_FREE, SHCA_SRD_READY, SHCA_SRD_SENT, SHCA_SRD_WAITING };

/* A request that was taken from the send queue. Its SGEs and inline bytes are in arrays of their own. */
struct shca_srd_request {
	struct shca_send send;
	enum shca_srd_state state;
	bool is_unanswered;		/* the fault "unresponsive": its answers count as lost */
	uint32_t generation;
	uint32_t attempt;
	uint32_t first_segment;		/* the segments of an attempt are sent from this one on, around the end */
	uint32_t segments_sent;
	uint32_t received;		/* bytes of a read, in this attempt */
	uint32_t not_ready;		/* how often the peer had no receive */
	uint32_t losses;
	struct shca_link *link;
	uint32_t link_life;
	uint64_t deadline;		/* SENT: then it counts as lost; WAITING: the next attempt */
};

#define SHCA_SRD_ANSWERS	256u
#define SHCA_SRD_BUCKETS	64u

/* An answer that is owed to the sender of a request. */
struct shca_srd_answer {
	struct shca_link *link;
	uint32_t link_life;
	uint32_t qpn;
	uint32_t index;
	uint32_t attempt;
	uint64_t name;
	uint8_t status;
	uint8_t waker;
	bool is_data;			/* of a read, with key, address and length */
	uint32_t key;
	uint64_t address;
	uint32_t length;
	uint32_t first_segment;
	uint32_t segments_sent;
};

enum shca_srd_progress { SHCA_SRD_OPEN, SHCA_SRD_DONE, SHCA_SRD_REFUSED };

/* The responder's record of an index of a sender: its newest request. */
struct shca_srd_record {
	uint32_t generation;		/* 0: none so far */
	uint32_t attempt;
	uint32_t received;		/* bytes of a write, in this attempt */
	enum shca_srd_progress progress;
};

struct shca_srd_source {
	struct shca_srd_source *next;
	uint32_t qpn;
	uint32_t epoch;
	struct shca_srd_record records[];	/* one for each index that a sender may have */
};

/* A queue pair of this type. */
struct shca_srd {
	struct shca_qp qp;
	/* requester: tables of as many entries as the send queue has */
	struct shca_srd_request *requests;
	struct ibv_sge *sges;
	uint8_t *inline_data;
	uint32_t depth;
	uint32_t *free;			/* stack of indexes */
	uint32_t free_count;
	uint32_t *ready;		/* indexes in state READY, oldest first */
	uint32_t ready_count;
	uint32_t epoch;
	/* responder */
	struct shca_srd_source *sources[SHCA_SRD_BUCKETS];
	struct shca_srd_answer answers[SHCA_SRD_ANSWERS];
	uint32_t answer_count;
};

static inline struct shca_srd *shca_srd_of(const struct shca_qp *qp)
{
	return shca_container_of(qp, struct shca_srd, qp);
}

static inline bool shca_srd_is_request(const struct shca_packet *packet)
{
	return packet->type >= SHCA_SRD_SEND && packet->type <= SHCA_SRD_READ;
}

static inline struct ibv_sge *shca_srd_sges(const struct shca_qp *qp, uint32_t index)
{
	return &shca_srd_of(qp)->sges[(size_t)index * qp->sq.max_sge];
}

static inline uint8_t *shca_srd_inline(const struct shca_qp *qp, uint32_t index)
{
	return &shca_srd_of(qp)->inline_data[(size_t)index * qp->sq.max_inline];
}

static inline uint32_t shca_srd_segments(uint32_t length)
{
	return length ? (length + SHCA_SEGMENT - 1) / SHCA_SEGMENT : 1;
}

/* ---- shca_srd.c ---- */

enum ibv_wc_status shca_srd_wc_status(enum shca_srd_status status);

/* ---- requester: shca_srd_requester.c ---- */

void shca_srd_complete(struct shca_qp *qp, uint32_t index, enum shca_srd_status status);
/* Completes all requests, taken or not. */
void shca_srd_flush(struct shca_qp *qp);
void shca_srd_answered(struct shca_qp *qp, const struct shca_packet *packet);
void shca_srd_data(struct shca_qp *qp, const struct shca_packet *packet, const void *payload);
uint64_t shca_srd_tick(struct shca_qp *qp, uint64_t now);

/* ---- requester: shca_srd_transmit.c ---- */

void shca_srd_transmit(struct shca_qp *qp);
/* The request is to be sent as a whole, for the first time or again. */
void shca_srd_begin_attempt(struct shca_qp *qp, uint32_t index);

/* ---- responder: shca_srd_responder.c ---- */

void shca_srd_request(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet,
		      const void *payload);

/* ---- responder: shca_srd_answer.c ---- */

/* Whether one more answer can be owed. If not, the request must not be executed: it comes again. */
bool shca_srd_may_owe(struct shca_qp *qp);
struct shca_srd_answer *shca_srd_owe_answer(struct shca_qp *qp, struct shca_link *link,
					    const struct shca_packet *packet, const struct shca_srd_header *header,
					    enum shca_srd_status status);
bool shca_srd_acknowledge(struct shca_qp *qp);
/* Answers that there is no such queue pair, for one that does not exist or is of another type. */
void shca_srd_refuse(struct shca_link *link, const struct shca_packet *packet, const void *payload);

/* ---- responder: shca_srd_source.c ---- */

/* The records of that sender. NULL if there is no memory. */
struct shca_srd_source *shca_srd_source_of(struct shca_srd *srd, uint32_t qpn, uint32_t epoch);
/* How many requests a sender may have in flight. */
uint32_t shca_srd_max_index(void);
void shca_srd_forget_sources(struct shca_srd *srd);

/* ---- for shca_transport.c ---- */

extern const struct shca_qp_type_ops shca_srd_ops;
/* A packet for a queue pair that does not exist: notifies the sender. */
void shca_srd_no_queue_pair(struct shca_link *link, const struct shca_packet *packet, const void *payload);

#endif
