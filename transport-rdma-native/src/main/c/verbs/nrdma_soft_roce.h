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
 * Defects in the extended API of Soft-RoCE (provider rxe), found in rdma-core 44 and in the source of
 * later versions. The version cannot be queried, so newer ones are treated the same. The classic API
 * has none of these defects.
 *
 * before 55  When ibv_next_poll finds no entry, it consumes one anyway, and ibv_end_poll, which must
 *            follow, consumes another: then old entries appear again. A session of one entry is not
 *            affected.
 * before 64  ibv_wr_set_sge_list uses the length of the first SGE for all SGEs, and
 *            ibv_wr_set_inline_data_list loses all lengths. Lists of one SGE and
 *            ibv_wr_set_inline_data work.
 */
#ifndef NRDMA_SOFT_ROCE_H
#define NRDMA_SOFT_ROCE_H

#include <stdbool.h>

#include <infiniband/verbs.h>

/* Not assigned to any company. */
#define NRDMA_SOFT_ROCE_VENDOR 0xffffff

static inline bool nrdma_is_soft_roce(struct ibv_context *context)
{
	struct ibv_device_attr attr;

	return !ibv_query_device(context, &attr) && attr.vendor_id == NRDMA_SOFT_ROCE_VENDOR;
}

#endif
