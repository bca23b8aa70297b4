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
 * What a program may ask for and this device has no use for, or does not have.
 */
#include "shca.h"

#include <errno.h>
#include <infiniband/efadv.h>
#include <stdio.h>
#include <string.h>

#include "shca_export.h"

static void *no_object(void)
{
	errno = EOPNOTSUPP;
	return NULL;
}

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- fork: nothing is pinned, so nothing can be copied from under the device ---- */

SHCA_EXPORT int ibv_fork_init(void)
{
	return 0;
}

SHCA_EXPORT enum ibv_fork_status ibv_is_fork_initialized(void)
{
	return IBV_FORK_UNNEEDED;
}

SHCA_EXPORT int ibv_dontfork_range(void *base, size_t size);
SHCA_EXPORT int ibv_dofork_range(void *base, size_t size);

int ibv_dontfork_range(void *base, size_t size)
{
	return 0;
}

int ibv_dofork_range(void *base, size_t size)
{
	return 0;
}

/* ---- multicast ---- */

SHCA_EXPORT int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return EOPNOTSUPP;
}

SHCA_EXPORT int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return EOPNOTSUPP;
}

/* ---- vendors' options of a connection: there are none to agree on ---- */

SHCA_EXPORT int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	memset(ece, 0, sizeof(*ece));
	return 0;
}

SHCA_EXPORT int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	return ece->vendor_id ? EOPNOTSUPP : 0;
}

/* Who polls memory instead of a completion queue relies on what verbs do not promise. */
SHCA_EXPORT int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint32_t flags)
{
	return 0;
}

/* ---- sharing objects with another process by descriptor ---- */

SHCA_EXPORT struct ibv_context *ibv_import_device(int fd)
{
	return no_object();
}

SHCA_EXPORT struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t handle)
{
	return no_object();
}

SHCA_EXPORT void ibv_unimport_pd(struct ibv_pd *pd)
{
}

SHCA_EXPORT struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	return no_object();
}

SHCA_EXPORT void ibv_unimport_mr(struct ibv_mr *mr)
{
}

SHCA_EXPORT struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t handle)
{
	return no_object();
}

SHCA_EXPORT void ibv_unimport_dm(struct ibv_dm *dm)
{
}

/* ---- the kernel's files: there are none ---- */

SHCA_EXPORT const char *ibv_get_sysfs_path(void);
SHCA_EXPORT int ibv_read_sysfs_file(const char *directory, const char *file, char *text, size_t size);

const char *ibv_get_sysfs_path(void)
{
	return "/sys";
}

/* Other devices of the machine are none of ours, so a program that reads about them reads on. */
int ibv_read_sysfs_file(const char *directory, const char *file, char *text, size_t size)
{
	char path[512];
	ssize_t length = -1;
	FILE *stream;

	if (snprintf(path, sizeof(path), "%s/%s", directory, file) >= (int)sizeof(path))
		return -1;
	stream = fopen(path, "re");
	if (!stream)
		return -1;
	if (size) {
		length = (ssize_t)fread(text, 1, size - 1, stream);
		text[length] = '\0';
		if (length > 0 && text[length - 1] == '\n')
			text[--length] = '\0';
	}
	fclose(stream);
	return (int)length;
}

SHCA_EXPORT int ibv_resolve_eth_l2_from_gid(struct ibv_context *context, struct ibv_ah_attr *attr,
					    uint8_t mac[ETHERNET_LL_SIZE], uint16_t *vid)
{
	errno = EOPNOTSUPP;
	return -EOPNOTSUPP;
}

/* ---- AWS's extension: whoever looks for an EFA device learns that this is none ---- */

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
	return no_object();
}

SHCA_EXPORT struct ibv_qp *efadv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
					      struct efadv_qp_init_attr *efa, uint32_t size)
{
	return no_object();
}

SHCA_EXPORT struct ibv_cq_ex *efadv_create_cq(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr,
					      struct efadv_cq_init_attr *efa, uint32_t size)
{
	return no_object();
}

SHCA_EXPORT struct efadv_cq *efadv_cq_from_ibv_cq_ex(struct ibv_cq_ex *cq)
{
	return no_object();
}
