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

/* For the files that make up queue pairs: what they share beyond shca_queue_pair.h. */
#ifndef SHCA_QUEUE_PAIR_INTERNAL_H
#define SHCA_QUEUE_PAIR_INTERNAL_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "queue_pair/shca_queue_pair.h"
#include "registry/shca_fabric.h"

/*
 * Gives the queue pair a number, under which packets find it from now on; false: all are in use. Takes it away. Call
 * without locks. shca_queue_pair_number.c
 */
bool shca_qp_table_add(struct shca_qp *qp);
void shca_qp_table_remove(struct shca_qp *qp);

#define SHCA_QP_INDEXES	(1u << 16)	/* the most that a personality uses */

extern struct shca_qp *_Atomic shca_qp_table[SHCA_QP_INDEXES];

static inline uint32_t shca_qp_indexes(void)
{
	return 1u << shca_qp_index_bits();
}

/*
 * Finds a queue pair by its number, for each packet, without a lock. Safe for threads that drain a link of its set: its
 * destruction waits for them (shca_links_quiesce).
 */
static inline struct shca_qp *shca_qp_table_find(uint32_t number)
{
	struct shca_qp *qp = atomic_load_explicit(&shca_qp_table[number % shca_qp_indexes()], memory_order_acquire);

	return qp && qp->ibv.qp_num == number ? qp : NULL;
}

/* Empties all queues without completions and enters RESET. Lock held. shca_queue_pair_state.c */
void shca_qp_reset(struct shca_qp *qp);
/* As siw does before it destroys a queue pair: flushes posted requests, and all completions can still be polled. */
void shca_qp_leave_completions(struct shca_qp *qp);

/* As EFA does at that moment: completions can still be polled, and polling says that their queue pair is gone. */
void shca_qp_keep_completions(struct shca_qp *qp);

/* As shca_qp_kick, but called with the lock held, which it releases. */
void shca_qp_kick_and_unlock(struct shca_qp *qp);

/* Whether modify may take the queue pair from its state to that one with these attributes. shca_transition.c */
bool shca_transition_is_allowed(const struct shca_qp *qp, enum ibv_qp_state to, int mask);

/* The enum ibv_qp_create_send_ops_flags that both the type and the personality support. shca_send_request.c */
uint64_t shca_send_ops(const struct shca_qp_type_ops *ops);

/*
 * A work request is written into its slot in steps, because ibv_wr_* passes it in steps. Slots from sq.posted on belong
 * to the holder of the lock. Each step checks its arguments and returns 0 or an errno of ibv_post_send.
 * shca_send_request.c
 */
int shca_send_start(struct shca_qp *qp, uint32_t cursor, enum ibv_wr_opcode opcode, uint64_t wr_id,
		    unsigned int flags);
int shca_send_set_list(struct shca_qp *qp, uint32_t cursor, const struct ibv_sge *list, size_t count);
/* Copies data at once, behind data copied before: the caller may reuse its memory. */
int shca_send_add_inline(struct shca_qp *qp, uint32_t cursor, const void *data, size_t length);
int shca_send_set_address(struct shca_qp *qp, uint32_t cursor, struct ibv_ah *ah, uint32_t remote_qpn,
			  uint32_t remote_qkey);
int shca_send_finish(struct shca_qp *qp, uint32_t cursor);
/* Posts all slots before cursor, releases the lock and sends. shca_ibv_post.c */
void shca_send_commit(struct shca_qp *qp, uint32_t cursor);

/* Fills the table of ibv_wr_*. shca_ibv_wr.c */
void shca_work_request_init(struct shca_qp *qp);

#endif
