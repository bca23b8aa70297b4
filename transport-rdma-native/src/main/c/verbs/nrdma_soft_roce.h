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
 * What is broken in the extended API of Soft-RoCE (provider rxe), found in rdma-core 44 and read in
 * the later ones. Nobody can ask for the version, so newer ones are not trusted either. None of it
 * concerns the classic API.
 *
 * before 55  ibv_next_poll that finds no more takes an entry off the queue, and ibv_end_poll, which
 *            must follow, another one: then entries of long ago come again. It does not happen to a
 *            session of one entry.
 * before 64  ibv_wr_set_sge_list takes the first piece's length for that of all others, and
 *            ibv_wr_set_inline_data_list forgets all lengths: lists of one piece are good, and
 *            ibv_wr_set_inline_data.
 */
#ifndef NRDMA_SOFT_ROCE_H
#define NRDMA_SOFT_ROCE_H

#include <stdbool.h>

#include <infiniband/verbs.h>

/* No company's. */
#define NRDMA_SOFT_ROCE_VENDOR 0xffffff

static inline bool nrdma_is_soft_roce(struct ibv_context *context)
{
	struct ibv_device_attr attr;

	return !ibv_query_device(context, &attr) && attr.vendor_id == NRDMA_SOFT_ROCE_VENDOR;
}

#endif
