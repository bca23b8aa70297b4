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
 * The data path: polling completions and posting work requests, in batches, through the extended
 * API of verbs (ibv_start_poll, ibv_wr_start) or the classic one (ibv_poll_cq, ibv_post_send),
 * whichever the queue was created with. Both fill and read the same records.
 *
 * One thread at a time per queue; a queue pair's send side and receive side are two queues. Records
 * belong to the caller and are not touched after the call. Nothing here allocates or blocks.
 */
#ifndef NRDMA_DATAPATH_H
#define NRDMA_DATAPATH_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "abi/nrdma_abi.h"

/* A completion queue as Java knows it: its handle points here. */
struct nrdma_cq {
	struct ibv_cq *cq;
	struct ibv_cq_ex *cq_ex;	/* the same one; NULL: classic */
	uint64_t wc_flags;		/* IBV_WC_EX_WITH_*: getters of all others are NULL */
	int pending_error;		/* errno that the next poll reports, after completions */
	bool one_by_one;		/* ibv_next_poll is broken: a session for each completion */
};

/* Sends of more than one piece; a bit that is no IBV_QP_EX_WITH_*. */
#define NRDMA_SEND_LISTS (1u << 30)

/* A queue pair as Java knows it. */
struct nrdma_qp {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qp_ex;	/* the same one; NULL: classic */
	uint64_t send_ops;		/* IBV_QP_EX_WITH_* and NRDMA_SEND_*: what qp_ex may be asked for */
	bool datagram;			/* work requests carry an address handle */
};

/*
 * Takes up to max completions. Returns how many, or -errno; an error after some completions is
 * returned by the next call. What verbs leave undefined in a completion is written as 0: all but
 * wr_id, status, qp_num and vendor_err of a failed one; src_qp, slid, sl, flags and immediate data
 * of a send; byte_len of a send that brought no data here.
 */
int nrdma_poll(struct nrdma_cq *cq, struct nrdma_wc *completions, int max);

/*
 * Asks for an event at the next completion, or the next solicited one. Returns 0 or -errno:
 * -EINVAL if the queue has no channel.
 */
int nrdma_request_notify(struct nrdma_cq *cq, bool solicited_only);

/*
 * Takes up to max events and writes the contexts of their queues. Returns how many, 0 if none is
 * pending, or -errno.
 */
int nrdma_next_completion_events(struct ibv_comp_channel *channel, uint64_t *contexts, int max);

/*
 * Post a batch of records that follow each other in memory. They return in the low 32 bits how many
 * were posted, in the high 32 bits the errno that stopped it. No count, or a send of unknown opcode
 * anywhere in the batch, is EINVAL, and nothing is posted.
 *
 * Sends take the extended API if the queue pair has it for all that is in the batch, else the
 * classic one; verbs allow both on the same queue pair. The extended one posts all or nothing.
 */
int64_t nrdma_post_send(struct nrdma_qp *qp, const struct nrdma_send_wr *records, int count);
int64_t nrdma_post_recv(struct nrdma_qp *qp, const struct nrdma_recv_wr *records, int count);
int64_t nrdma_post_srq_recv(struct ibv_srq *srq, const struct nrdma_recv_wr *records, int count);

#endif
