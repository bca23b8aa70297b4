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

#include "datapath/nrdma_datapath.h"

#include <endian.h>

#include "abi/nrdma_error.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Number of completions that one ibv_poll_cq takes; they are on the stack. */
#define CHUNK 32

/* The flags of verbs that Java knows. */
#define FLAGS_MASK (IBV_WC_GRH | IBV_WC_WITH_IMM)

/* EFA's slid of a sender for whom the receiver has no address handle; with one, slid is its number. */
#define UNKNOWN_SENDER 0xffff

/* Whether the completion of this operation has the number of bytes written to local memory. */
static inline bool brought_data(enum ibv_wc_opcode opcode)
{
	return opcode & IBV_WC_RECV || opcode == IBV_WC_RDMA_READ ||
	       opcode == IBV_WC_COMP_SWAP || opcode == IBV_WC_FETCH_ADD;
}

static inline void read_received(struct ibv_cq_ex *cq, uint64_t has, struct nrdma_wc *out)
{
	out->flags = ibv_wc_read_wc_flags(cq) & FLAGS_MASK;
	if (out->flags & IBV_WC_WITH_IMM && has & IBV_WC_EX_WITH_IMM)
		out->imm_or_vendor_err = be32toh(ibv_wc_read_imm_data(cq));
	if (has & IBV_WC_EX_WITH_SRC_QP)
		out->src_qp = ibv_wc_read_src_qp(cq);
	if (has & IBV_WC_EX_WITH_SLID)
		out->slid = (uint16_t)ibv_wc_read_slid(cq);
	if (has & IBV_WC_EX_WITH_SL)
		out->sl = ibv_wc_read_sl(cq);
}

static inline void read_extended(struct ibv_cq_ex *cq, uint64_t has, struct nrdma_wc *out)
{
	enum ibv_wc_opcode opcode;

	*out = (struct nrdma_wc) { .wr_id = cq->wr_id, .status = (uint8_t)cq->status };
	if (has & IBV_WC_EX_WITH_QP_NUM)
		out->qp_num = ibv_wc_read_qp_num(cq);
	if (cq->status != IBV_WC_SUCCESS) {
		out->imm_or_vendor_err = ibv_wc_read_vendor_err(cq);
		return;
	}
	opcode = ibv_wc_read_opcode(cq);
	out->opcode = (uint8_t)opcode;
	if (brought_data(opcode) && has & IBV_WC_EX_WITH_BYTE_LEN)
		out->byte_len = ibv_wc_read_byte_len(cq);
	if (opcode & IBV_WC_RECV)
		read_received(cq, has, out);
}

static void read_sender_gid(struct efadv_cq *efa, struct nrdma_wc *out, union ibv_gid *gid)
{
	if (!efadv_wc_read_sgid(efa, gid))
		out->flags |= NRDMA_WC_SENDER_GID;
}

static inline void read_classic(const struct ibv_wc *wc, struct nrdma_wc *out)
{
	*out = (struct nrdma_wc) {
		.wr_id = wc->wr_id, .status = (uint8_t)wc->status, .qp_num = wc->qp_num
	};
	if (wc->status != IBV_WC_SUCCESS) {
		out->imm_or_vendor_err = wc->vendor_err;
		return;
	}
	out->opcode = (uint8_t)wc->opcode;
	if (brought_data(wc->opcode))
		out->byte_len = wc->byte_len;
	if (wc->opcode & IBV_WC_RECV) {
		out->flags = wc->wc_flags & FLAGS_MASK;
		if (out->flags & IBV_WC_WITH_IMM)
			out->imm_or_vendor_err = be32toh(wc->imm_data);
		out->src_qp = wc->src_qp;
		out->slid = wc->slid;
		out->sl = wc->sl;
	}
}

/*
 * Both functions take completions and add their number to *n. They return 0 when the queue is empty
 * or max is reached, otherwise errno.
 */
static inline int take_extended(struct nrdma_cq *cq, struct nrdma_wc *out, int max, int *n)
{
	struct ibv_poll_cq_attr attr = { .comp_mask = 0 };
	int err;

	errno = 0;
	do {
		err = nrdma_error(ibv_start_poll(cq->cq_ex, &attr));
		if (err)
			break;	/* not started, so there is nothing to end */
		do {
			read_extended(cq->cq_ex, cq->wc_flags, &out[*n]);
			/* Out of line: only EFA has it, and no other device should pay for it. */
			if (__builtin_expect(cq->efa != NULL, 0) && out[*n].slid == UNKNOWN_SENDER)
				read_sender_gid(cq->efa, &out[*n], (union ibv_gid *)(out + max) + *n);
			(*n)++;
			err = *n < max && !cq->one_by_one ? nrdma_error(ibv_next_poll(cq->cq_ex))
							  : ENOENT;
		} while (!err);
		/* Releases the last entry. Required even if ibv_next_poll failed. */
		ibv_end_poll(cq->cq_ex);
	} while (cq->one_by_one && *n < max);
	return err == ENOENT ? 0 : err;
}

/* ibv_poll_cq only promises a negative number; -1 and -2 are codes of providers, not errno. */
static inline int poll_error(int ret)
{
	return ret >= -2 ? EIO : -ret;
}

static inline int take_classic(struct nrdma_cq *cq, struct nrdma_wc *out, int max, int *n)
{
	struct ibv_wc chunk[CHUNK];
	int want, got, i;

	do {
		want = max - *n < CHUNK ? max - *n : CHUNK;
		got = ibv_poll_cq(cq->cq, want, chunk);
		if (got < 0)
			return poll_error(got);
		for (i = 0; i < got; i++)
			read_classic(&chunk[i], &out[(*n)++]);
	} while (got == want && *n < max);
	return 0;
}

/*
 * EFA returns EINVAL for a completion of a queue pair that is gone. The entry is consumed, so the
 * next attempt gets the entry after it. A queue cannot hold more of these than it has entries.
 */
static ALWAYS_INLINE int drain(struct nrdma_cq *cq, struct nrdma_wc *out, int max, bool extended)
{
	int stale = cq->cq->cqe;
	int n = 0;
	int err;

	do {
		err = extended ? take_extended(cq, out, max, &n) : take_classic(cq, out, max, &n);
	} while (err == EINVAL && stale-- > 0);
	if (err && n == 0)
		return -err;
	cq->pending_error = err;
	return n;
}

int nrdma_poll(struct nrdma_cq *cq, struct nrdma_wc *completions, int max)
{
	if (max <= 0)
		return -EINVAL;
	if (cq->pending_error) {
		int err = cq->pending_error;

		cq->pending_error = 0;
		return -err;
	}
	return cq->cq_ex ? drain(cq, completions, max, true) : drain(cq, completions, max, false);
}
