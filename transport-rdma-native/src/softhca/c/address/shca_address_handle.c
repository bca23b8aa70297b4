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

#include "address/shca_address_handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "address/shca_address_number.h"
#include "address/shca_network_header.h"
#include "base/shca_error.h"
#include "base/shca_export.h"
#include "base/shca_handle.h"
#include "device/shca_context.h"
#include "device/shca_device.h"
#include "device/shca_gid.h"
#include "fault/shca_fault.h"
#include "memory/shca_protection_domain.h"
#include "personality/shca_personality.h"

/* Ethernet has no LIDs: an address is a GID. */
bool shca_address_is_usable(const struct ibv_ah_attr *attr, union ibv_gid *own)
{
	static const union ibv_gid none;

	return attr->is_global && attr->port_num == SHCA_PORT && attr->sl < 16 &&
	       memcmp(&attr->grh.dgid, &none, sizeof(none)) && !shca_gid_at(attr->grh.sgid_index, own, NULL);
}

static bool is_link_local(const union ibv_gid *gid)
{
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}

/* Only the GID matters to EFA, and all of its network have a link-local one. */
static bool is_efa_address(const struct ibv_ah_attr *attr, union ibv_gid *own)
{
	return attr->port_num == SHCA_PORT && is_link_local(&attr->grh.dgid) && !shca_gid_at(0, own, NULL);
}

/* The source is one of our own GIDs. */
SHCA_EXPORT struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	union ibv_gid local;
	struct shca_ah *ah;

	if (!shca_handle_is_valid(pd))
		return shca_null(EINVAL);
	if (atomic_load(&to_shca_context(pd->context)->removed))
		return shca_null(EIO);
	if (!shca_personality()->datagrams)
		return shca_null(EOPNOTSUPP);
	if (shca_personality()->srd ? !is_efa_address(attr, &local) : !shca_address_is_usable(attr, &local))
		return shca_null(EINVAL);
	if ((shca_faults_are_active() && shca_fault_refuse_handle()) || !shca_limit_acquire(SHCA_LIMITED_AH))
		return shca_null(ENOMEM);
	ah = calloc(1, sizeof(*ah));
	if (!ah) {
		shca_limit_release(SHCA_LIMITED_AH);
		return shca_null(ENOMEM);
	}
	ah->ibv.context = pd->context;
	ah->ibv.pd = pd;
	shca_handle_set(&ah->ibv);
	ah->attr = *attr;
	ah->local_gid = local;
	if (shca_personality()->srd)
		ah->number = shca_address_number_acquire(to_shca_pd(pd)->number, &attr->grh.dgid);
	atomic_fetch_add(&to_shca_pd(pd)->users, 1);
	/* The device has the handle, and names senders by it, before the caller knows. */
	shca_fault_control();
	return &ah->ibv;
}

SHCA_EXPORT int ibv_destroy_ah(struct ibv_ah *ibv)
{
	if (!shca_handle_is_valid(ibv))
		return shca_error(ENOENT);
	if (shca_personality()->srd)
		shca_address_number_release(to_shca_ah(ibv)->number);
	atomic_fetch_sub(&to_shca_pd(ibv->pd)->users, 1);
	free(to_shca_ah(ibv));
	shca_limit_release(SHCA_LIMITED_AH);
	/* From now on its number may belong to another handle. */
	shca_fault_control();
	return 0;
}

static int find_gid(const union ibv_gid *gid)
{
	union ibv_gid candidate;
	int i;

	for (i = 0; i < shca_gid_count(); i++) {
		if (!shca_gid_at(i, &candidate, NULL) && !memcmp(&candidate, gid, sizeof(candidate)))
			return i;
	}
	return -1;
}

/* The address of a received datagram's sender. */
SHCA_EXPORT int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc, struct ibv_grh *grh,
				    struct ibv_ah_attr *attr)
{
	struct shca_network_header header;
	int index;

	(void)context;
	memset(attr, 0, sizeof(*attr));
	errno = EINVAL;
	if (port != SHCA_PORT || !(wc->wc_flags & IBV_WC_GRH))
		return -1;
	errno = EPROTONOSUPPORT;
	if (!shca_network_header_read((const uint8_t *)grh, &header))
		return -1;
	errno = EINVAL;
	index = find_gid(&header.destination);
	if (index < 0)
		return -1;
	attr->sl = wc->sl;
	attr->port_num = port;
	attr->is_global = 1;
	attr->grh.dgid = header.source;
	attr->grh.sgid_index = (uint8_t)index;
	attr->grh.flow_label = header.flow_label;
	attr->grh.traffic_class = header.traffic_class;
	attr->grh.hop_limit = header.hop_limit;
	return 0;
}

SHCA_EXPORT struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh,
						 uint8_t port)
{
	struct ibv_ah_attr attr;

	if (ibv_init_ah_from_wc(pd->context, port, wc, grh, &attr))
		return shca_null(EINVAL);
	return ibv_create_ah(pd, &attr);
}
