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

/* A context: the open device, from which a program creates all other objects. */
#ifndef SHCA_CONTEXT_H
#define SHCA_CONTEXT_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/shca_event_queue.h"
#include "base/shca_util.h"

#define SHCA_VENDOR_ID		0x5350u		/* "SP": the IEEE has not assigned it to a maker of adapters */
#define SHCA_PORT		1

struct shca_link_set;

struct shca_context {
	struct verbs_context vctx;
	struct shca_event_queue events;		/* of struct async_event: shca_async_event.c */
	_Atomic uint32_t objects;		/* PDs, CQs and channels; close has no effect while any exist */
	struct shca_link_set *links;		/* that its polls look at: wire/shca_link.h */
	_Atomic bool removed;			/* the device is gone: posts and new objects fail with EIO */
	struct shca_context *next;		/* the next open context; under device_lock */
};

static inline struct shca_context *to_shca_context(struct ibv_context *context)
{
	return shca_container_of(context, struct shca_context, vctx.context);
}

#endif
