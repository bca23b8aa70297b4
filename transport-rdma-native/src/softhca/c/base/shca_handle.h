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
 * The handle in the public structure of an object. A kernel looks for an object by its handle and its context, and so
 * refuses one whose structure the program has overwritten. The device knows its objects by their addresses, and
 * compares.
 */
#ifndef SHCA_HANDLE_H
#define SHCA_HANDLE_H

#include <infiniband/verbs.h>
#include <stdint.h>

static inline uint32_t shca_handle_of(const void *object, const struct ibv_context *context)
{
	return (uint32_t)(((uintptr_t)object ^ (uintptr_t)context) >> 4);
}

/* For pointers to struct ibv_pd, ibv_mr, ibv_cq, ibv_srq, ibv_qp, ibv_ah, whose context is set. */
#define shca_handle_set(object)		((object)->handle = shca_handle_of((object), (object)->context))
#define shca_handle_is_valid(object)	((object)->handle == shca_handle_of((object), (object)->context))

#endif
