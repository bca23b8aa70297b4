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

#include "verbs/nrdma_queue_pair.h"

#include <assert.h>
#include <infiniband/efadv.h>
#include <stddef.h>
#include <stdlib.h>

#include "abi/nrdma_error.h"
#include "jni/nrdma_jni.h"
#include "verbs/nrdma_address_handle.h"
#include "verbs/nrdma_soft_roce.h"

#define PLAIN_OPS (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ)
#define IMM_OPS (IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
#define ATOMIC_OPS (IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

/* The operations to request, best first. A device that lacks one of them refuses the whole set. */
static const uint64_t connection_ops[] = {
	PLAIN_OPS | IMM_OPS | ATOMIC_OPS,
	PLAIN_OPS | IMM_OPS,
	PLAIN_OPS,
	0
};
static const uint64_t srd_ops[] = {
	PLAIN_OPS | IMM_OPS,
	IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ,
	IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM,
	0
};
static const uint64_t datagram_ops[] = {
	IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM,
	IBV_QP_EX_WITH_SEND,
	0
};

/* struct efadv_qp_init_attr of version 55. To earlier ones, which refuse them, the last four bytes are reserved. */
struct srd_init {
	uint64_t comp_mask;
	uint32_t driver_qp_type;
	uint16_t flags;
	uint8_t service_level;
	uint8_t reserved;
};

static_assert(sizeof(struct srd_init) <= sizeof(struct efadv_qp_init_attr), "newer ones only add to it");
static_assert(offsetof(struct srd_init, driver_qp_type) == offsetof(struct efadv_qp_init_attr, driver_qp_type),
	      "and all begin alike");

static struct ibv_cq *ibv_cq_of(uint64_t handle)
{
	struct nrdma_cq *cq = (struct nrdma_cq *)(uintptr_t)handle;

	return cq ? cq->cq : NULL;
}

static struct ibv_qp_init_attr_ex init_attr(const struct nrdma_qp_init *init)
{
	return (struct ibv_qp_init_attr_ex) {
		.qp_context = (void *)(uintptr_t)init->context,
		.send_cq = ibv_cq_of(init->send_cq),
		.recv_cq = ibv_cq_of(init->recv_cq),
		.srq = (struct ibv_srq *)(uintptr_t)init->srq,
		.cap = {
			.max_send_wr = init->max_send_wr,
			.max_recv_wr = init->max_recv_wr,
			.max_send_sge = init->max_send_sge,
			.max_recv_sge = init->max_recv_sge,
			.max_inline_data = init->max_inline,
		},
		.qp_type = init->type,
		.sq_sig_all = init->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = (struct ibv_pd *)(uintptr_t)init->pd,
	};
}

static const uint64_t *ops_of(uint8_t type)
{
	return type == IBV_QPT_UD ? datagram_ops : type == IBV_QPT_DRIVER ? srd_ops : connection_ops;
}

/* The one type of queue pair that has a function of its own is that of EFA. Returns NULL and sets errno on failure. */
static struct ibv_qp *create(struct ibv_qp_init_attr_ex *attr, struct nrdma_qp_init *init)
{
	struct srd_init srd = { .driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD, .service_level = init->service_level };
	struct efadv_qp_init_attr *efa = (struct efadv_qp_init_attr *)&srd;
	struct ibv_qp_init_attr_ex asked = *attr;
	struct ibv_qp *qp;

	errno = 0;
	if (attr->qp_type != IBV_QPT_DRIVER) {
		init->service_level = 0;
		/* With only a PD in comp_mask, verbs.h calls ibv_create_qp. */
		return ibv_create_qp_ex(attr->pd->context, attr);
	}
	qp = efadv_create_qp_ex(attr->pd->context, attr, efa, sizeof(srd));
	/* The answer of a library that does not know the level. With another cause the second try fails, too. */
	if (!qp && errno == EINVAL && srd.service_level) {
		*attr = asked;
		init->service_level = srd.service_level = 0;
		errno = 0;
		qp = efadv_create_qp_ex(attr->pd->context, attr, efa, sizeof(srd));
	}
	return qp;
}

/* Returns 0 or errno. Writes the granted capacities to cap. */
static int create_extended(struct nrdma_qp *qp, struct nrdma_qp_init *init,
			   struct ibv_qp_cap *cap)
{
	const uint64_t *ops = ops_of(init->type);
	struct ibv_qp_init_attr_ex attr;
	int err = EOPNOTSUPP;

	for (; *ops; ops++) {
		attr = init_attr(init);
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = *ops;
		qp->qp = create(&attr, init);
		if (qp->qp) {
			/* NULL if libibverbs is too old: then the classic API posts. */
			qp->qp_ex = ibv_qp_to_qp_ex(qp->qp);
			qp->send_ops = *ops;
			if (init->vendor_id != NRDMA_SOFT_ROCE_VENDOR)
				qp->send_ops |= NRDMA_SEND_LISTS;
			*cap = attr.cap;
			return 0;
		}
		err = nrdma_errno();
		if (!nrdma_is_unsupported(err))
			break;
	}
	return err;
}

/* Returns errno. */
static int create_classic(struct nrdma_qp *qp, struct nrdma_qp_init *init,
			  struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr_ex attr = init_attr(init);

	qp->qp = create(&attr, init);
	*cap = attr.cap;
	return qp->qp ? 0 : nrdma_errno();
}

int64_t nrdma_create_qp(struct nrdma_qp_init *init)
{
	struct nrdma_qp *qp = calloc(1, sizeof(*qp));
	struct nrdma_qp_init tried = *init;
	struct ibv_qp_cap cap;
	int err;

	if (!qp)
		return -ENOMEM;
	qp->datagram = init->type == IBV_QPT_UD || init->type == IBV_QPT_DRIVER;
	err = init->extended ? create_extended(qp, &tried, &cap) : EOPNOTSUPP;
	if (nrdma_is_unsupported(err))
		err = create_classic(qp, &tried, &cap);
	if (err) {
		free(qp);
		return -err;
	}
	init->qp_num = qp->qp->qp_num;
	init->max_send_wr = cap.max_send_wr;
	init->max_recv_wr = cap.max_recv_wr;
	init->max_send_sge = cap.max_send_sge;
	init->max_recv_sge = cap.max_recv_sge;
	init->max_inline = cap.max_inline_data;
	init->extended = qp->qp_ex != NULL;
	init->service_level = tried.service_level;
	return nrdma_handle(qp);
}

int nrdma_destroy_qp(struct nrdma_qp *qp)
{
	int err = NRDMA_RESULT(ibv_destroy_qp(qp->qp));

	if (!err)
		free(qp);
	return err;
}

struct ibv_qp_attr nrdma_qp_attr_to_ibv(const struct nrdma_qp_attr *attr)
{
	return (struct ibv_qp_attr) {
		.qp_state = attr->state,
		.path_mtu = attr->path_mtu,
		.qkey = attr->qkey,
		.rq_psn = attr->rq_psn,
		.sq_psn = attr->sq_psn,
		.dest_qp_num = attr->dest_qp_num,
		.qp_access_flags = attr->access_flags,
		.cap = {
			.max_send_wr = attr->max_send_wr,
			.max_recv_wr = attr->max_recv_wr,
			.max_send_sge = attr->max_send_sge,
			.max_recv_sge = attr->max_recv_sge,
			.max_inline_data = attr->max_inline,
		},
		.ah_attr = nrdma_ah_attr_to_ibv(&attr->ah),
		.pkey_index = attr->pkey_index,
		.sq_draining = attr->sq_draining,
		.max_rd_atomic = attr->max_rd_atomic,
		.max_dest_rd_atomic = attr->max_dest_rd_atomic,
		.min_rnr_timer = attr->min_rnr_timer,
		.port_num = attr->port_num,
		.timeout = attr->timeout,
		.retry_cnt = attr->retry_cnt,
		.rnr_retry = attr->rnr_retry,
	};
}

struct nrdma_qp_attr nrdma_qp_attr_from_ibv(const struct ibv_qp_attr *ibv, int mask)
{
	return (struct nrdma_qp_attr) {
		.mask = (uint32_t)mask,
		.qkey = ibv->qkey,
		.rq_psn = ibv->rq_psn,
		.sq_psn = ibv->sq_psn,
		.dest_qp_num = ibv->dest_qp_num,
		.access_flags = ibv->qp_access_flags,
		.ah = nrdma_ah_attr_from_ibv(&ibv->ah_attr),
		.pkey_index = ibv->pkey_index,
		.state = (uint8_t)ibv->qp_state,
		.path_mtu = (uint8_t)ibv->path_mtu,
		.max_rd_atomic = ibv->max_rd_atomic,
		.max_dest_rd_atomic = ibv->max_dest_rd_atomic,
		.min_rnr_timer = ibv->min_rnr_timer,
		.port_num = ibv->port_num,
		.timeout = ibv->timeout,
		.retry_cnt = ibv->retry_cnt,
		.rnr_retry = ibv->rnr_retry,
		.sq_draining = ibv->sq_draining,
		.max_send_wr = ibv->cap.max_send_wr,
		.max_recv_wr = ibv->cap.max_recv_wr,
		.max_send_sge = ibv->cap.max_send_sge,
		.max_recv_sge = ibv->cap.max_recv_sge,
		.max_inline = ibv->cap.max_inline_data,
	};
}

static struct ibv_qp *ibv_qp_of(jlong handle)
{
	return ((struct nrdma_qp *)nrdma_ptr(handle))->qp;
}

static jlong jni_createQueuePair(NRDMA_ENV, jlong init)
{
	return nrdma_create_qp(nrdma_ptr(init));
}

static jint jni_modifyQueuePair(NRDMA_ENV, jlong qp, jlong attributes)
{
	const struct nrdma_qp_attr *record = nrdma_ptr(attributes);
	struct ibv_qp_attr attr = nrdma_qp_attr_to_ibv(record);

	return NRDMA_RESULT(ibv_modify_qp(ibv_qp_of(qp), &attr, (int)record->mask));
}

static jint jni_queryQueuePair(NRDMA_ENV, jlong qp, jlong attributes, jint mask)
{
	struct nrdma_qp_attr *record = nrdma_ptr(attributes);
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_UNKNOWN };
	int err = NRDMA_RESULT(ibv_query_qp(ibv_qp_of(qp), &attr, mask | IBV_QP_CAP, &init));

	if (!err)
		*record = nrdma_qp_attr_from_ibv(&attr, mask);
	return err;
}

static jint jni_destroyQueuePair(NRDMA_ENV, jlong qp)
{
	return nrdma_destroy_qp(nrdma_ptr(qp));
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(createQueuePair, "(J)J"),
	NRDMA_METHOD(modifyQueuePair, "(JJ)I"),
	NRDMA_METHOD(queryQueuePair, "(JJI)I"),
	NRDMA_METHOD(destroyQueuePair, "(J)I"),
};

const struct nrdma_methods nrdma_queue_pair_methods = NRDMA_METHODS("VerbsNative", methods);
