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

/* rdma_init_qp_attr: the "kernel's" attributes for each transition, and their masks. */
#include <errno.h>
#include <string.h>

#include "base/shca_export.h"
#include "cm/shca_cm_kernel.h"
#include "device/shca_context.h"

#define HOP_LIMIT	64

void shca_cm_init_ah_attr(struct shca_cm_id *id, struct ibv_ah_attr *ah)
{
	union ibv_gid gid;
	int index = shca_cm_address_gid(&id->local, &gid);

	memset(ah, 0, sizeof(*ah));
	shca_cm_address_gid(&id->remote, &ah->grh.dgid);
	ah->grh.sgid_index = (uint8_t)(index < 0 ? 0 : index);
	ah->grh.hop_limit = HOP_LIMIT;
	ah->grh.traffic_class = id->state < SHCA_CM_REQUESTING ? id->tos : id->traffic_class;
	ah->is_global = 1;
	ah->port_num = SHCA_PORT;
}

/* Before a connection, and for datagrams. The requested state does not matter, as in the kernel. */
static int init_alone(const struct shca_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	attr->port_num = SHCA_PORT;
	*mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	if (shca_cm_is_datagram(id)) {
		attr->qkey = RDMA_UDP_QKEY;
		*mask |= IBV_QP_QKEY;
	} else {
		*mask |= IBV_QP_ACCESS_FLAGS;
	}
	return 0;
}

static int init_to_init(const struct shca_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	*mask = IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	attr->qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	if (id->cm_responder_resources)
		attr->qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	attr->port_num = SHCA_PORT;
	return 0;
}

static int init_to_rtr(struct shca_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	*mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	shca_cm_init_ah_attr(id, &attr->ah_attr);
	attr->path_mtu = shca_personality()->mtu;
	attr->dest_qp_num = id->remote_qpn;
	attr->rq_psn = id->rq_psn;
	attr->max_dest_rd_atomic = id->cm_responder_resources;
	/* 0 means 655.36 ms, not none. The kernel uses it, too. */
	attr->min_rnr_timer = 0;
	return 0;
}

static int init_to_rts(const struct shca_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	*mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC |
		IBV_QP_TIMEOUT;
	attr->sq_psn = id->sq_psn;
	attr->retry_cnt = id->retry_count;
	attr->rnr_retry = id->rnr_retry_count;
	attr->max_rd_atomic = id->cm_initiator_depth;
	/* The time of both directions. */
	attr->timeout = id->timeout_set ? id->timeout : id->packet_life_time + 1;
	return 0;
}

static bool has_been_connected(const struct shca_cm_id *id)
{
	return id->state >= SHCA_CM_REQUESTING && id->state <= SHCA_CM_CONNECTED;
}

/* The device makes the transitions itself, so only attributes that it cannot know are set. */
static int init_iwarp(const struct shca_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	*mask = IBV_QP_PORT;
	attr->port_num = SHCA_PORT;
	if (id->state < SHCA_CM_REQUESTING) {
		*mask |= IBV_QP_STATE | IBV_QP_ACCESS_FLAGS;
		return 0;
	}
	switch (attr->qp_state) {
	case IBV_QPS_INIT:
	case IBV_QPS_RTR:
		*mask |= IBV_QP_STATE | IBV_QP_ACCESS_FLAGS;
		attr->qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
		return 0;
	case IBV_QPS_RTS:
		return 0;
	default:
		return -EINVAL;
	}
}

int shca_cm_init_qp_attr(struct shca_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	enum ibv_qp_state state = attr->qp_state;

	memset(attr, 0, sizeof(*attr));
	attr->qp_state = state;
	*mask = 0;
	if (!id->has_device || (unsigned int)state > IBV_QPS_ERR)
		return -EINVAL;
	if (shca_cm_is_iwarp() && !shca_cm_is_datagram(id))
		return init_iwarp(id, attr, mask);
	if (id->state < SHCA_CM_REQUESTING || shca_cm_is_datagram(id))
		return init_alone(id, attr, mask);
	if (!has_been_connected(id) || (state != IBV_QPS_INIT && id->state == SHCA_CM_REQUESTING))
		return -EINVAL;
	switch (state) {
	case IBV_QPS_INIT:
		return init_to_init(id, attr, mask);
	case IBV_QPS_RTR:
		return init_to_rtr(id, attr, mask);
	case IBV_QPS_RTS:
		return init_to_rts(id, attr, mask);
	default:
		return -EINVAL;
	}
}

SHCA_EXPORT int rdma_init_qp_attr(struct rdma_cm_id *rdma, struct ibv_qp_attr *attr, int *mask)
{
	int result;

	pthread_mutex_lock(&shca_cm_lock);
	result = shca_cm_init_qp_attr(to_shca_cm_id(rdma), attr, mask);
	pthread_mutex_unlock(&shca_cm_lock);
	return shca_cm_result(result);
}
