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
 * Queue pairs, as transports and connection management use them. The locks around them, and their order:
 *
 *    table of queue pairs > link->rx_lock > qp->lock > srq->lock
 *                                                    > cq->lock > channel->lock
 *                                                    > table of processes and links > link->tx_lock > process->lock
 *                                                    > context->events.lock
 *
 * A lock to the right may be taken while one to the left is held, never the reverse. cq->poll_lock is to the left of
 * all: an application holds it from ibv_start_poll to ibv_end_poll, and may post meanwhile.
 */
#ifndef SHCA_QUEUE_PAIR_H
#define SHCA_QUEUE_PAIR_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "queue/shca_completion_queue.h"
#include "queue/shca_receive_queue.h"
#include "queue/shca_response_queue.h"
#include "queue/shca_send_queue.h"
#include "queue/shca_shared_receive_queue.h"
#include "wire/shca_wire_user.h"

struct shca_link;
struct shca_packet;
struct shca_qp_type_ops;

struct shca_qp {
	union {
		struct ibv_qp ibv;
		struct ibv_qp_ex ex;
	};
	const struct shca_qp_type_ops *ops;
	pthread_mutex_t lock;
	uint32_t pd;			/* number of its protection domain */
	bool sq_sig_all;
	bool extended;
	struct ibv_qp_cap cap;
	uint64_t send_ops_flags;
	struct ibv_qp_attr attr;	/* set by modify so far; attr.qp_state is unused: ibv.state is valid */
	struct shca_send_queue sq;
	struct shca_receive_queue rq;	/* depth 0 with a shared receive queue */
	struct shca_srq *srq;
	struct shca_cq *send_cq;
	struct shca_cq *recv_cq;
	struct shca_response_queue responses;
	struct shca_link *link;		/* of its requests, or of the last one; NULL: none yet */
	struct shca_link *answer_link;	/* that brought the last request */
	bool receiving;			/* receive has the receive of a message that has come in part */
	struct shca_receive receive;
	struct ibv_sge *receive_sges;
	bool accepted;			/* of a connection: this is the accepting side */
	/* the ibv_wr_* session: shca_ibv_wr.c */
	uint32_t session_posted;
	int session_error;
	_Atomic uint32_t calls;		/* that change or query it and have not returned: shca_call.h */
	uint32_t async_events;		/* fetched; under the lock of the context's event queue */
	struct shca_wire_user wire;
};

/* The functions that differ between the types of queue pairs. A new type is one file with one of these tables. */
struct shca_qp_type_ops {
	enum ibv_qp_type type;
	size_t size;			/* of its structure, which begins with struct shca_qp and is zeroed at first */
	uint64_t send_ops;		/* supported enum ibv_qp_create_send_ops_flags */
	/* Makes and frees what only this type has; NULL: nothing. create returns false when there is no memory. */
	bool (*create)(struct shca_qp *qp);
	void (*destroy)(struct shca_qp *qp);
	/*
	 * Before it may send: makes the link to the connected peer, so that what this process lacks is an error of this
	 * call. Returns 0 or an errno. Lock held. NULL: it has no one peer.
	 */
	int (*reach)(struct shca_qp *qp);
	/* Called on entering a state. Lock held. */
	void (*entered)(struct shca_qp *qp, enum ibv_qp_state from, enum ibv_qp_state to);
	/* Something was posted, and a fault may delay its execution. Lock held. NULL: no such fault. */
	void (*begin_late)(struct shca_qp *qp);
	/* Sends posted requests as far as possible. Lock held. */
	void (*transmit)(struct shca_qp *qp);
	/* Handles a packet; payload has packet->payload bytes. Lock held. */
	void (*receive)(struct shca_qp *qp, struct shca_link *link, const struct shca_packet *packet,
			const void *payload);
	/* Sends the acknowledgement that is owed. Returns false if the ring is full. Lock held. */
	bool (*acknowledge)(struct shca_qp *qp);
	/* Whether nothing is left of the requests that were sent. Lock held. NULL: the cursors of the queue say it. */
	bool (*is_drained)(const struct shca_qp *qp);
	/* Runs the timers. Returns the next deadline, 0 when nothing is outstanding. Lock held. */
	uint64_t (*tick)(struct shca_qp *qp, uint64_t now);
};

/* The links of its context. */
struct shca_link_set *shca_qp_links(const struct shca_qp *qp);
/*
 * Finds a queue pair of this process by its number, and keeps it from being destroyed until shca_qp_release, if not
 * NULL. Taken before any queue pair's lock.
 */
struct shca_qp *shca_qp_hold(uint32_t number);
void shca_qp_release(void);
bool shca_qp_exists(uint32_t number);

/*
 * Enters the error state and flushes the queues in order. Raises event, unless it is -1. Does nothing in the error
 * state. Lock held.
 */
void shca_qp_fail(struct shca_qp *qp, int event);
/*
 * iWARP: whether queue pairs have failed since the last call. Their connections end then, with DISCONNECTED at both
 * ends. Connection management asks at each tick; a failure makes the next one come soon.
 */
bool shca_qp_take_failures(void);
/* As shca_qp_fail, when connection management has ended the connection. */
void shca_qp_connection_ended(struct shca_qp *qp);
/* Completes all queued work requests as flushed, oldest first. In state ERR, lock held. */
void shca_qp_flush(struct shca_qp *qp);
/* Puts a send's completion. Polling it frees the slots up to and including cursor's. Lock held. */
void shca_qp_complete_send(struct shca_qp *qp, uint32_t cursor, enum ibv_wc_status status);
/* Fills the fields that all receive completions have (wr_id, qp_num, slots, owner). */
void shca_qp_start_receive_cqe(struct shca_qp *qp, const struct shca_receive *receive, struct shca_cqe *cqe);
/* Puts a receive's completion that names the GID of the sender. Lock held. */
void shca_qp_put_from(struct shca_qp *qp, const struct shca_cqe *cqe, const union ibv_gid *source);
/* Fills a receive's completion from the last packet of the message. */
void shca_cqe_set_received(struct shca_cqe *cqe, const struct shca_packet *packet);
/* Raises an asynchronous event. */
void shca_qp_raise(struct shca_qp *qp, enum ibv_event_type type);
/* In SQD: raises the event, once, when nothing is outstanding any more. Lock held. */
void shca_qp_report_drained(struct shca_qp *qp);
/* Puts a completion into one of its queues. Fails the queue pair if that queue has overrun. Lock held. */
void shca_qp_put(struct shca_qp *qp, struct shca_cq *cq, const struct shca_cqe *cqe);
/*
 * Copies the next receive, from its own or the shared queue, into the caller's memory. Returns false if none is posted,
 * or if the next one has less room than least; it stays then.
 */
bool shca_qp_take_receive(struct shca_qp *qp, uint32_t least, struct shca_receive *into);
/* Whether a receive is posted that has memory. Those before it that have none are used up. Lock held. */
const struct shca_receive *shca_qp_peek_receive(struct shca_qp *qp);

/* After posting, without locks: sends, and handles the packets too when the peer is this process. */
void shca_qp_kick(struct shca_qp *qp);

/* Creates a queue pair of the type of ops; NULL: the device has no such type. Returns NULL with errno set. */
struct ibv_qp *shca_qp_new(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
			   const struct shca_qp_type_ops *ops);
/* The same request in the extended form, with nothing that only that form has but the protection domain. */
struct ibv_qp_init_attr_ex shca_extended(struct ibv_pd *pd, const struct ibv_qp_init_attr *attr);

/* ibv_modify_qp without its fault; rdma_cm uses it, too. */
int shca_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
/*
 * Moves from INIT to RTS in one step, where only rdma_cm connects queue pairs (iWARP). Returns 0 or an errno. accepted:
 * this is the accepting side, which sends second where the personality has client_speaks_first.
 */
int shca_qp_connect(struct shca_qp *qp, uint32_t remote_qpn, const union ibv_gid *remote_gid, uint32_t sq_psn,
		    uint32_t rq_psn, uint8_t initiator_depth, uint8_t responder_resources, bool accepted);

/* ---- for the function tables of a context ---- */

/* shca_ibv_post.c */
int shca_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int shca_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);

static inline struct shca_qp *to_shca_qp(struct ibv_qp *qp)
{
	return shca_container_of(qp, struct shca_qp, ibv);
}

#endif
