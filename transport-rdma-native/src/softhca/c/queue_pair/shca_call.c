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

#include "queue_pair/shca_call.h"

#include <stdlib.h>

#include "base/shca_say.h"

/* Above the number of calls that have not returned. */
#define DESTROYED	(1u << 31)

static void abort_on_misuse(const struct shca_qp *qp)
{
	shca_say("queue pair 0x%x is destroyed while another thread changes or queries it", qp->ibv.qp_num);
	abort();
}

void shca_call_begin(struct shca_qp *qp)
{
	if (atomic_fetch_add(&qp->calls, 1) & DESTROYED)
		abort_on_misuse(qp);
}

void shca_call_end(struct shca_qp *qp)
{
	atomic_fetch_sub(&qp->calls, 1);
}

void shca_call_last(struct shca_qp *qp)
{
	if (atomic_fetch_or(&qp->calls, DESTROYED))
		abort_on_misuse(qp);
}
