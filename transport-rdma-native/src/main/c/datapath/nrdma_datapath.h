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
 * The data path: polls completions and posts work requests in batches. It uses the extended API of
 * verbs (ibv_start_poll, ibv_wr_start) or the classic one (ibv_poll_cq, ibv_post_send), depending on
 * how the queue was created. Both APIs use the same records.
 *
 * Only one thread at a time may use a queue; the send queue and the receive queue of a queue pair
 * count as two. The caller owns the records, which are not accessed after the call. Nothing here
 * allocates or blocks.
 */
#ifndef NRDMA_DATAPATH_H
#define NRDMA_DATAPATH_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/efadv.h>
#include <infiniband/verbs.h>

#include "abi/nrdma_abi.h"

/* A completion queue. Its handle in Java points to this structure. */
struct nrdma_cq {
	struct ibv_cq *cq;
	struct ibv_cq_ex *cq_ex;	/* the same one; NULL: classic */
	struct efadv_cq *efa;		/* the same one, to read senders' GIDs; NULL: it has none */
	uint64_t wc_flags;		/* IBV_WC_EX_WITH_*: the getters of all others are NULL */
	int pending_error;		/* errno that the next poll returns */
	bool one_by_one;		/* ibv_next_poll is broken: start a session for each completion */
};

/* Sends with more than one SGE; not one of the IBV_QP_EX_WITH_* bits. */
#define NRDMA_SEND_LISTS (1u << 30)

/* A queue pair. Its handle in Java points to this structure. */
struct nrdma_qp {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qp_ex;	/* the same one; NULL: classic */
	uint64_t send_ops;		/* IBV_QP_EX_WITH_* and NRDMA_SEND_*: the operations of qp_ex */
	bool datagram;			/* work requests carry an address handle */
};

/*
 * Takes up to max completions. Returns their number, or -errno; an error after some completions is
 * returned by the next call. Fields that verbs leave undefined are written as 0: all but wr_id,
 * status, qp_num and vendor_err of a failed completion; src_qp, slid, sl, flags and immediate data
 * of a send; byte_len of a send that wrote no data to local memory.
 *
 * If the queue has senders' GIDs, there must be room for max of them, 16 bytes each, behind the max
 * records. The one with the index of a completion is written if NRDMA_WC_SENDER_GID is among its flags.
 */
int nrdma_poll(struct nrdma_cq *cq, struct nrdma_wc *completions, int max);

/*
 * Requests an event for the next completion, or for the next solicited one. Returns 0 or -errno;
 * -EINVAL if the queue has no channel.
 */
int nrdma_request_notify(struct nrdma_cq *cq, bool solicited_only);

/*
 * Takes up to max events and writes the contexts of their queues. Returns the number of events, 0 if
 * none is pending, or -errno.
 */
int nrdma_next_completion_events(struct ibv_comp_channel *channel, uint64_t *contexts, int max);

/*
 * These post a batch of consecutive records. The low 32 bits of the result are the number posted,
 * the high 32 bits the errno of the first failure. If count is not positive, or any send of the batch
 * has an unknown opcode, the errno is EINVAL and nothing is posted.
 *
 * Sends use the extended API if the queue pair has it for all operations of the batch, otherwise the
 * classic one; verbs allow both on the same queue pair. The extended API posts all or nothing.
 */
int64_t nrdma_post_send(struct nrdma_qp *qp, const struct nrdma_send_wr *records, int count);
int64_t nrdma_post_recv(struct nrdma_qp *qp, const struct nrdma_recv_wr *records, int count);
int64_t nrdma_post_srq_recv(struct ibv_srq *srq, const struct nrdma_recv_wr *records, int count);

#endif
