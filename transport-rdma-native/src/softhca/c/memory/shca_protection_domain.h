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

#ifndef SHCA_PROTECTION_DOMAIN_H
#define SHCA_PROTECTION_DOMAIN_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/shca_util.h"

struct shca_pd {
	struct ibv_pd ibv;
	uint32_t number;		/* compared for regions and queue pairs; not reused for long */
	_Atomic uint32_t users;
};

static inline struct shca_pd *to_shca_pd(struct ibv_pd *pd)
{
	return shca_container_of(pd, struct shca_pd, ibv);
}

#endif
