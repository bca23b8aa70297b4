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

/* Calls of libibverbs for features that this device lacks. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <sys/stat.h>

#include "base/shca_error.h"
#include "base/shca_export.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- multicast ---- */

SHCA_EXPORT int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return shca_error(EOPNOTSUPP);
}

SHCA_EXPORT int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return shca_error(EOPNOTSUPP);
}

/* ---- sharing objects with another process by descriptor ---- */

SHCA_EXPORT struct ibv_context *ibv_import_device(int fd)
{
	struct stat file;

	return shca_null(fstat(fd, &file) || !S_ISCHR(file.st_mode) ? EINVAL : EOPNOTSUPP);
}

SHCA_EXPORT struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle)
{
	return shca_null(EOPNOTSUPP);
}

SHCA_EXPORT void ibv_unimport_pd(struct ibv_pd *pd)
{
}

SHCA_EXPORT struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	return shca_null(EOPNOTSUPP);
}

SHCA_EXPORT void ibv_unimport_mr(struct ibv_mr *mr)
{
}

SHCA_EXPORT struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t handle)
{
	return shca_null(EOPNOTSUPP);
}

SHCA_EXPORT void ibv_unimport_dm(struct ibv_dm *dm)
{
}

/* ---- addresses of the link layer ---- */

SHCA_EXPORT int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, struct ibv_ah_attr *attr,
					    uint8_t mac[ETHERNET_LL_SIZE], uint16_t *vid)
{
	errno = EOPNOTSUPP;
	return -EOPNOTSUPP;
}
