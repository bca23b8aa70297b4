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

/* Writes work requests into the slots of a send queue, with all checks that a device makes when a request is posted. */
#include <errno.h>
#include <string.h>

#include "address/shca_address_handle.h"
#include "memory/shca_region.h"
#include "personality/shca_personality.h"
#include "queue_pair/shca_queue_pair_internal.h"

#define IMMEDIATE_OPS	(IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
#define WRITE_OPS	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
#define ATOMIC_OPS	(IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
#define FLAGS		(IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE)
#define OWN_QKEY	(1u << 31)

uint64_t shca_send_ops(const struct shca_qp_type_ops *ops)
{
	uint64_t have = ops->send_ops;

	if (!shca_personality()->rdma_read)
		have &= ~(uint64_t)IBV_QP_EX_WITH_RDMA_READ;
	if (!shca_personality()->rdma_write)
		have &= ~(uint64_t)WRITE_OPS;
	if (!shca_personality()->immediate)
		have &= ~(uint64_t)IMMEDIATE_OPS;
	if (!shca_personality()->atomics)
		have &= ~(uint64_t)ATOMIC_OPS;
	return have;
}

static uint64_t op_of(enum ibv_wr_opcode opcode)
{
	switch (opcode) {
	case IBV_WR_SEND:
		return IBV_QP_EX_WITH_SEND;
	case IBV_WR_SEND_WITH_IMM:
		return IBV_QP_EX_WITH_SEND_WITH_IMM;
	case IBV_WR_RDMA_WRITE:
		return IBV_QP_EX_WITH_RDMA_WRITE;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
	case IBV_WR_RDMA_READ:
		return IBV_QP_EX_WITH_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	default:
		return 0;
	}
}

static bool takes_sends(enum ibv_qp_state state)
{
	return state == IBV_QPS_RTS || state == IBV_QPS_SQD || state == IBV_QPS_SQE || state == IBV_QPS_ERR;
}

static bool is_atomic(const struct shca_send *send)
{
	return send->opcode == IBV_WR_ATOMIC_CMP_AND_SWP || send->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static bool is_datagram(const struct shca_qp *qp)
{
	return qp->ibv.qp_type == IBV_QPT_UD || qp->ibv.qp_type == IBV_QPT_DRIVER;
}

/* A queue pair of EFA: its checks, in the order of its library. */
static int check_efa(const struct shca_qp *qp, unsigned int flags)
{
	if (qp->ibv.state != IBV_QPS_RTS && qp->ibv.state != IBV_QPS_SQD)
		return EINVAL;
	if (!(flags & IBV_SEND_SIGNALED) && !qp->sq_sig_all)
		return EINVAL;
	return flags & ~(unsigned int)(IBV_SEND_SIGNALED | IBV_SEND_INLINE) ? EINVAL : 0;
}

static bool is_srd(const struct shca_qp *qp)
{
	return qp->ibv.qp_type == IBV_QPT_DRIVER;
}

static bool is_message(const struct shca_send *send)
{
	return send->opcode == IBV_WR_SEND || send->opcode == IBV_WR_SEND_WITH_IMM;
}

int shca_send_start(struct shca_qp *qp, uint32_t cursor, enum ibv_wr_opcode opcode, uint64_t wr_id, unsigned int flags)
{
	struct shca_send_queue *sq = &qp->sq;
	struct shca_send *send;

	if (shca_personality()->every_send_signaled && check_efa(qp, flags))
		return EINVAL;
	if (!takes_sends(qp->ibv.state) || !(op_of(opcode) & shca_send_ops(qp->ops)) || flags & ~(unsigned int)FLAGS)
		return EINVAL;
	if (flags & IBV_SEND_FENCE && is_datagram(qp))
		return EINVAL;
	if (cursor - atomic_load_explicit(&sq->freed, memory_order_acquire) >= sq->depth)
		return ENOMEM;
	send = shca_send_at(sq, cursor);
	send->wr_id = wr_id;
	send->remote_address = 0;
	send->length = 0;
	send->rkey = 0;
	send->immediate = 0;
	send->opcode = (uint8_t)opcode;
	/* INLINE means that the slot holds data: it is set when data is copied there. */
	send->flags = (uint8_t)(flags & ~(unsigned int)IBV_SEND_INLINE);
	if (qp->sq_sig_all)
		send->flags |= IBV_SEND_SIGNALED;
	send->num_sge = 0;
	send->answered = false;
	send->received = 0;
	send->kept = NULL;
	if (is_datagram(qp))
		memset(&send->remote_gid, 0, sizeof(send->remote_gid));
	return 0;
}

int shca_send_set_list(struct shca_qp *qp, uint32_t cursor, const struct ibv_sge *list, size_t count)
{
	struct shca_send *send = shca_send_at(&qp->sq, cursor);
	uint32_t limit = qp->sq.max_sge;
	uint64_t length;

	if ((send->opcode == IBV_WR_RDMA_READ || (is_srd(qp) && !is_message(send))) &&
	    limit > shca_personality()->max_sge_rd)
		limit = shca_personality()->max_sge_rd;
	if (count > limit)
		return EINVAL;
	length = shca_list_length(list, (uint32_t)count);
	/* EFA finds that out when it executes the request. */
	if (shca_personality()->fails_alone)
		length = length > UINT32_MAX ? UINT32_MAX : length;
	else if (length > shca_personality()->max_message)
		return EINVAL;
	if (count)
		memcpy(shca_send_sges(&qp->sq, cursor), list, count * sizeof(*list));
	send->num_sge = (uint8_t)count;
	send->length = (uint32_t)length;
	return 0;
}

int shca_send_add_inline(struct shca_qp *qp, uint32_t cursor, const void *data, size_t length)
{
	struct shca_send *send = shca_send_at(&qp->sq, cursor);

	if (send->opcode == IBV_WR_RDMA_READ || is_atomic(send) || (is_srd(qp) && !is_message(send)) ||
	    length > qp->sq.max_inline - send->length)
		return EINVAL;
	if (length)
		memcpy(shca_send_inline(&qp->sq, cursor) + send->length, data, length);
	send->length += (uint32_t)length;
	send->flags |= IBV_SEND_INLINE;
	return 0;
}

int shca_send_set_address(struct shca_qp *qp, uint32_t cursor, struct ibv_ah *ah, uint32_t remote_qpn,
			  uint32_t remote_qkey)
{
	struct shca_send *send = shca_send_at(&qp->sq, cursor);

	if (!is_datagram(qp) || !ah || ah->pd != qp->ibv.pd || remote_qpn >> shca_personality()->qp_number_bits)
		return EINVAL;
	send->remote_qpn = remote_qpn;
	/* A Q_Key with its highest bit set stands for the sender's own: IB specification, 10.2.5. */
	send->remote_qkey = remote_qkey & OWN_QKEY ? qp->attr.qkey : remote_qkey;
	if (is_srd(qp))
		send->remote_qkey = remote_qkey;
	send->remote_gid = to_shca_ah(ah)->attr.grh.dgid;
	send->local_gid = to_shca_ah(ah)->local_gid;
	send->flow_label = to_shca_ah(ah)->attr.grh.flow_label;
	send->traffic_class = to_shca_ah(ah)->attr.grh.traffic_class;
	send->hop_limit = to_shca_ah(ah)->attr.grh.hop_limit;
	return 0;
}

int shca_send_finish(struct shca_qp *qp, uint32_t cursor)
{
	static const union ibv_gid none;
	const struct shca_send *send = shca_send_at(&qp->sq, cursor);

	if (is_atomic(send) && send->length != sizeof(uint64_t))
		return EINVAL;
	if (is_datagram(qp) && memcmp(&send->remote_gid, &none, sizeof(none)) == 0)
		return EINVAL;
	if (is_datagram(qp) && !shca_personality()->fails_alone && send->length > shca_personality()->max_datagram)
		return EINVAL;
	return 0;
}
