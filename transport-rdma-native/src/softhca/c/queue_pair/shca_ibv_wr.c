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
 * ibv_wr_*: work requests by function calls. wr_start takes the queue pair's lock, and wr_complete or wr_abort releases
 * it, as adapters do with their spin lock. A session fills slots behind the posted ones. It remembers its first error;
 * wr_complete then returns that error and posts nothing of the session.
 *
 * All pointers are set. A request that the queue pair was not created for (send_ops_flags) is an error of the session,
 * EINVAL; one that no queue pair here supports is EOPNOTSUPP. A program with that mistake gets an error where an
 * adapter's table has NULL. With EFA the table has NULL, too: its manual says so.
 */
#include <errno.h>

#include "base/shca_export.h"
#include "device/shca_context.h"
#include "fault/shca_fault.h"
#include "personality/shca_personality.h"
#include "queue_pair/shca_queue_pair_internal.h"

SHCA_EXPORT struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *ibv)
{
	struct shca_qp *qp = to_shca_qp(ibv);

	return qp->extended ? &qp->ex : NULL;
}

static struct shca_qp *to_qp(struct ibv_qp_ex *ex)
{
	return to_shca_qp(&ex->qp_base);
}

static void fail(struct shca_qp *qp, int error)
{
	if (error && !qp->session_error)
		qp->session_error = error;
}

/* The request that the setters fill; NULL if there is none or the session has failed. */
static struct shca_send *current(struct shca_qp *qp)
{
	if (qp->session_error)
		return NULL;
	if (qp->session_posted == qp->sq.posted) {
		fail(qp, EINVAL);
		return NULL;
	}
	return shca_send_at(&qp->sq, qp->session_posted - 1);
}

static void finish_current(struct shca_qp *qp)
{
	if (!qp->session_error && qp->session_posted != qp->sq.posted)
		fail(qp, shca_send_finish(qp, qp->session_posted - 1));
}

static struct shca_send *start(struct ibv_qp_ex *ex, uint64_t op, enum ibv_wr_opcode opcode)
{
	struct shca_qp *qp = to_qp(ex);

	finish_current(qp);
	if (!(qp->send_ops_flags & op))
		fail(qp, EINVAL);
	/* INLINE is no flag here, but a setter. Programs leave the flag set, and adapters ignore it. */
	if (!qp->session_error)
		fail(qp, shca_send_start(qp, qp->session_posted, opcode, ex->wr_id,
					 ex->wr_flags & ~(unsigned int)IBV_SEND_INLINE));
	if (qp->session_error)
		return NULL;
	return shca_send_at(&qp->sq, qp->session_posted++);
}

static void wr_start(struct ibv_qp_ex *ex)
{
	struct shca_qp *qp = to_qp(ex);

	pthread_mutex_lock(&qp->lock);
	qp->session_posted = qp->sq.posted;
	qp->session_error = atomic_load(&to_shca_context(qp->ibv.context)->removed) ? EIO : 0;
}

static int wr_complete(struct ibv_qp_ex *ex)
{
	struct shca_qp *qp = to_qp(ex);
	int error;

	finish_current(qp);
	if (SHCA_UNLIKELY(shca_faults_are_active()) && shca_fault_refuse_post())
		fail(qp, ENOMEM);
	error = qp->session_error;
	shca_send_commit(qp, error ? qp->sq.posted : qp->session_posted);
	return error ? shca_post_error(error) : 0;
}

static void wr_abort(struct ibv_qp_ex *ex)
{
	pthread_mutex_unlock(&to_qp(ex)->lock);
}

/* ---- requests ---- */

static void wr_send(struct ibv_qp_ex *ex)
{
	start(ex, IBV_QP_EX_WITH_SEND, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 immediate)
{
	struct shca_send *send = start(ex, IBV_QP_EX_WITH_SEND_WITH_IMM, IBV_WR_SEND_WITH_IMM);

	if (send)
		send->immediate = immediate;
}

static struct shca_send *start_remote(struct ibv_qp_ex *ex, uint64_t op, enum ibv_wr_opcode opcode, uint32_t rkey,
				      uint64_t address)
{
	struct shca_send *send = start(ex, op, opcode);

	if (send) {
		send->rkey = rkey;
		send->remote_address = address;
	}
	return send;
}

static void wr_rdma_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address)
{
	start_remote(ex, IBV_QP_EX_WITH_RDMA_WRITE, IBV_WR_RDMA_WRITE, rkey, address);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address, __be32 immediate)
{
	struct shca_send *send = start_remote(ex, IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_WRITE_WITH_IMM,
					      rkey, address);

	if (send)
		send->immediate = immediate;
}

static void wr_rdma_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address)
{
	start_remote(ex, IBV_QP_EX_WITH_RDMA_READ, IBV_WR_RDMA_READ, rkey, address);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address, uint64_t compare, uint64_t swap)
{
	struct shca_send *send = start_remote(ex, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_CMP_AND_SWP, rkey,
					      address);

	if (send) {
		send->operands[0] = compare;
		send->operands[1] = swap;
	}
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address, uint64_t add)
{
	struct shca_send *send = start_remote(ex, IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, IBV_WR_ATOMIC_FETCH_AND_ADD,
					      rkey, address);

	if (send) {
		send->operands[0] = add;
		send->operands[1] = 0;
	}
}

/* ---- setters: data and address are set once each ---- */

static bool may_set_data(struct shca_qp *qp)
{
	const struct shca_send *send = current(qp);

	if (!send)
		return false;
	if (send->num_sge || send->flags & IBV_SEND_INLINE) {
		fail(qp, EINVAL);
		return false;
	}
	return true;
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t count, const struct ibv_sge *list)
{
	struct shca_qp *qp = to_qp(ex);

	if (may_set_data(qp))
		fail(qp, shca_send_set_list(qp, qp->session_posted - 1, list, count));
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t address, uint32_t length)
{
	struct ibv_sge sge = { .addr = address, .length = length, .lkey = lkey };

	wr_set_sge_list(ex, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t count, const struct ibv_data_buf *list)
{
	struct shca_qp *qp = to_qp(ex);

	if (!may_set_data(qp))
		return;
	if (count == 0)
		fail(qp, shca_send_add_inline(qp, qp->session_posted - 1, NULL, 0));
	for (size_t i = 0; i < count; i++)
		fail(qp, shca_send_add_inline(qp, qp->session_posted - 1, list[i].addr, list[i].length));
}

static void wr_set_inline_data(struct ibv_qp_ex *ex, void *data, size_t length)
{
	struct ibv_data_buf buffer = { .addr = data, .length = length };

	wr_set_inline_data_list(ex, 1, &buffer);
}

static void wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct shca_qp *qp = to_qp(ex);

	if (current(qp))
		fail(qp, shca_send_set_address(qp, qp->session_posted - 1, ah, remote_qpn, remote_qkey));
}

/* ---- requests that no queue pair here supports ---- */

static void wr_bind_mw(struct ibv_qp_ex *ex, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	(void)mw;
	(void)rkey;
	(void)info;
	fail(to_qp(ex), EOPNOTSUPP);
}

/* wr_local_inv, wr_send_inv and wr_set_xrc_srqn. */
static void refuse_number(struct ibv_qp_ex *ex, uint32_t number)
{
	(void)number;
	fail(to_qp(ex), EOPNOTSUPP);
}

static void wr_send_tso(struct ibv_qp_ex *ex, void *header, uint16_t size, uint16_t mss)
{
	(void)header;
	(void)size;
	(void)mss;
	fail(to_qp(ex), EOPNOTSUPP);
}

static void wr_atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t address, const void *data)
{
	(void)rkey;
	(void)address;
	(void)data;
	fail(to_qp(ex), EOPNOTSUPP);
}

/* A program that calls one of these crashes here, as it would with EFA's library. */
static void clear_functions(struct ibv_qp_ex *ex, uint64_t ops)
{
	if (!(ops & IBV_QP_EX_WITH_SEND))
		ex->wr_send = NULL;
	if (!(ops & IBV_QP_EX_WITH_SEND_WITH_IMM))
		ex->wr_send_imm = NULL;
	if (!(ops & IBV_QP_EX_WITH_RDMA_WRITE))
		ex->wr_rdma_write = NULL;
	if (!(ops & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM))
		ex->wr_rdma_write_imm = NULL;
	if (!(ops & IBV_QP_EX_WITH_RDMA_READ))
		ex->wr_rdma_read = NULL;
	ex->wr_atomic_cmp_swp = NULL;
	ex->wr_atomic_fetch_add = NULL;
	ex->wr_bind_mw = NULL;
	ex->wr_local_inv = NULL;
	ex->wr_send_inv = NULL;
	ex->wr_set_xrc_srqn = NULL;
	ex->wr_send_tso = NULL;
	ex->wr_atomic_write = NULL;
}

void shca_work_request_init(struct shca_qp *qp)
{
	struct ibv_qp_ex *ex = &qp->ex;

	ex->wr_start = wr_start;
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;
	ex->wr_send = wr_send;
	ex->wr_send_imm = wr_send_imm;
	ex->wr_rdma_write = wr_rdma_write;
	ex->wr_rdma_write_imm = wr_rdma_write_imm;
	ex->wr_rdma_read = wr_rdma_read;
	ex->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	ex->wr_atomic_fetch_add = wr_atomic_fetch_add;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline_data;
	ex->wr_set_inline_data_list = wr_set_inline_data_list;
	ex->wr_set_ud_addr = wr_set_ud_addr;
	ex->wr_bind_mw = wr_bind_mw;
	ex->wr_local_inv = refuse_number;
	ex->wr_send_inv = refuse_number;
	ex->wr_set_xrc_srqn = refuse_number;
	ex->wr_send_tso = wr_send_tso;
	ex->wr_atomic_write = wr_atomic_write;
	if (shca_personality()->sets_what_was_asked_for)
		clear_functions(ex, qp->send_ops_flags);
}
