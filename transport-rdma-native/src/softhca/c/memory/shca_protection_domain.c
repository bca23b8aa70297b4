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

#include "memory/shca_protection_domain.h"

#include <errno.h>
#include <stdlib.h>

#include "base/shca_error.h"
#include "base/shca_export.h"
#include "base/shca_handle.h"
#include "device/shca_context.h"
#include "device/shca_device.h"

SHCA_EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	static _Atomic uint32_t numbers;
	struct shca_pd *pd;

	if (atomic_load(&to_shca_context(context)->removed))
		return shca_null(EIO);
	if (!shca_limit_acquire(SHCA_LIMITED_PD))
		return shca_null(ENOMEM);
	pd = calloc(1, sizeof(*pd));
	if (!pd) {
		shca_limit_release(SHCA_LIMITED_PD);
		errno = ENOMEM;
		return NULL;
	}
	pd->ibv.context = context;
	pd->number = atomic_fetch_add(&numbers, 1) + 1;
	shca_handle_set(&pd->ibv);
	atomic_fetch_add(&to_shca_context(context)->objects, 1);
	return &pd->ibv;
}

SHCA_EXPORT int ibv_dealloc_pd(struct ibv_pd *ibv)
{
	struct shca_pd *pd = to_shca_pd(ibv);

	if (!shca_handle_is_valid(ibv))
		return shca_error(ENOENT);
	if (atomic_load(&pd->users))
		return shca_error(EBUSY);
	atomic_fetch_sub(&to_shca_context(ibv->context)->objects, 1);
	free(pd);
	shca_limit_release(SHCA_LIMITED_PD);
	return 0;
}
