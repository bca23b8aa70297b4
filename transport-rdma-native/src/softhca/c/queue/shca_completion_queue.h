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
 * Completion queues and their channels, and what the two ways to poll share: ibv_poll_cq, and the polling of ibv_cq_ex.
 */
#ifndef SHCA_COMPLETION_QUEUE_H
#define SHCA_COMPLETION_QUEUE_H

#include <assert.h>
#include <infiniband/efadv.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/shca_event_queue.h"
#include "base/shca_util.h"

struct shca_link_set;
struct shca_qp;

struct shca_channel {
	struct ibv_comp_channel ibv;
	struct shca_event_queue queue;	/* of struct shca_cq */
	_Atomic uint32_t waker;		/* see wire/shca_waker.h; 0: none yet */
	_Atomic uint32_t users;
};

/* slid, where no address handle leads back to the sender. */
#define SHCA_UNKNOWN_SENDER	0xffffu

/* One completion, with what is needed to free the slots of its work request when it is polled. */
struct shca_cqe {
	uint64_t wr_id;
	uint32_t byte_len;
	uint32_t immediate;
	uint32_t qp_num;
	uint32_t src_qp;
	uint32_t wc_flags;		/* enum ibv_wc_flags */
	uint32_t vendor_err;
	uint32_t slots;			/* send: value for sq.freed; receive: 1 slot is freed */
	uint8_t status;			/* enum ibv_wc_status */
	uint8_t opcode;			/* enum ibv_wc_opcode */
	uint8_t sl;
	bool solicited;
	bool is_shared;			/* freed belongs to a shared receive queue */
	bool in_any_order;		/* of SRD: 1 slot is freed, and neighbours of its kind may be swapped */
	uint16_t slid;			/* of EFA: number of the address handle for the sender */
	struct shca_qp *qp;		/* its queue pair; NULL after that was destroyed */
	_Atomic uint32_t *freed;	/* of the queue whose slots are freed; NULL: it does not exist any more */
};

enum shca_cq_arm { SHCA_CQ_IDLE, SHCA_CQ_ARMED_SOLICITED, SHCA_CQ_ARMED };

/* struct efadv_cq of libefa, of which the header may have less: version 52 has added the last, which is NULL here. */
struct shca_cq_efa {
	uint64_t comp_mask;
	int (*wc_read_sgid)(struct efadv_cq *cq, union ibv_gid *sgid);
	bool (*wc_is_unsolicited)(struct efadv_cq *cq);
};

static_assert(offsetof(struct shca_cq_efa, wc_read_sgid) == offsetof(struct efadv_cq, wc_read_sgid) &&
	      sizeof(struct shca_cq_efa) >= sizeof(struct efadv_cq), "programs find the same");

struct shca_cq {
	union {
		struct ibv_cq ibv;
		struct ibv_cq_ex ex;
	};
	pthread_mutex_t poll_lock;	/* held from start_poll to end_poll, unless single_threaded */
	pthread_mutex_t lock;		/* for everything else here; held briefly */
	struct shca_cqe *ring;
	union ibv_gid *sources;		/* one for each entry of ring; NULL: the program does not ask for them */
	union ibv_gid current_source;
	struct shca_cq_efa efa;
	uint32_t mask;			/* slots of ring - 1; at most ibv.cqe of them are used */
	_Atomic uint32_t head;		/* next to poll */
	_Atomic uint32_t tail;		/* next to put */
	struct shca_link_set *links;	/* of its context */
	enum shca_cq_arm arm;
	bool overrun;			/* IBV_EVENT_CQ_ERR was raised; no completion is accepted any more */
	bool single_threaded;		/* an extended poll takes no lock */
	_Atomic bool in_use;		/* from start_poll to end_poll, if single_threaded */
	_Atomic uint32_t users;		/* queue pairs; destroy refuses while there are any */
	uint32_t channel_events, async_events;	/* fetched from channel and context; under their event queues' locks */
	bool polling;			/* from start_poll to end_poll: current is valid */
	struct shca_cqe current;	/* already out of the ring; its slots are freed when polling continues */
};

/*
 * Puts a completion, and wakes the channel if the queue is armed for it. Returns false when the queue is full or has
 * overrun before: IBV_EVENT_CQ_ERR was raised then, and the caller puts its queue pair into the error state.
 */
bool shca_cq_put(struct shca_cq *cq, const struct shca_cqe *cqe);
/* The same for a completion that names the GID of its sender, if the queue was created for that. */
bool shca_cq_put_from(struct shca_cq *cq, const struct shca_cqe *cqe, const union ibv_gid *source);
/* Removes the completions of a queue pair that is reset or destroyed. */
void shca_cq_forget(struct shca_cq *cq, struct shca_qp *qp);
/* Keeps the completions, but removes their references to the queue pair. */
void shca_cq_orphan(struct shca_cq *cq, struct shca_qp *qp);

static inline struct shca_channel *to_shca_channel(struct ibv_comp_channel *channel)
{
	return shca_container_of(channel, struct shca_channel, ibv);
}

/* The waker of the thread that sleeps until the queue, or another of its channel, has a completion; 0: none. */
static inline uint32_t shca_cq_waker(const struct shca_cq *cq)
{
	struct ibv_comp_channel *channel = cq->ibv.channel;

	return channel ? atomic_load_explicit(&to_shca_channel(channel)->waker, memory_order_relaxed) : 0;
}

static inline struct shca_cq *to_shca_cq(struct ibv_cq *cq)
{
	return shca_container_of(cq, struct shca_cq, ibv);
}

/* ---- for the function tables of a context ---- */

int shca_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc);
int shca_req_notify_cq(struct ibv_cq *cq, int solicited_only);
/* shca_completion_queue_ex.c */
struct ibv_cq_ex *shca_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
/* The same for a queue whose completions name the GIDs of their senders. */
struct ibv_cq_ex *shca_create_cq_with_sources(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);

/* ---- for both ways to poll ---- */

/* Checks vector and cqe. Returns NULL with errno set on failure. */
struct shca_cq *shca_cq_new(struct ibv_context *context, int64_t cqe, void *cq_context,
			    struct ibv_comp_channel *channel, int64_t vector);

/* Without the lock. */
static inline bool shca_cq_is_empty(struct shca_cq *cq)
{
	return atomic_load_explicit(&cq->head, memory_order_relaxed) ==
	       atomic_load_explicit(&cq->tail, memory_order_acquire);
}

/* Whether there is something to poll; if not, drains the links and looks again. Call without any lock. */
bool shca_cq_find(struct shca_cq *cq);

/*
 * Makes the oldest entry the current one and frees the slots of the previous one. Returns ENOENT when the queue is
 * empty; the current entry, if any, stays then. Returns EINVAL if the entry's queue pair is gone, where the personality
 * says so, as EFA's library does: such an entry is used up.
 */
int shca_cq_advance(struct shca_cq *cq);
/* Releases the current entry, if there is one. */
void shca_cq_release_current(struct shca_cq *cq);

#endif
