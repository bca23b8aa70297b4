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
 * The one device of the machine: listing, opening, counting what was made of it, and its end.
 */
#include "shca.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shca_cm.h"
#include "shca_context.h"
#include "shca_engine.h"
#include "shca_export.h"
#include "shca_fault.h"
#include "shca_link.h"

static struct ibv_device device;
static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t removal_lock = PTHREAD_MUTEX_INITIALIZER;
static struct shca_context *contexts;		/* under device_lock */
static _Atomic bool removed;
static _Atomic uint32_t limited[SHCA_LIMITED_KINDS];

static void init_device(void)
{
	const struct shca_personality *personality = shca_personality();

	device.node_type = personality->node_type;
	device.transport_type = personality->transport_type;
	strcpy(device.name, "softhca0");
	strcpy(device.dev_name, "softhca0");
	/* Nothing is there. Programs that look get what they get for any device without a bus. */
	strcpy(device.dev_path, "/sys/class/infiniband_verbs/softhca0");
	strcpy(device.ibdev_path, "/sys/class/infiniband/softhca0");
	shca_fault_init();
}

static struct ibv_device *the_device(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_device);
	return &device;
}

/* ---- listing ---- */

SHCA_EXPORT struct ibv_device **(ibv_get_device_list)(int *count)
{
	struct ibv_device **list = calloc(2, sizeof(*list));

	if (count)
		*count = 0;
	if (!list || atomic_load(&removed))
		return list;
	list[0] = the_device();
	if (count)
		*count = 1;
	return list;
}

SHCA_EXPORT void ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

SHCA_EXPORT const char *ibv_get_device_name(struct ibv_device *ibv)
{
	return ibv->name;
}

SHCA_EXPORT __be64 ibv_get_device_guid(struct ibv_device *ibv)
{
	(void)ibv;
	return shca_guid();
}

SHCA_EXPORT int ibv_get_device_index(struct ibv_device *ibv)
{
	(void)ibv;
	return 0;
}

/* ---- opening ---- */

static void say_what_it_is(void)
{
	if (!getenv("SOFTHCA_QUIET"))
		fprintf(stderr, "softhca: softhca0 is a software RDMA device, not hardware (personality %s)\n",
			shca_personality()->name);
}

SHCA_EXPORT struct ibv_context *ibv_open_device(struct ibv_device *ibv)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct shca_context *context;
	int ret;

	if (atomic_load(&removed)) {
		errno = ENODEV;
		return NULL;
	}
	context = calloc(1, sizeof(*context));
	if (!context)
		return NULL;
	ret = shca_event_queue_open(&context->events);
	if (ret)
		goto free_context;
	ret = shca_engine_start();
	if (ret)
		goto close_events;
	pthread_once(&once, say_what_it_is);
	shca_context_init(context, ibv);
	pthread_mutex_lock(&device_lock);
	/* A removal that has come meanwhile did not find it; one that comes later does. */
	atomic_store(&context->removed, atomic_load(&removed));
	context->next = contexts;
	contexts = context;
	pthread_mutex_unlock(&device_lock);
	return &context->vctx.context;
close_events:
	shca_event_queue_close(&context->events);
free_context:
	free(context);
	errno = -ret;
	return NULL;
}

static bool is_any(void *event, void *what)
{
	(void)event, (void)what;
	return true;
}

SHCA_EXPORT int ibv_close_device(struct ibv_context *ibv)
{
	struct shca_context *context = to_shca_context(ibv), **link;
	uint32_t left = atomic_load(&context->objects);

	/*
	 * A real device takes them along, and whoever destroys one afterwards writes into memory that is gone. Here
	 * the program learns what it forgot, and all stays as it was.
	 */
	if (left) {
		fprintf(stderr,
			"softhca: %s was closed with %u protection domains, completion queues and channels left\n",
			ibv->device->name, left);
		return 0;
	}
	pthread_mutex_lock(&device_lock);
	for (link = &contexts; *link != context; link = &(*link)->next)
		;
	*link = context->next;
	pthread_mutex_unlock(&device_lock);
	shca_engine_stop();
	shca_event_queue_remove(&context->events, is_any, NULL, free);
	shca_event_queue_close(&context->events);
	pthread_mutex_destroy(&ibv->mutex);
	free(context);
	return 0;
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

bool shca_limit_take(enum shca_limited kind)
{
	if (atomic_fetch_add(&limited[kind], 1) < limit_of(kind))
		return true;
	atomic_fetch_sub(&limited[kind], 1);
	return false;
}

void shca_limit_give(enum shca_limited kind)
{
	atomic_fetch_sub(&limited[kind], 1);
}

/* ---- what happens to the device as a whole ---- */

static void raise_port_event(enum ibv_event_type type)
{
	struct shca_context *context;

	pthread_mutex_lock(&device_lock);
	for (context = contexts; context; context = context->next)
		shca_async_port_event(&context->vctx.context, type);
	pthread_mutex_unlock(&device_lock);
}

static void fail_queue_pair(struct shca_qp *qp, void *unused)
{
	(void)unused;
	if (qp->ibv.state != IBV_QPS_RESET)
		shca_qp_fail(qp, -1);
}

static void take_away(void)
{
	struct shca_context *context;

	pthread_mutex_lock(&device_lock);
	for (context = contexts; context; context = context->next)
		atomic_store(&context->removed, true);
	pthread_mutex_unlock(&device_lock);
	shca_qp_for_each(fail_queue_pair, NULL);
	raise_port_event(IBV_EVENT_DEVICE_FATAL);
	shca_cm_device_removed();
}

void shca_device_remove(void)
{
	pthread_mutex_lock(&removal_lock);
	if (!atomic_exchange(&removed, true))
		take_away();
	pthread_mutex_unlock(&removal_lock);
}

/* Not in the middle of a removal, whose end would be that of the new one. */
void shca_device_insert(void)
{
	pthread_mutex_lock(&removal_lock);
	atomic_store(&removed, false);
	pthread_mutex_unlock(&removal_lock);
}

bool shca_device_is_removed(void)
{
	return atomic_load(&removed);
}

void shca_device_set_port(bool up)
{
	if (shca_links_set_carrier(up))
		raise_port_event(up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
}
