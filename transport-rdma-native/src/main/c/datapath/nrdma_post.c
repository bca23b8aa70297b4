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
#include <stddef.h>

#include "abi/nrdma_error.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Number of work requests that one call of the classic API posts; they are built on the stack. */
#define CHUNK 32

/* Maximum SGEs of an inline send with the extended API; the classic API has no such limit. */
#define INLINE_SGE_MAX 32

/* A bit that no queue pair has in send_ops: forces the classic API. */
#define CLASSIC_ONLY (1u << 31)

/* SGE lists are passed to rdma-core without a copy. */
_Static_assert(sizeof(struct nrdma_sge) == sizeof(struct ibv_sge), "nrdma_abi.h");
_Static_assert(offsetof(struct nrdma_sge, addr) == offsetof(struct ibv_sge, addr), "nrdma_abi.h");
_Static_assert(offsetof(struct nrdma_sge, length) == offsetof(struct ibv_sge, length), "nrdma_abi.h");
_Static_assert(offsetof(struct nrdma_sge, lkey) == offsetof(struct ibv_sge, lkey), "nrdma_abi.h");

/* For the opcodes in use here, the bit in IBV_QP_EX_WITH_* is 1 << opcode. */
#define OP(opcode) (1u << (opcode))
_Static_assert(OP(IBV_WR_RDMA_WRITE) == IBV_QP_EX_WITH_RDMA_WRITE, "");
_Static_assert(OP(IBV_WR_RDMA_WRITE_WITH_IMM) == IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, "");
_Static_assert(OP(IBV_WR_SEND) == IBV_QP_EX_WITH_SEND, "");
_Static_assert(OP(IBV_WR_SEND_WITH_IMM) == IBV_QP_EX_WITH_SEND_WITH_IMM, "");
_Static_assert(OP(IBV_WR_RDMA_READ) == IBV_QP_EX_WITH_RDMA_READ, "");
_Static_assert(OP(IBV_WR_ATOMIC_CMP_AND_SWP) == IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, "");
_Static_assert(OP(IBV_WR_ATOMIC_FETCH_AND_ADD) == IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, "");
#define OPCODE_MAX IBV_WR_ATOMIC_FETCH_AND_ADD

static inline int64_t post_result(int posted, int err)
{
	return (int64_t)((uint64_t)(uint32_t)err << 32 | (uint32_t)posted);
}

/* verbs.h declares the lists without const, but no provider writes to them. */
static inline struct ibv_sge *list_of(const void *header_end)
{
	return (struct ibv_sge *)(uintptr_t)header_end;
}

static inline const struct nrdma_send_wr *next_send(const struct nrdma_send_wr *record)
{
	return (const void *)((const struct nrdma_sge *)(record + 1) + record->num_sge);
}

static inline const struct nrdma_recv_wr *next_recv(const struct nrdma_recv_wr *record)
{
	return (const void *)((const struct nrdma_sge *)(record + 1) + record->num_sge);
}

/* The operations that this batch needs of the extended API; 0 if it has an unknown opcode. */
static uint32_t required_ops(const struct nrdma_send_wr *record, int count)
{
	uint32_t ops = 0;

	for (; count > 0; count--, record = next_send(record)) {
		if (record->opcode > OPCODE_MAX)
			return 0;
		ops |= OP(record->opcode);
		if (record->num_sge > 1)
			ops |= NRDMA_SEND_LISTS;
		if (record->flags & IBV_SEND_INLINE && record->num_sge > INLINE_SGE_MAX)
			ops |= CLASSIC_ONLY;
	}
	return ops;
}

/* ---- extended ------------------------------------------------------------------------------ */

static inline void build_operation(struct ibv_qp_ex *qp, const struct nrdma_send_wr *record)
{
	switch (record->opcode) {
	case IBV_WR_SEND:
		ibv_wr_send(qp);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qp, htobe32(record->imm));
		break;
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qp, record->rkey, record->remote_addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qp, record->rkey, record->remote_addr, htobe32(record->imm));
		break;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(qp, record->rkey, record->remote_addr);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(qp, record->rkey, record->remote_addr,
				      record->compare_add_or_ah, record->swap_or_qkey);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qp, record->rkey, record->remote_addr,
					record->compare_add_or_ah);
		break;
	}
}

static void set_inline_data(struct ibv_qp_ex *qp, const struct nrdma_send_wr *record)
{
	const struct nrdma_sge *sge = (const void *)(record + 1);
	struct ibv_data_buf parts[INLINE_SGE_MAX];
	int i;

	if (record->num_sge == 1) {
		ibv_wr_set_inline_data(qp, (void *)(uintptr_t)sge->addr, sge->length);
		return;
	}
	for (i = 0; i < record->num_sge; i++) {
		parts[i].addr = (void *)(uintptr_t)sge[i].addr;
		parts[i].length = sge[i].length;
	}
	ibv_wr_set_inline_data_list(qp, record->num_sge, parts);
}

/*
 * IBV_SEND_INLINE stays in wr_flags although the inline setters imply it: the kernel side of rxe
 * checks the flag, and sends no data without it.
 */
static inline void build_send(struct nrdma_qp *qp, const struct nrdma_send_wr *record)
{
	struct ibv_qp_ex *ex = qp->qp_ex;

	ex->wr_id = record->wr_id;
	ex->wr_flags = record->flags;
	build_operation(ex, record);
	if (qp->datagram)
		ibv_wr_set_ud_addr(ex, (struct ibv_ah *)(uintptr_t)record->compare_add_or_ah,
				   record->remote_qpn, (uint32_t)record->swap_or_qkey);
	if (record->flags & IBV_SEND_INLINE)
		set_inline_data(ex, record);
	else
		ibv_wr_set_sge_list(ex, record->num_sge, list_of(record + 1));
}

static int64_t post_send_extended(struct nrdma_qp *qp, const struct nrdma_send_wr *record, int count)
{
	int err;
	int i;

	ibv_wr_start(qp->qp_ex);
	for (i = 0; i < count; i++, record = next_send(record))
		build_send(qp, record);
	errno = 0;
	err = nrdma_error(ibv_wr_complete(qp->qp_ex));
	if (err == ENOSPC)
		err = ENOMEM;	/* only rxe's extended API returns ENOSPC for a full queue */
	return err ? post_result(0, err) : post_result(count, 0);
}

/* ---- classic ------------------------------------------------------------------------------- */

static inline void fill_send(struct ibv_send_wr *wr, const struct nrdma_send_wr *record, bool datagram)
{
	*wr = (struct ibv_send_wr) {
		.wr_id = record->wr_id,
		.next = wr + 1,
		.sg_list = list_of(record + 1),
		.num_sge = record->num_sge,
		.opcode = record->opcode,
		.send_flags = record->flags,
		.imm_data = htobe32(record->imm),
	};
	if (datagram) {
		wr->wr.ud.ah = (struct ibv_ah *)(uintptr_t)record->compare_add_or_ah;
		wr->wr.ud.remote_qpn = record->remote_qpn;
		wr->wr.ud.remote_qkey = (uint32_t)record->swap_or_qkey;
	} else if (record->opcode >= IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr->wr.atomic.remote_addr = record->remote_addr;
		wr->wr.atomic.compare_add = record->compare_add_or_ah;
		wr->wr.atomic.swap = record->swap_or_qkey;
		wr->wr.atomic.rkey = record->rkey;
	} else {
		wr->wr.rdma.remote_addr = record->remote_addr;
		wr->wr.rdma.rkey = record->rkey;
	}
}

/* The number of requests before the failed one; 0 if the provider does not set bad. */
#define PRECEDING(chunk, n, bad) \
	((bad) >= (chunk) && (bad) < (chunk) + (n) ? (int)((bad) - (chunk)) : 0)

static int64_t post_send_classic(struct nrdma_qp *qp, const struct nrdma_send_wr *record, int count)
{
	struct ibv_send_wr chunk[CHUNK];
	struct ibv_send_wr *bad;
	int posted = 0;
	int n, err;

	while (posted < count) {
		for (n = 0; n < CHUNK && posted + n < count; n++, record = next_send(record))
			fill_send(&chunk[n], record, qp->datagram);
		chunk[n - 1].next = NULL;
		bad = NULL;
		errno = 0;
		err = nrdma_error(ibv_post_send(qp->qp, chunk, &bad));
		if (err)
			return post_result(posted + PRECEDING(chunk, n, bad), err);
		posted += n;
	}
	return post_result(posted, 0);
}

int64_t nrdma_post_send(struct nrdma_qp *qp, const struct nrdma_send_wr *records, int count)
{
	uint32_t ops = required_ops(records, count);

	if (!ops)
		return post_result(0, EINVAL);
	if (qp->qp_ex && !(ops & ~qp->send_ops))
		return post_send_extended(qp, records, count);
	return post_send_classic(qp, records, count);
}

/* ---- receive ------------------------------------------------------------------------------- */

/* One of qp and srq is a constant NULL. */
static ALWAYS_INLINE int64_t post_receives(struct ibv_qp *qp, struct ibv_srq *srq,
					   const struct nrdma_recv_wr *record, int count)
{
	struct ibv_recv_wr chunk[CHUNK];
	struct ibv_recv_wr *bad;
	int posted = 0;
	int n, err;

	if (count <= 0)
		return post_result(0, EINVAL);
	while (posted < count) {
		for (n = 0; n < CHUNK && posted + n < count; n++, record = next_recv(record)) {
			chunk[n] = (struct ibv_recv_wr) {
				.wr_id = record->wr_id,
				.next = &chunk[n] + 1,
				.sg_list = list_of(record + 1),
				.num_sge = (int)record->num_sge,
			};
		}
		chunk[n - 1].next = NULL;
		bad = NULL;
		errno = 0;
		err = nrdma_error(srq ? ibv_post_srq_recv(srq, chunk, &bad) :
				        ibv_post_recv(qp, chunk, &bad));
		if (err)
			return post_result(posted + PRECEDING(chunk, n, bad), err);
		posted += n;
	}
	return post_result(posted, 0);
}

int64_t nrdma_post_recv(struct nrdma_qp *qp, const struct nrdma_recv_wr *records, int count)
{
	return post_receives(qp->qp, NULL, records, count);
}

int64_t nrdma_post_srq_recv(struct ibv_srq *srq, const struct nrdma_recv_wr *records, int count)
{
	return post_receives(NULL, srq, records, count);
}
