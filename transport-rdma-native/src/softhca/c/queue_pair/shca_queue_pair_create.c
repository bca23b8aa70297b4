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

/* Queue pairs: their creation and their end. */
#include <errno.h>
#include <stdlib.h>

#include "base/shca_error.h"
#include "base/shca_export.h"
#include "base/shca_handle.h"
#include "device/shca_async_event.h"
#include "device/shca_context.h"
#include "device/shca_device.h"
#include "fault/shca_fault.h"
#include "memory/shca_protection_domain.h"
#include "personality/shca_personality.h"
#include "queue_pair/shca_call.h"
#include "queue_pair/shca_queue_pair_internal.h"
#include "wire/shca_link.h"
#include "wire/shca_watch.h"

/* A ring of EFA has one entry for each SGE. */
static uint32_t max_recv_wr(uint32_t sges)
{
	const struct shca_personality *personality = shca_personality();

	return personality->rounds_depths && sges ? personality->max_recv_wr / sges : personality->max_recv_wr;
}

/* To what fills the rings. */
static void round_depths(struct ibv_qp_cap *cap)
{
	cap->max_send_wr = cap->max_send_wr ? shca_slots_for(cap->max_send_wr) : 0;
	if (cap->max_recv_sge)
		cap->max_recv_wr = shca_slots_for(cap->max_recv_sge * cap->max_recv_wr) / cap->max_recv_sge;
}

static int check_caps(const struct ibv_qp_init_attr_ex *attr)
{
	const struct shca_personality *personality = shca_personality();
	const struct ibv_qp_cap *cap = &attr->cap;

	if (cap->max_send_wr > personality->max_qp_wr || cap->max_send_sge > personality->max_sge ||
	    cap->max_inline_data > personality->max_inline)
		return EINVAL;
	/* With a shared receive queue it has none of its own, and the receive capacities are ignored. */
	if (!attr->srq && (cap->max_recv_wr > max_recv_wr(cap->max_recv_sge) ||
			   cap->max_recv_sge > personality->max_recv_sge))
		return EINVAL;
	return 0;
}

/* Libraries that have ibv_create_qp_ex let a program say that it wants no flags. EFA's alone refuses even that. */
static bool has_unknown_attributes(const struct ibv_qp_init_attr_ex *attr)
{
	const struct shca_personality *personality = shca_personality();
	uint32_t known = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	if (personality->extended_qp && !personality->srd && !attr->create_flags)
		known |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	return attr->comp_mask & ~known;
}

#define is_part(object, of)	((object) && (object)->context == (of) && shca_handle_is_valid(object))

static int check(const struct ibv_context *context, const struct ibv_qp_init_attr_ex *attr,
		 const struct shca_qp_type_ops *ops)
{
	if (has_unknown_attributes(attr) || !ops)
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS &&
	    (!shca_personality()->extended_qp || attr->send_ops_flags & ~shca_send_ops(ops)))
		return EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !is_part(attr->pd, context) ||
	    !is_part(attr->send_cq, context) || !is_part(attr->recv_cq, context))
		return EINVAL;
	if (attr->srq && !shca_personality()->shared_receive_queue)
		return shca_personality()->srd ? EINVAL : EOPNOTSUPP;
	if (attr->srq && !is_part(attr->srq, context))
		return EINVAL;
	return check_caps(attr);
}

/*
 * The content is undefined: posting fills an entry. So a page of memory is used when a queue is as long as that, which
 * makes a queue pair that sends little cheap to create. One allocation is one call of mprotect when an arena grows.
 */
static bool init_send_queue(struct shca_send_queue *sq, const struct ibv_qp_cap *cap)
{
	size_t slots = shca_slots_for(cap->max_send_wr * (shca_personality()->send_buffer ? 2 : 1));

	sq->depth = cap->max_send_wr;
	sq->mask = (uint32_t)slots - 1;
	sq->max_sge = cap->max_send_sge;
	sq->max_inline = cap->max_inline_data;
	sq->ring = malloc(slots * (sizeof(*sq->ring) + sq->max_sge * sizeof(*sq->sges) + sq->max_inline));
	if (!sq->ring)
		return false;
	sq->sges = (struct ibv_sge *)(sq->ring + slots);
	sq->inline_data = (void *)(sq->sges + slots * sq->max_sge);
	return true;
}

static bool init_responses(struct shca_qp *qp)
{
	uint32_t receive_sge = qp->srq ? qp->srq->receives.max_sge : qp->cap.max_recv_sge;
	size_t slots = shca_slots_for(shca_personality()->max_rd_atomic);

	qp->responses.mask = (uint32_t)slots - 1;
	qp->responses.ring = malloc(slots * sizeof(*qp->responses.ring) + receive_sge * sizeof(*qp->receive_sges));
	if (!qp->responses.ring)
		return false;
	qp->receive_sges = (struct ibv_sge *)(qp->responses.ring + slots);
	return true;
}

/* Allocates everything that the data path needs. After a failure free_memory frees what was allocated. */
static bool init_memory(struct shca_qp *qp)
{
	if (qp->ops->create && !qp->ops->create(qp))
		return false;
	return init_send_queue(&qp->sq, &qp->cap) && init_responses(qp) &&
	       shca_receive_queue_init(&qp->rq, qp->cap.max_recv_wr, qp->cap.max_recv_sge) == 0;
}

static void free_memory(struct shca_qp *qp)
{
	if (qp->ops->destroy)
		qp->ops->destroy(qp);
	shca_receive_queue_destroy(&qp->rq);
	free(qp->responses.ring);
	free(qp->sq.ring);
	pthread_cond_destroy(&qp->ibv.cond);
	pthread_mutex_destroy(&qp->ibv.mutex);
	pthread_mutex_destroy(&qp->lock);
	free(qp);
}

static void init(struct shca_qp *qp, struct ibv_context *context, const struct ibv_qp_init_attr_ex *attr,
		 const struct shca_qp_type_ops *ops)
{
	qp->ibv.context = context;
	qp->ibv.qp_context = attr->qp_context;
	qp->ibv.pd = attr->pd;
	shca_handle_set(&qp->ibv);
	qp->ibv.send_cq = attr->send_cq;
	qp->ibv.recv_cq = attr->recv_cq;
	qp->ibv.srq = attr->srq;
	qp->ibv.state = IBV_QPS_RESET;
	qp->ibv.qp_type = attr->qp_type;
	pthread_mutex_init(&qp->ibv.mutex, NULL);
	pthread_cond_init(&qp->ibv.cond, NULL);
	pthread_mutex_init(&qp->lock, NULL);
	qp->ops = ops;
	qp->pd = to_shca_pd(attr->pd)->number;
	qp->sq_sig_all = attr->sq_sig_all;
	qp->cap = attr->cap;
	if (shca_personality()->rounds_depths)
		round_depths(&qp->cap);
	qp->srq = attr->srq ? to_shca_srq(attr->srq) : NULL;
	if (qp->srq)
		qp->cap.max_recv_wr = qp->cap.max_recv_sge = 0;
	qp->send_cq = to_shca_cq(attr->send_cq);
	qp->recv_cq = to_shca_cq(attr->recv_cq);
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		qp->extended = true;
		qp->send_ops_flags = attr->send_ops_flags;
		shca_work_request_init(qp);
	}
}

/* Prevents the objects that it uses from being destroyed before it. */
static void hold_parts(struct shca_qp *qp)
{
	atomic_fetch_add(&to_shca_pd(qp->ibv.pd)->users, 1);
	atomic_fetch_add(&qp->send_cq->users, 1);
	atomic_fetch_add(&qp->recv_cq->users, 1);
	if (qp->srq)
		atomic_fetch_add(&qp->srq->users, 1);
}

static void release_parts(struct shca_qp *qp)
{
	if (qp->srq)
		atomic_fetch_sub(&qp->srq->users, 1);
	atomic_fetch_sub(&qp->recv_cq->users, 1);
	atomic_fetch_sub(&qp->send_cq->users, 1);
	atomic_fetch_sub(&to_shca_pd(qp->ibv.pd)->users, 1);
}

struct ibv_qp *shca_qp_new(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
			   const struct shca_qp_type_ops *ops)
{
	struct shca_qp *qp;
	int ret;

	shca_fault_control();
	if (atomic_load(&to_shca_context(context)->removed))
		return shca_null(EIO);
	ret = check(context, attr, ops);
	if (ret)
		return shca_null(ret);
	if (!shca_limit_acquire(SHCA_LIMITED_QP))
		return shca_null(ENOMEM);
	qp = calloc(1, ops->size);
	if (!qp) {
		shca_limit_release(SHCA_LIMITED_QP);
		return shca_null(ENOMEM);
	}
	init(qp, context, attr, ops);
	if (!init_memory(qp) || !shca_qp_table_add(qp)) {
		free_memory(qp);
		shca_limit_release(SHCA_LIMITED_QP);
		return shca_null(ENOMEM);
	}
	hold_parts(qp);
	attr->cap = qp->cap;
	return &qp->ibv;
}

struct ibv_qp_init_attr_ex shca_extended(struct ibv_pd *pd, const struct ibv_qp_init_attr *attr)
{
	return (struct ibv_qp_init_attr_ex){
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
}

/* Destroying a queue pair in these states waits for the peer's answer, with siw. */
static bool is_being_connected(struct shca_qp *qp)
{
	enum ibv_qp_state state;

	pthread_mutex_lock(&qp->lock);
	state = qp->ibv.state;
	pthread_mutex_unlock(&qp->lock);
	return state == IBV_QPS_INIT || state == IBV_QPS_RTR;
}

/*
 * A thread that found the queue pair before it left the table may still be about to call it. In RESET the queue pair
 * drops what such a call brings, and is put on no list again. So once the lists are clean and those threads are
 * through, there is no reference to it.
 */
SHCA_EXPORT int ibv_destroy_qp(struct ibv_qp *ibv)
{
	struct shca_qp *qp = to_shca_qp(ibv);

	if (!shca_handle_is_valid(ibv))
		return shca_error(ENOENT);
	shca_call_last(qp);
	shca_fault_control();
	if (shca_faults_are_active() && is_being_connected(qp))
		shca_fault_sleep_in_destroy();
	shca_qp_table_remove(qp);
	pthread_mutex_lock(&qp->lock);
	if (shca_faults_are_active() && shca_fault_linger())
		shca_qp_leave_completions(qp);
	else if (shca_personality()->bare_cq)
		shca_qp_keep_completions(qp);
	shca_qp_reset(qp);
	pthread_mutex_unlock(&qp->lock);
	shca_watch_remove(&qp->wire);
	shca_links_forget(shca_qp_links(qp), &qp->wire);
	shca_links_quiesce(shca_qp_links(qp));
	shca_async_forget(ibv->context, &qp->async_events, &ibv->mutex, &ibv->cond, &ibv->events_completed);
	release_parts(qp);
	free_memory(qp);
	shca_limit_release(SHCA_LIMITED_QP);
	return 0;
}
