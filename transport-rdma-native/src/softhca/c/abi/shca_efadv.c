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

/* libefa, AWS's extension: a program that looks for an EFA device learns that this is not one. */
#include <errno.h>
#include <infiniband/efadv.h>

#include "base/shca_error.h"
#include "base/shca_export.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

SHCA_EXPORT int efadv_query_device(struct ibv_context *context, struct efadv_device_attr *attr, uint32_t size)
{
	return EOPNOTSUPP;
}

SHCA_EXPORT int efadv_query_ah(struct ibv_ah *ah, struct efadv_ah_attr *attr, uint32_t size)
{
	return EOPNOTSUPP;
}

SHCA_EXPORT struct ibv_qp *efadv_create_driver_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, uint32_t type)
{
	return shca_null(EOPNOTSUPP);
}

SHCA_EXPORT struct ibv_qp *efadv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
					      struct efadv_qp_init_attr *efa, uint32_t size)
{
	return shca_null(EOPNOTSUPP);
}

SHCA_EXPORT struct ibv_cq_ex *efadv_create_cq(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr,
					      struct efadv_cq_init_attr *efa, uint32_t size)
{
	return shca_null(EOPNOTSUPP);
}

SHCA_EXPORT struct efadv_cq *efadv_cq_from_ibv_cq_ex(struct ibv_cq_ex *cq)
{
	return shca_null(EOPNOTSUPP);
}
