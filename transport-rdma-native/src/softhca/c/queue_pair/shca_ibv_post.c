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

/* ibv_post_send and ibv_post_recv. A chain is posted up to its first bad request, which is returned in bad_wr. */
#include <errno.h>

#include "base/shca_upcalls.h"
#include "device/shca_context.h"
#include "memory/shca_scribble.h"
#include "personality/shca_personality.h"
#include "queue_pair/shca_queue_pair_internal.h"

static bool is_removed(const struct ibv_qp *qp)
{
	return atomic_load_explicit(&to_shca_context(qp->context)->removed, memory_order_relaxed);
}

/* Lock held. */
static bool is_refused(const struct shca_qp *qp)
{
	return SHCA_UNLIKELY(qp->ibv.state == IBV_QPS_ERR) && shca_personality()->refuses_posts_in_error;
}

/* Refuses the post; or, by the fault swallow, accepts and forgets it, as siw does. */
static int refuse_in_error(struct shca_qp *qp)
{
	pthread_mutex_unlock(&qp->lock);
	return shca_faults_are_active() && shca_fault_swallow_post() ? 0 : shca_post_error(ENOTCONN);
}

/* ---- sends ---- */

static int fill_inline(struct shca_qp *qp, uint32_t cursor, const struct ibv_send_wr *wr)
{
	if ((uint32_t)wr->num_sge > qp->sq.max_sge)
		return EINVAL;
	/* Called also with nothing to copy, to check that the request may be inline. */
	if (wr->num_sge == 0)
		return shca_send_add_inline(qp, cursor, NULL, 0);
	for (int i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];
		int ret = shca_send_add_inline(qp, cursor, (const void *)(uintptr_t)sge->addr, sge->length);

		if (ret)
			return ret;
	}
	return 0;
}

static void fill_remote(struct shca_send *send, const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		send->remote_address = wr->wr.atomic.remote_addr;
		send->rkey = wr->wr.atomic.rkey;
		send->operands[0] = wr->wr.atomic.compare_add;
		send->operands[1] = wr->wr.atomic.swap;
		break;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
		send->remote_address = wr->wr.rdma.remote_addr;
		send->rkey = wr->wr.rdma.rkey;
		break;
	default:
		break;
	}
	if (wr->opcode == IBV_WR_SEND_WITH_IMM || wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		send->immediate = wr->imm_data;
}

static int fill(struct shca_qp *qp, uint32_t cursor, const struct ibv_send_wr *wr)
{
	int ret = shca_send_start(qp, cursor, wr->opcode, wr->wr_id, wr->send_flags);

	if (ret)
		return ret;
	if (shca_personality()->sends_alone && wr->opcode != IBV_WR_SEND && wr->opcode != IBV_WR_SEND_WITH_IMM)
		return EINVAL;
	fill_remote(shca_send_at(&qp->sq, cursor), wr);
	if (qp->ibv.qp_type == IBV_QPT_UD || qp->ibv.qp_type == IBV_QPT_DRIVER)
		ret = shca_send_set_address(qp, cursor, wr->wr.ud.ah, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	if (ret == 0)
		ret = wr->send_flags & IBV_SEND_INLINE ? fill_inline(qp, cursor, wr) :
		      wr->num_sge < 0 ? EINVAL :
		      shca_send_set_list(qp, cursor, wr->sg_list, (size_t)wr->num_sge);
	return ret ? ret : shca_send_finish(qp, cursor);
}

static void scribble_over_sinks(struct shca_qp *qp, uint32_t end)
{
	for (uint32_t cursor = qp->sq.posted; cursor != end; cursor++) {
		const struct shca_send *send = shca_send_at(&qp->sq, cursor);

		if (shca_send_fills(send))
			shca_maybe_scribble(qp->pd, shca_send_sges(&qp->sq, cursor), send->num_sge);
	}
}

void shca_send_commit(struct shca_qp *qp, uint32_t cursor)
{
	bool some = cursor != qp->sq.posted;

	if (SHCA_UNLIKELY(shca_faults_are_active()))
		scribble_over_sinks(qp, cursor);
	qp->sq.posted = cursor;
	if (SHCA_UNLIKELY(qp->ibv.state == IBV_QPS_ERR))
		shca_qp_flush(qp);
	if (SHCA_UNLIKELY(shca_faults_are_active()) && some && shca_fault_remove_device()) {
		pthread_mutex_unlock(&qp->lock);
		shca_device_remove();
		return;
	}
	if (SHCA_UNLIKELY(shca_faults_are_active()) && some && qp->ops->begin_late)
		qp->ops->begin_late(qp);
	shca_qp_kick_and_unlock(qp);
}

int shca_post_send(struct ibv_qp *ibv, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct shca_qp *qp = to_shca_qp(ibv);
	struct ibv_send_wr *first = wr;
	uint32_t cursor;
	bool refused;
	int ret = 0;

	if (SHCA_UNLIKELY(is_removed(ibv))) {
		*bad_wr = wr;
		return shca_post_error(EIO);
	}
	if (SHCA_UNLIKELY(shca_faults_are_active()) && shca_fault_refuse_post()) {
		*bad_wr = wr;
		return shca_post_error(ENOMEM);
	}
	pthread_mutex_lock(&qp->lock);
	refused = is_refused(qp);
	if (refused && !(shca_faults_are_active() && shca_fault_flush_refused())) {
		*bad_wr = wr;
		return refuse_in_error(qp);
	}
	for (cursor = qp->sq.posted; wr; wr = wr->next, cursor++) {
		ret = fill(qp, cursor, wr);
		if (SHCA_UNLIKELY(ret)) {
			*bad_wr = wr;
			break;
		}
	}
	shca_send_commit(qp, cursor);
	if (refused) {
		*bad_wr = first;
		return shca_post_error(ENOTCONN);
	}
	return ret ? shca_post_error(ret) : 0;
}

/* ---- receives ---- */

static int post_receive(struct shca_qp *qp, const struct ibv_recv_wr *wr)
{
	int ret;

	if (qp->srq || qp->ibv.state == IBV_QPS_RESET)
		return EINVAL;
	if (qp->ibv.state == IBV_QPS_ERR && shca_personality()->refuses_error_state)
		return EINVAL;
	if (wr->num_sge < 0 || (wr->num_sge == 0 && shca_personality()->receive_needs_sge))
		return EINVAL;
	ret = shca_receive_queue_post(&qp->rq, wr);
	if (!ret)
		shca_maybe_scribble(qp->pd, wr->sg_list, (uint32_t)wr->num_sge);
	return ret;
}

int shca_post_recv(struct ibv_qp *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct shca_qp *qp = to_shca_qp(ibv);
	int ret = 0;

	if (SHCA_UNLIKELY(is_removed(ibv))) {
		*bad_wr = wr;
		return shca_post_error(EIO);
	}
	if (SHCA_UNLIKELY(shca_faults_are_active()) && shca_fault_refuse_post_receive()) {
		*bad_wr = wr;
		return shca_post_error(ENOMEM);
	}
	pthread_mutex_lock(&qp->lock);
	if (is_refused(qp)) {
		*bad_wr = wr;
		return refuse_in_error(qp);
	}
	for (; wr; wr = wr->next) {
		ret = post_receive(qp, wr);
		if (SHCA_UNLIKELY(ret)) {
			*bad_wr = wr;
			break;
		}
	}
	if (qp->ibv.state == IBV_QPS_ERR)
		shca_qp_flush(qp);
	pthread_mutex_unlock(&qp->lock);
	return ret ? shca_post_error(ret) : 0;
}
