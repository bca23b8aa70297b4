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

/* Queue pairs that are created with an id, and the completion queues and shared receive queues that come with them. */
#include <errno.h>
#include <rdma/rdma_verbs.h>
#include <string.h>

#include "base/shca_export.h"
#include "cm/shca_cm_library.h"

/* ---- transitions ---- */

/* ibv_modify_qp returns an errno. */
static int modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	return shca_cm_result(-ibv_modify_qp(qp, attr, mask));
}

static int modify_with_attributes(struct shca_cm_id *id, struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;

	if (rdma_init_qp_attr(&id->id, &attr, &mask))
		return -1;
	return modify(qp, &attr, mask);
}

int shca_cm_modify_rtr(struct shca_cm_id *id, uint8_t responder_resources)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	int mask;

	if (!id->id.qp)
		return 0;
	/* The peer's access rights are known now. */
	if (modify_with_attributes(id, id->id.qp, IBV_QPS_INIT) || rdma_init_qp_attr(&id->id, &attr, &mask))
		return -1;
	if (responder_resources != RDMA_MAX_RESP_RES)
		attr.max_dest_rd_atomic = responder_resources;
	return modify(id->id.qp, &attr, mask);
}

int shca_cm_modify_rts(struct shca_cm_id *id, uint8_t initiator_depth)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS };
	int mask;

	if (!id->id.qp)
		return 0;
	if (rdma_init_qp_attr(&id->id, &attr, &mask))
		return -1;
	if (initiator_depth != RDMA_MAX_INIT_DEPTH)
		attr.max_rd_atomic = initiator_depth;
	return modify(id->id.qp, &attr, mask);
}

int shca_cm_modify_err(struct shca_cm_id *id)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	return id->id.qp ? modify(id->id.qp, &attr, IBV_QP_STATE) : 0;
}

/* Enters RTS at once: datagrams have no peer to wait for. */
static int start_datagrams(struct shca_cm_id *id, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };

	if (modify_with_attributes(id, qp, IBV_QPS_INIT) || modify(qp, &attr, IBV_QP_STATE))
		return -1;
	attr.qp_state = IBV_QPS_RTS;
	return modify(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

/* ---- completion queues for callers without their own ---- */

static void destroy_queues(struct rdma_cm_id *id)
{
	if (id->recv_cq)
		ibv_destroy_cq(id->recv_cq);
	if (id->send_cq && id->send_cq != id->recv_cq)
		ibv_destroy_cq(id->send_cq);
	if (id->recv_cq_channel)
		ibv_destroy_comp_channel(id->recv_cq_channel);
	if (id->send_cq_channel && id->send_cq_channel != id->recv_cq_channel)
		ibv_destroy_comp_channel(id->send_cq_channel);
	id->recv_cq = NULL;
	id->send_cq = NULL;
	id->recv_cq_channel = NULL;
	id->send_cq_channel = NULL;
}

static int create_queue(struct rdma_cm_id *id, uint32_t size, struct ibv_comp_channel **channel, struct ibv_cq **cq)
{
	if (!size)
		return 0;
	*channel = ibv_create_comp_channel(id->verbs);
	if (!*channel)
		return -1;
	*cq = ibv_create_cq(id->verbs, (int)size, id, *channel, 0);
	return *cq ? 0 : -1;
}

static int create_queues(struct rdma_cm_id *id, uint32_t send_size, uint32_t recv_size)
{
	int error;

	if (!create_queue(id, recv_size, &id->recv_cq_channel, &id->recv_cq) &&
	    !create_queue(id, send_size, &id->send_cq_channel, &id->send_cq))
		return 0;
	error = errno;
	destroy_queues(id);
	errno = error;
	return -1;
}

/* ---- queue pairs ---- */

static int start(struct shca_cm_id *id, struct ibv_qp *qp)
{
	return shca_cm_is_datagram(id) ? start_datagrams(id, qp) : modify_with_attributes(id, qp, IBV_QPS_INIT);
}

static int create_with_queues(struct shca_cm_id *id, struct ibv_qp_init_attr_ex *attr)
{
	struct rdma_cm_id *rdma = &id->id;
	struct ibv_qp *qp;
	int error;

	if (!attr->send_cq)
		attr->send_cq = rdma->send_cq;
	if (!attr->recv_cq)
		attr->recv_cq = rdma->recv_cq;
	if (rdma->srq && !attr->srq)
		attr->srq = rdma->srq;
	qp = ibv_create_qp_ex(rdma->verbs, attr);
	if (qp && !start(id, qp)) {
		rdma->pd = qp->pd;
		rdma->qp = qp;
		return 0;
	}
	error = errno;
	if (qp)
		ibv_destroy_qp(qp);
	destroy_queues(rdma);
	errno = error;
	return -1;
}

SHCA_EXPORT int rdma_create_qp_ex(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr)
{
	if (id->qp || !id->verbs)
		return shca_cm_result(-EINVAL);
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd) {
		attr->comp_mask |= IBV_QP_INIT_ATTR_PD;
		attr->pd = id->pd;
	} else if (id->verbs != attr->pd->context) {
		return shca_cm_result(-EINVAL);
	}
	if ((id->recv_cq && attr->recv_cq && id->recv_cq != attr->recv_cq) ||
	    (id->send_cq && attr->send_cq && id->send_cq != attr->send_cq))
		return shca_cm_result(-EINVAL);
	if (create_queues(id, attr->send_cq || id->send_cq ? 0 : attr->cap.max_send_wr,
			  attr->recv_cq || id->recv_cq ? 0 : attr->cap.max_recv_wr))
		return -1;
	return create_with_queues(to_shca_cm_id(id), attr);
}

SHCA_EXPORT int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex extended = { 0 };
	int result;

	/* Both structs begin with the same members. */
	memcpy(&extended, attr, sizeof(*attr));
	extended.comp_mask = IBV_QP_INIT_ATTR_PD;
	extended.pd = pd ? pd : id->pd;
	result = rdma_create_qp_ex(id, &extended);
	memcpy(attr, &extended, sizeof(*attr));
	return result;
}

SHCA_EXPORT void rdma_destroy_qp(struct rdma_cm_id *id)
{
	ibv_destroy_qp(id->qp);
	id->qp = NULL;
	destroy_queues(id);
}

/* ---- shared receive queues ---- */

SHCA_EXPORT int rdma_create_srq_ex(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_srq *srq;

	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) || !id->verbs)
		return shca_cm_result(-EINVAL);
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) || !attr->pd) {
		attr->pd = id->pd;
		attr->comp_mask |= IBV_SRQ_INIT_ATTR_PD;
	}
	srq = ibv_create_srq_ex(id->verbs, attr);
	if (!srq)
		return -1;
	if (!id->pd)
		id->pd = attr->pd;
	id->srq = srq;
	return 0;
}

SHCA_EXPORT int rdma_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct ibv_srq_init_attr_ex extended = { 0 };
	int result;

	memcpy(&extended, attr, sizeof(*attr));
	extended.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD;
	extended.srq_type = IBV_SRQT_BASIC;
	extended.pd = pd;
	result = rdma_create_srq_ex(id, &extended);
	memcpy(attr, &extended, sizeof(*attr));
	return result;
}

SHCA_EXPORT void rdma_destroy_srq(struct rdma_cm_id *id)
{
	ibv_destroy_srq(id->srq);
	id->srq = NULL;
	destroy_queues(id);
}
