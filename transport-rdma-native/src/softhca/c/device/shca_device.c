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

/* The device as a whole: its open contexts, the number of its objects, and whether it is there. */
#include "device/shca_device.h"

#include <pthread.h>

#include "device/shca_async_event.h"
#include "device/shca_context.h"
#include "personality/shca_personality.h"
#include "wire/shca_link.h"

static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
static struct shca_context *contexts;		/* under device_lock */
static _Atomic bool removed;
static _Atomic uint32_t limited[SHCA_LIMITED_KINDS];

/* ---- open contexts ---- */

void shca_device_add_context(struct shca_context *context)
{
	pthread_mutex_lock(&device_lock);
	/* A removal before this point did not find the context; a later one does. */
	atomic_store(&context->removed, atomic_load(&removed));
	context->next = contexts;
	contexts = context;
	pthread_mutex_unlock(&device_lock);
}

void shca_device_remove_context(struct shca_context *context)
{
	struct shca_context **link;

	pthread_mutex_lock(&device_lock);
	for (link = &contexts; *link != context; link = &(*link)->next)
		;
	*link = context->next;
	pthread_mutex_unlock(&device_lock);
}

/* ---- limits ---- */

static uint32_t limit_of(enum shca_limited kind)
{
	const struct shca_personality *personality = shca_personality();

	switch (kind) {
	case SHCA_LIMITED_PD:
		return personality->max_pd;
	case SHCA_LIMITED_MR:
		return personality->max_mr;
	case SHCA_LIMITED_CQ:
		return personality->max_cq;
	case SHCA_LIMITED_QP:
		return personality->max_qp;
	case SHCA_LIMITED_SRQ:
		return personality->max_srq;
	case SHCA_LIMITED_AH:
		return personality->max_ah;
	default:
		return 0;
	}
}

bool shca_limit_acquire(enum shca_limited kind)
{
	if (atomic_fetch_add(&limited[kind], 1) < limit_of(kind))
		return true;
	atomic_fetch_sub(&limited[kind], 1);
	return false;
}

void shca_limit_release(enum shca_limited kind)
{
	atomic_fetch_sub(&limited[kind], 1);
}

/* ---- events of the whole device ---- */

void shca_device_raise(enum ibv_event_type type)
{
	struct ibv_async_event event = { .element.port_num = SHCA_PORT, .event_type = type };
	struct shca_context *context;

	pthread_mutex_lock(&device_lock);
	for (context = contexts; context; context = context->next)
		shca_async_raise(&context->vctx.context, event, NULL);
	pthread_mutex_unlock(&device_lock);
}

bool shca_device_mark_removed(void)
{
	struct shca_context *context;

	if (atomic_exchange(&removed, true))
		return false;
	pthread_mutex_lock(&device_lock);
	for (context = contexts; context; context = context->next)
		atomic_store(&context->removed, true);
	pthread_mutex_unlock(&device_lock);
	return true;
}

void shca_device_mark_inserted(void)
{
	atomic_store(&removed, false);
}

bool shca_device_is_removed(void)
{
	return atomic_load(&removed);
}

void shca_device_set_port(bool up)
{
	if (shca_links_set_carrier(up))
		shca_device_raise(up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
}
