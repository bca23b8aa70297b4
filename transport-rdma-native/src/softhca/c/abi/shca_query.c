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

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "abi/shca_ops.h"
#include "base/shca_error.h"
#include "base/shca_export.h"
#include "device/shca_gid.h"
#include "personality/shca_personality.h"
#include "wire/shca_link.h"

#define PKEY_DEFAULT		0xffffu
#define WIDTH_4X		2
#define SPEED_25_GBPS		32
#define PHYSICAL_LINK_UP	5
#define PHYSICAL_DISABLED	3

/* ---- the device ---- */

static void fill_device(struct ibv_device_attr *attr)
{
	const struct shca_personality *personality = shca_personality();

	memset(attr, 0, sizeof(*attr));
	snprintf(attr->fw_ver, sizeof(attr->fw_ver), "software %s", personality->name);
	attr->node_guid = shca_guid();
	attr->sys_image_guid = shca_guid();
	attr->max_mr_size = personality->max_mr_size;
	attr->page_size_cap = ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
	attr->vendor_id = SHCA_VENDOR_ID;
	attr->vendor_part_id = 1;
	attr->hw_ver = 0;
	attr->max_qp = (int)personality->max_qp;
	attr->max_qp_wr = (int)personality->max_qp_wr;
	if (personality->connected)
		attr->device_cap_flags = IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_PORT_ACTIVE_EVENT |
					 IBV_DEVICE_SYS_IMAGE_GUID;
	attr->max_sge = (int)personality->max_sge;
	attr->max_sge_rd = (int)personality->max_sge_rd;
	attr->max_cq = (int)personality->max_cq;
	attr->max_cqe = (int)personality->max_cqe;
	attr->max_mr = (int)personality->max_mr;
	attr->max_pd = (int)personality->max_pd;
	attr->max_qp_rd_atom = (int)personality->max_rd_atomic;
	attr->max_res_rd_atom = (int)(personality->max_rd_atomic * personality->max_qp);
	attr->max_qp_init_rd_atom = (int)personality->max_rd_atomic;
	attr->atomic_cap = personality->atomics ? IBV_ATOMIC_GLOB : IBV_ATOMIC_NONE;
	attr->max_ah = (int)personality->max_ah;
	attr->max_srq = (int)personality->max_srq;
	attr->max_srq_wr = (int)personality->max_srq_wr;
	attr->max_srq_sge = (int)personality->max_srq_sge;
	attr->max_pkeys = 1;
	attr->phys_port_cnt = 1;
}

SHCA_EXPORT int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	if (atomic_load(&to_shca_context(context)->removed))
		return shca_error(EIO);
	fill_device(attr);
	return 0;
}

int shca_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
			 struct ibv_device_attr_ex *attr, size_t size)
{
	struct ibv_device_attr_ex full;

	if (input && input->comp_mask)
		return shca_error(EINVAL);
	if (atomic_load(&to_shca_context(context)->removed))
		return shca_error(EIO);
	if (size < sizeof(full.orig_attr) + sizeof(full.comp_mask))
		return shca_error(EINVAL);
	memset(&full, 0, sizeof(full));
	fill_device(&full.orig_attr);
	full.phys_port_cnt_ex = 1;
	/* A newer caller's struct is longer: fields that are unknown here are 0. */
	memset(attr, 0, size);
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

/* ---- the port ---- */

static void fill_port(struct ibv_port_attr *attr)
{
	const struct shca_personality *personality = shca_personality();
	bool up = shca_links_have_carrier();

	memset(attr, 0, sizeof(*attr));
	attr->state = up ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
	attr->max_mtu = IBV_MTU_4096;
	attr->active_mtu = personality->mtu;
	attr->gid_tbl_len = shca_gid_count();
	if (personality->connected)
		attr->port_cap_flags = IBV_PORT_CM_SUP | IBV_PORT_IP_BASED_GIDS;
	else
		attr->lmc = 1;
	attr->max_msg_sz = personality->max_message;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	attr->active_width = WIDTH_4X;
	attr->active_speed = SPEED_25_GBPS;
	attr->phys_state = up ? PHYSICAL_LINK_UP : PHYSICAL_DISABLED;
	attr->link_layer = personality->link_layer;
	/* iWARP has no address vectors, so none can lack a GRH. EFA does not say what it needs. */
	attr->flags = personality->transport_type == IBV_TRANSPORT_IB ? IBV_QPF_GRH_REQUIRED : 0;
}

int shca_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
	struct ibv_port_attr full;

	if (port != SHCA_PORT)
		return shca_error(EINVAL);
	if (atomic_load(&to_shca_context(context)->removed))
		return shca_error(EIO);
	fill_port(&full);
	memset(attr, 0, size);
	memcpy(attr, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

/* Old programs have a struct that ends before port_cap_flags2. */
SHCA_EXPORT int (ibv_query_port)(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	return shca_query_port(context, port, (struct ibv_port_attr *)attr,
			       offsetof(struct ibv_port_attr, port_cap_flags2));
}

/* ---- the port's tables ---- */

SHCA_EXPORT int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	if (port != SHCA_PORT || atomic_load(&to_shca_context(context)->removed) ||
	    index < 0 || index >= shca_gid_count()) {
		errno = EINVAL;
		return -1;
	}
	/* As in sysfs, a free entry reads as zeros. */
	if (shca_gid_at(index, gid, NULL))
		memset(gid, 0, sizeof(*gid));
	return 0;
}

static enum ibv_gid_type gid_type(void)
{
	return shca_personality()->transport_type == IBV_TRANSPORT_IB ? IBV_GID_TYPE_ROCE_V2 : IBV_GID_TYPE_IB;
}

static int fill_entry(uint32_t index, struct ibv_gid_entry *entry, size_t size)
{
	struct ibv_gid_entry full = { .gid_index = index, .port_num = SHCA_PORT, .gid_type = gid_type() };

	if (shca_gid_at((int)index, &full.gid, &full.ndev_ifindex))
		return shca_error(ENODATA);
	if (!shca_personality()->connected)
		full.ndev_ifindex = 0;
	memcpy(entry, &full, size < sizeof(full) ? size : sizeof(full));
	return 0;
}

SHCA_EXPORT int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index,
				  struct ibv_gid_entry *entry, uint32_t flags, size_t size)
{
	if (atomic_load(&to_shca_context(context)->removed))
		return shca_error(EIO);
	if (port != SHCA_PORT || index >= (uint32_t)shca_gid_count() || flags)
		return shca_error(EINVAL);
	return fill_entry(index, entry, size);
}

SHCA_EXPORT ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t room,
					 uint32_t flags, size_t size)
{
	uint32_t i, length = (uint32_t)shca_gid_count();
	size_t count = 0;

	if (atomic_load(&to_shca_context(context)->removed))
		return -shca_error(EIO);
	if (flags)
		return -shca_error(EOPNOTSUPP);
	for (i = 0; i < length; i++) {
		union ibv_gid gid;

		if (shca_gid_at((int)i, &gid, NULL))
			continue;
		if (count == room)
			return -shca_error(EINVAL);
		fill_entry(i, (struct ibv_gid_entry *)((char *)entries + count++ * size), size);
	}
	return (ssize_t)count;
}

/* Private to rdma-core's own programs, which know only two types: 0 is IB and RoCE v1, 1 is RoCE v2. */
SHCA_EXPORT int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index, unsigned int *type);

int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index, unsigned int *type)
{
	union ibv_gid gid;

	(void)context;
	if (port != SHCA_PORT || shca_gid_at((int)index, &gid, NULL)) {
		errno = EINVAL;
		return -1;
	}
	*type = gid_type() == IBV_GID_TYPE_ROCE_V2;
	return 0;
}

SHCA_EXPORT int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
	(void)context;
	if (port != SHCA_PORT || index) {
		errno = EINVAL;
		return -1;
	}
	*pkey = htons(PKEY_DEFAULT);
	return 0;
}

SHCA_EXPORT int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
	(void)context;
	if (port != SHCA_PORT || pkey != htons(PKEY_DEFAULT)) {
		errno = EINVAL;
		return -1;
	}
	return 0;
}
