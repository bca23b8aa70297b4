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
 * Queue pairs, created by verbs and not by librdmacm. The creator owns the queue pair. Any thread may
 * call these, but only one thread at a time may modify or destroy a queue pair.
 */
#ifndef NRDMA_QUEUE_PAIR_H
#define NRDMA_QUEUE_PAIR_H

#include <stdint.h>

#include "abi/nrdma_abi.h"
#include "datapath/nrdma_datapath.h"

/*
 * Returns a pointer to a struct nrdma_qp, or -errno. Writes the granted values to init. -EINVAL may
 * mean that the device does not support that much inline data: retry with half.
 */
int64_t nrdma_create_qp(struct nrdma_qp_init *init);

/* Returns 0, or -errno if the queue pair still exists. */
int nrdma_destroy_qp(struct nrdma_qp *qp);

struct ibv_qp_attr nrdma_qp_attr_to_ibv(const struct nrdma_qp_attr *attr);
struct nrdma_qp_attr nrdma_qp_attr_from_ibv(const struct ibv_qp_attr *attr, int mask);

#endif
