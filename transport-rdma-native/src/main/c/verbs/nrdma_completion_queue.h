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
 * Completion queues. The creator owns the queue, which must outlive the queue pairs that use it. Any
 * thread may create and destroy a queue, but not while another thread polls it.
 */
#ifndef NRDMA_COMPLETION_QUEUE_H
#define NRDMA_COMPLETION_QUEUE_H

#include <stdint.h>

#include "abi/nrdma_abi.h"
#include "datapath/nrdma_datapath.h"

/* Returns a pointer to a struct nrdma_cq, or -errno. Writes the granted values to init. */
int64_t nrdma_create_cq(struct nrdma_cq_init *init);

/* Returns 0, or -errno if the queue still exists. Waits for unacknowledged events. */
int nrdma_destroy_cq(struct nrdma_cq *cq);

#endif
