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
 * Modifying a queue pair: the valid values of its attributes, and the effect of a state on its queues.
 * shca_transition.c has the transitions.
 */
#include <errno.h>
#include <string.h>

#include "address/shca_address_handle.h"
#include "base/shca_error.h"
#include "base/shca_export.h"
#include "base/shca_handle.h"
#include "device/shca_context.h"
#include "fault/shca_fault.h"
#include "personality/shca_personality.h"
#include "queue_pair/shca_call.h"
#include "queue_pair/shca_queue_pair_internal.h"
#include "queue_pair/shca_send_buffer.h"
#include "wire/shca_link.h"

/* ---- values ---- */

#define ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
		 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND)

static bool is_common_value(const struct ibv_qp_attr *attr, int mask)
{
	return !(mask & IBV_QP_PKEY_INDEX && attr->pkey_index != 0) &&
	       !(mask & IBV_QP_PORT && attr->port_num != SHCA_PORT) &&
	       !(mask & IBV_QP_ACCESS_FLAGS && attr->qp_access_flags & ~(unsigned int)ACCESS) &&
	       !(mask & IBV_QP_SQ_PSN && attr->sq_psn > SHCA_PSN_MASK) &&
	       /* There is no second path, so MIGRATED is the only valid state. */
	       !(mask & IBV_QP_ALT_PATH) &&
	       !(mask & IBV_QP_PATH_MIG_STATE && attr->path_mig_state != IBV_MIG_MIGRATED);
}

static bool is_connection_value(const struct ibv_qp_attr *attr, int mask)
{
	const struct shca_personality *personality = shca_personality();
	union ibv_gid own;

	return !(mask & IBV_QP_AV && !shca_address_is_usable(&attr->ah_attr, &own)) &&
	       !(mask & IBV_QP_PATH_MTU && (attr->path_mtu < IBV_MTU_256 || attr->path_mtu > personality->mtu)) &&
	       !(mask & IBV_QP_DEST_QPN && attr->dest_qp_num > SHCA_PSN_MASK) &&
	       !(mask & IBV_QP_RQ_PSN && attr->rq_psn > SHCA_PSN_MASK) &&
	       !(mask & IBV_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > personality->max_rd_atomic) &&
	       !(mask & IBV_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic > personality->max_rd_atomic) &&
	       !(mask & IBV_QP_MIN_RNR_TIMER && attr->min_rnr_timer > 31) &&
	       !(mask & IBV_QP_TIMEOUT && attr->timeout > 31) &&
	       !(mask & IBV_QP_RETRY_CNT && attr->retry_cnt > 7) &&
	       !(mask & IBV_QP_RNR_RETRY && attr->rnr_retry > 7);
}

/* The attributes that EFA's driver lets through; the transitions allow less. */
static int efa_attributes(void)
{
	return IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
	       IBV_QP_QKEY | IBV_QP_SQ_PSN | (shca_personality()->rnr_retry ? IBV_QP_RNR_RETRY : 0);
}

/* Returns 0 or an errno; changes nothing. */
static int check(const struct shca_qp *qp, const struct ibv_qp_attr *attr, int mask, enum ibv_qp_state *to)
{
	if (shca_personality()->srd && mask & ~efa_attributes())
		return EOPNOTSUPP;
	*to = mask & IBV_QP_STATE ? attr->qp_state : qp->ibv.state;
	/* cur_qp_state matters only where the device may have changed the state by itself, to SQE. */
	if (mask & IBV_QP_CUR_STATE && attr->cur_qp_state != qp->ibv.state)
		return EINVAL;
	if (!shca_transition_is_allowed(qp, *to, mask) || !is_common_value(attr, mask) ||
	    !is_connection_value(attr, mask))
		return EINVAL;
	/* Responses that are not sent yet lie in the ring whose size is to change. */
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic != qp->responses.limit &&
	    qp->responses.first != qp->responses.next)
		return EBUSY;
	return 0;
}

/* ---- changing ---- */

static void set_responses(struct shca_qp *qp, uint8_t count)
{
	qp->attr.max_dest_rd_atomic = count;
	if (count == qp->responses.limit)
		return;
	qp->responses.limit = count;
	qp->responses.first = 0;
	qp->responses.next = 0;
}

static void set_address(struct shca_qp *qp, const struct ibv_ah_attr *address)
{
	qp->attr.ah_attr = *address;
	/* The next send takes the link to the new address. */
	qp->link = NULL;
}

#define SET(bit, field)						\
	do {							\
		if (mask & (bit))				\
			qp->attr.field = attr->field;		\
	} while (0)

static void set_attributes(struct shca_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
	SET(IBV_QP_PKEY_INDEX, pkey_index);
	SET(IBV_QP_PORT, port_num);
	SET(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	SET(IBV_QP_QKEY, qkey);
	SET(IBV_QP_PATH_MTU, path_mtu);
	SET(IBV_QP_DEST_QPN, dest_qp_num);
	SET(IBV_QP_RQ_PSN, rq_psn);
	SET(IBV_QP_SQ_PSN, sq_psn);
	SET(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	SET(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	SET(IBV_QP_TIMEOUT, timeout);
	SET(IBV_QP_RETRY_CNT, retry_cnt);
	SET(IBV_QP_RNR_RETRY, rnr_retry);
	SET(IBV_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify);
	if (mask & IBV_QP_AV)
		set_address(qp, &attr->ah_attr);
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		set_responses(qp, attr->max_dest_rd_atomic);
}

/* Acknowledges what was received before it is forgotten: an adapter would have done so long ago. */
static void acknowledge_received(struct shca_qp *qp)
{
	qp->ops->acknowledge(qp);
	if (qp->answer_link)
		shca_link_ring_doorbell(qp->answer_link);
}

static void empty(struct shca_qp *qp)
{
	struct shca_send_queue *sq = &qp->sq;

	shca_send_buffer_forget(sq);
	sq->posted = 0;
	sq->next = 0;
	sq->next_offset = 0;
	sq->acked = 0;
	sq->completed = 0;
	sq->reads = 0;
	qp->rq.posted = 0;
	qp->rq.taken = 0;
	shca_cq_forget(qp->send_cq, qp);
	shca_cq_forget(qp->recv_cq, qp);
	/* The completions are gone, so no poll of one can change these any more. */
	atomic_store(&sq->freed, 0);
	atomic_store(&qp->rq.freed, 0);
}

void shca_qp_reset(struct shca_qp *qp)
{
	enum ibv_qp_state from;

	acknowledge_received(qp);
	from = qp->ibv.state;
	qp->ibv.state = IBV_QPS_RESET;
	empty(qp);
	if (from != IBV_QPS_RESET)
		qp->ops->entered(qp, from, IBV_QPS_RESET);
	memset(&qp->attr, 0, sizeof(qp->attr));
	qp->responses.limit = 0;
}

void shca_qp_keep_completions(struct shca_qp *qp)
{
	shca_cq_orphan(qp->send_cq, qp);
	shca_cq_orphan(qp->recv_cq, qp);
}

void shca_qp_leave_completions(struct shca_qp *qp)
{
	enum ibv_qp_state from;

	if (qp->ibv.state == IBV_QPS_RESET)
		return;
	acknowledge_received(qp);
	from = qp->ibv.state;
	qp->ibv.state = IBV_QPS_ERR;
	qp->ops->entered(qp, from, IBV_QPS_ERR);
	shca_qp_flush(qp);
	shca_qp_keep_completions(qp);
}

static void enter(struct shca_qp *qp, enum ibv_qp_state to)
{
	enum ibv_qp_state from = qp->ibv.state;

	switch (to) {
	case IBV_QPS_RESET:
		shca_qp_reset(qp);
		return;
	case IBV_QPS_ERR:
		acknowledge_received(qp);
		shca_qp_fail(qp, -1);
		return;
	case IBV_QPS_SQD:
		if (from != to)
			qp->attr.sq_draining = 1;
		break;
	default:
		qp->attr.en_sqd_async_notify = 0;
		qp->attr.sq_draining = 0;
		break;
	}
	qp->ibv.state = to;
	if (from != to)
		qp->ops->entered(qp, from, to);
}

static int reach(struct shca_qp *qp)
{
	return qp->ops->reach ? qp->ops->reach(qp) : 0;
}

int shca_modify_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask)
{
	struct shca_qp *qp = to_shca_qp(ibv);
	enum ibv_qp_state to;
	int ret;

	if (atomic_load(&to_shca_context(ibv->context)->removed))
		return EIO;
	pthread_mutex_lock(&qp->lock);
	ret = check(qp, attr, mask, &to);
	if (ret == 0 && qp->ibv.state == IBV_QPS_RTR && to == IBV_QPS_RTS)
		ret = reach(qp);
	if (ret == 0) {
		set_attributes(qp, attr, mask);
		enter(qp, to);
	}
	pthread_mutex_unlock(&qp->lock);
	/* Waiting requests may be sent now; in SQD a program may wait for the event that nothing is left. */
	if (ret == 0 && (to == IBV_QPS_RTS || to == IBV_QPS_SQD))
		shca_qp_kick(qp);
	return ret;
}

SHCA_EXPORT int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int ret;

	if (!shca_handle_is_valid(qp))
		return shca_error(EINVAL);
	shca_call_begin(to_shca_qp(qp));
	shca_fault_control();
	ret = shca_modify_qp(qp, attr, mask);
	shca_call_end(to_shca_qp(qp));
	return shca_error(ret);
}

/* ---- connecting by rdma_cm ---- */

#define IWARP_TIMEOUT	14	/* 67 ms, in place of TCP's own retransmission */
#define IWARP_RETRIES	7

int shca_qp_connect(struct shca_qp *qp, uint32_t remote_qpn, const union ibv_gid *remote_gid, uint32_t sq_psn,
		    uint32_t rq_psn, uint8_t initiator_depth, uint8_t responder_resources, bool accepted)
{
	struct ibv_qp_attr attr = {
		.path_mtu = shca_personality()->mtu,
		.dest_qp_num = remote_qpn,
		.ah_attr = { .grh = { .dgid = *remote_gid }, .is_global = 1, .port_num = SHCA_PORT },
		.sq_psn = sq_psn & SHCA_PSN_MASK,
		.rq_psn = rq_psn & SHCA_PSN_MASK,
		.max_rd_atomic = initiator_depth,
		.max_dest_rd_atomic = responder_resources,
		.timeout = IWARP_TIMEOUT,
		.retry_cnt = IWARP_RETRIES,
		.rnr_retry = 0,		/* a message without a receive ends the connection */
	};
	int mask = IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_AV | IBV_QP_SQ_PSN | IBV_QP_RQ_PSN |
		   IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		   IBV_QP_RNR_RETRY;
	int ret = 0;

	if (atomic_load(&to_shca_context(qp->ibv.context)->removed))
		return EIO;
	pthread_mutex_lock(&qp->lock);
	if ((qp->ibv.state != IBV_QPS_INIT && qp->ibv.state != IBV_QPS_RTR) || !is_connection_value(&attr, mask)) {
		ret = EINVAL;
	} else {
		set_attributes(qp, &attr, mask);
		/* RTR before the connection is only a name: its attributes are known only now. */
		qp->ibv.state = IBV_QPS_INIT;
		ret = reach(qp);
	}
	if (!ret) {
		enter(qp, IBV_QPS_RTR);
		enter(qp, IBV_QPS_RTS);
		qp->accepted = accepted;
	}
	pthread_mutex_unlock(&qp->lock);
	return ret;
}

/* ---- queries ---- */

#define EFA_QUERY	(IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY | IBV_QP_SQ_PSN | IBV_QP_CAP | \
			 IBV_QP_RNR_RETRY)

SHCA_EXPORT int ibv_query_qp(struct ibv_qp *ibv, struct ibv_qp_attr *attr, int mask,
			     struct ibv_qp_init_attr *init_attr)
{
	struct shca_qp *qp = to_shca_qp(ibv);

	if (!shca_handle_is_valid(ibv))
		return shca_error(EINVAL);
	if (atomic_load(&to_shca_context(ibv->context)->removed))
		return shca_error(EIO);
	/* Else the mask does not matter: everything is returned. */
	if (shca_personality()->srd && mask & ~EFA_QUERY)
		return shca_error(EOPNOTSUPP);
	shca_call_begin(qp);
	pthread_mutex_lock(&qp->lock);
	*attr = qp->attr;
	attr->qp_state = ibv->state;
	attr->cur_qp_state = ibv->state;
	attr->cap = qp->cap;
	*init_attr = (struct ibv_qp_init_attr){
		.qp_context = ibv->qp_context,
		.send_cq = ibv->send_cq,
		.recv_cq = ibv->recv_cq,
		.srq = ibv->srq,
		.cap = qp->cap,
		.qp_type = ibv->qp_type,
		.sq_sig_all = qp->sq_sig_all,
	};
	pthread_mutex_unlock(&qp->lock);
	shca_call_end(qp);
	return 0;
}

/* ---- vendors' options of a connection (ECE): there are none ---- */

SHCA_EXPORT int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	(void)qp, (void)ece;
	return shca_error(EOPNOTSUPP);
}

SHCA_EXPORT int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	(void)qp, (void)ece;
	return shca_error(EOPNOTSUPP);
}

/* A program that polls memory instead of a completion queue relies on an order that verbs do not promise. */
SHCA_EXPORT int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint32_t flags)
{
	(void)qp, (void)opcode, (void)flags;
	return 0;
}
