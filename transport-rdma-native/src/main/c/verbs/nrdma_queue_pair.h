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
 * Queue pairs, ours and never librdmacm's. One belongs to who created it. Any thread, but creating,
 * modifying and destroying one queue pair is for one thread at a time.
 */
#ifndef NRDMA_QUEUE_PAIR_H
#define NRDMA_QUEUE_PAIR_H

#include <stdint.h>

#include "abi/nrdma_abi.h"
#include "datapath/nrdma_datapath.h"

/*
 * Returns a struct nrdma_qp as handle, or -errno. Writes to init what was granted. -EINVAL may mean
 * more inline data than the device has: try half of it.
 */
int64_t nrdma_create_qp(struct nrdma_qp_init *init);

/* Returns 0 or -errno, and then the queue pair is still there. */
int nrdma_destroy_qp(struct nrdma_qp *qp);

struct ibv_qp_attr nrdma_qp_attr_to_ibv(const struct nrdma_qp_attr *attr);
struct nrdma_qp_attr nrdma_qp_attr_from_ibv(const struct ibv_qp_attr *attr, int mask);

#endif
