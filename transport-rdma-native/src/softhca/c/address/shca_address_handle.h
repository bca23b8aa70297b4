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

#ifndef SHCA_ADDRESS_HANDLE_H
#define SHCA_ADDRESS_HANDLE_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "base/shca_util.h"

struct shca_ah {
	struct ibv_ah ibv;
	struct ibv_ah_attr attr;
	uint32_t number;		/* with EFA: shca_address_number.h */
	union ibv_gid local_gid;	/* of sgid_index at creation, so that posting looks nothing up */
};

static inline struct shca_ah *to_shca_ah(struct ibv_ah *ah)
{
	return shca_container_of(ah, struct shca_ah, ibv);
}

/* Whether the address can be used; own is then the GID of its sgid_index. */
bool shca_address_is_usable(const struct ibv_ah_attr *attr, union ibv_gid *own);

#endif
