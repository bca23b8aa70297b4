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

/* Calls of librdmacm for features that this device lacks. */
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "base/shca_export.h"
#include "cm/shca_cm.h"

/* The device has no options to negotiate; ibv_query_ece says so, too. */
SHCA_EXPORT int rdma_set_local_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	if (!id || id->qp || !ece || !ece->vendor_id || ece->comp_mask)
		return shca_cm_result(-EINVAL);
	return shca_cm_result(-EOPNOTSUPP);
}

/* Vendor 0: the peer has offered none. */
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
