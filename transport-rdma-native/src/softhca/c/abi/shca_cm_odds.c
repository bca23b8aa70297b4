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
 * What is small, and what there is not: enhanced connection establishment, multicast.
 */
#include "shca_cm_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shca_export.h"

#define MOST_ACK_TIMEOUT	31

/* ---- devices ---- */

SHCA_EXPORT struct ibv_context **rdma_get_devices(int *count)
{
	struct ibv_context **list = NULL;

	if (!shca_cm_device_open())
		list = calloc(2, sizeof(*list));
	if (list)
		list[0] = shca_cm_device_verbs();
	if (count)
		*count = list != NULL;
	return list;
}

SHCA_EXPORT void rdma_free_devices(struct ibv_context **list)
{
	free(list);
}

/* ---- ports ---- */

static __be16 port_of(const struct sockaddr *sockaddr)
{
	union shca_cm_address address;

	return shca_cm_address_from(&address, sockaddr) ? shca_cm_address_port(&address) : 0;
}

SHCA_EXPORT __be16 rdma_get_src_port(struct rdma_cm_id *id)
{
	return port_of(&id->route.addr.src_addr);
}

SHCA_EXPORT __be16 rdma_get_dst_port(struct rdma_cm_id *id)
{
	return port_of(&id->route.addr.dst_addr);
}

/* ---- options; with the lock ---- */

static int set_reuse(struct shca_cm_id *id, int value)
{
	if ((!value || id->state == SHCA_CM_LISTENING) && id->state != SHCA_CM_IDLE)
		return -EINVAL;
	id->reuse = value != 0;
	return 0;
}

static int set_afonly(struct shca_cm_id *id, int value)
{
	if (id->state != SHCA_CM_IDLE && id->state != SHCA_CM_BOUND)
		return -EINVAL;
	id->afonly = value != 0;
	return 0;
}

static int set_ack_timeout(struct shca_cm_id *id, uint8_t value)
{
	if (id->id.qp_type != IBV_QPT_RC || value > MOST_ACK_TIMEOUT)
		return -EINVAL;
	id->timeout = value;
	id->timeout_set = true;
	return 0;
}

static int set_option(struct shca_cm_id *id, int name, const void *value, size_t size)
{
	bool is_byte = name == RDMA_OPTION_ID_TOS || name == RDMA_OPTION_ID_ACK_TIMEOUT;
	uint8_t byte = 0;
	int number = 0;

	if (name < RDMA_OPTION_ID_TOS || name > RDMA_OPTION_ID_ACK_TIMEOUT)
		return -ENOSYS;
	if (size != (is_byte ? sizeof(byte) : sizeof(number)))
		return -EINVAL;
	memcpy(is_byte ? (void *)&byte : &number, value, size);
	switch (name) {
	case RDMA_OPTION_ID_TOS:
		id->tos = byte;
		return 0;
	case RDMA_OPTION_ID_REUSEADDR:
		return set_reuse(id, number);
	case RDMA_OPTION_ID_AFONLY:
		return set_afonly(id, number);
	default:
		return set_ack_timeout(id, byte);
	}
}

/* A path (RDMA_OPTION_IB) is the business of a subnet, and there is none. */
SHCA_EXPORT int rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t size)
{
	int result = -ENOSYS;

	pthread_mutex_lock(&shca_cm_lock);
	if (level == RDMA_OPTION_ID)
		result = set_option(to_shca_cm_id(id), name, value, size);
	pthread_mutex_unlock(&shca_cm_lock);
	return shca_cm_result(result);
}

/* ---- what there is not ---- */

/* The device has no options to agree on: ibv_query_ece says so, too. */
SHCA_EXPORT int rdma_set_local_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	if (!id || id->qp || !ece || !ece->vendor_id || ece->comp_mask)
		return shca_cm_result(-EINVAL);
	return shca_cm_result(-EOPNOTSUPP);
}

/* A vendor of 0: the peer has not offered any. */
SHCA_EXPORT int rdma_get_remote_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	if (!id || id->qp || !ece)
		return shca_cm_result(-EINVAL);
	memset(ece, 0, sizeof(*ece));
	return 0;
}

SHCA_EXPORT int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *address, void *context)
{
	(void)id, (void)context;
	return shca_cm_result(shca_cm_address_length(address) ? -EOPNOTSUPP : -EINVAL);
}

SHCA_EXPORT int rdma_join_multicast_ex(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *attr, void *context)
{
	if (attr->comp_mask >= RDMA_CM_JOIN_MC_ATTR_RESERVED)
		return shca_cm_result(-EOPNOTSUPP);
	if (attr->comp_mask != (RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS) ||
	    attr->join_flags >= RDMA_MC_JOIN_FLAG_RESERVED)
		return shca_cm_result(-EINVAL);
	return rdma_join_multicast(id, attr->addr, context);
}

SHCA_EXPORT int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *address)
{
	(void)id;
	return shca_cm_result(shca_cm_address_length(address) ? -EADDRNOTAVAIL : -EINVAL);
}

/* ---- names ---- */

SHCA_EXPORT const char *rdma_event_str(enum rdma_cm_event_type event)
{
	static const char *const names[] = {
		[RDMA_CM_EVENT_ADDR_RESOLVED] = "RDMA_CM_EVENT_ADDR_RESOLVED",
		[RDMA_CM_EVENT_ADDR_ERROR] = "RDMA_CM_EVENT_ADDR_ERROR",
		[RDMA_CM_EVENT_ROUTE_RESOLVED] = "RDMA_CM_EVENT_ROUTE_RESOLVED",
		[RDMA_CM_EVENT_ROUTE_ERROR] = "RDMA_CM_EVENT_ROUTE_ERROR",
		[RDMA_CM_EVENT_CONNECT_REQUEST] = "RDMA_CM_EVENT_CONNECT_REQUEST",
		[RDMA_CM_EVENT_CONNECT_RESPONSE] = "RDMA_CM_EVENT_CONNECT_RESPONSE",
		[RDMA_CM_EVENT_CONNECT_ERROR] = "RDMA_CM_EVENT_CONNECT_ERROR",
		[RDMA_CM_EVENT_UNREACHABLE] = "RDMA_CM_EVENT_UNREACHABLE",
		[RDMA_CM_EVENT_REJECTED] = "RDMA_CM_EVENT_REJECTED",
		[RDMA_CM_EVENT_ESTABLISHED] = "RDMA_CM_EVENT_ESTABLISHED",
		[RDMA_CM_EVENT_DISCONNECTED] = "RDMA_CM_EVENT_DISCONNECTED",
		[RDMA_CM_EVENT_DEVICE_REMOVAL] = "RDMA_CM_EVENT_DEVICE_REMOVAL",
		[RDMA_CM_EVENT_MULTICAST_JOIN] = "RDMA_CM_EVENT_MULTICAST_JOIN",
		[RDMA_CM_EVENT_MULTICAST_ERROR] = "RDMA_CM_EVENT_MULTICAST_ERROR",
		[RDMA_CM_EVENT_ADDR_CHANGE] = "RDMA_CM_EVENT_ADDR_CHANGE",
		[RDMA_CM_EVENT_TIMEWAIT_EXIT] = "RDMA_CM_EVENT_TIMEWAIT_EXIT",
	};

	return (unsigned int)event < sizeof(names) / sizeof(names[0]) ? names[event] : "UNKNOWN EVENT";
}
