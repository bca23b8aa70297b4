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

/* The one device of the machine: listing, opening and closing it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/shca_ops.h"
#include "base/shca_error.h"
#include "base/shca_export.h"
#include "base/shca_say.h"
#include "device/shca_device.h"
#include "device/shca_gid.h"
#include "fault/shca_fault.h"
#include "personality/shca_personality.h"
#include "progress/shca_engine.h"
#include "wire/shca_link.h"

/*
 * A vendor's library that a program asks whether the device is its own, such as libmlx5, compares what follows the
 * structure in rdma-core, a table of its driver's functions.
 */
static struct {
	struct ibv_device ibv;
	const void *no_driver[16];
} the_one;

static void init_device(void)
{
	const struct shca_personality *personality = shca_personality();
	struct ibv_device *device = &the_one.ibv;

	device->node_type = personality->node_type;
	device->transport_type = personality->transport_type;
	strcpy(device->name, "softhca0");
	strcpy(device->dev_name, "softhca0");
	/* Nothing is there, as for any device without a bus, unless bin/softhca --sysfs has made it. */
	stpcpy(stpcpy(device->dev_path, ibv_get_sysfs_path()), "/class/infiniband_verbs/softhca0");
	stpcpy(stpcpy(device->ibdev_path, ibv_get_sysfs_path()), "/class/infiniband/softhca0");
	shca_fault_init();
}

static struct ibv_device *the_device(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_device);
	return &the_one.ibv;
}

/* ---- listing ---- */

SHCA_EXPORT struct ibv_device **(ibv_get_device_list)(int *count)
{
	struct ibv_device **list = calloc(2, sizeof(*list));

	if (count)
		*count = 0;
	if (!list || shca_device_is_removed())
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

static void print_notice(void)
{
	if (!getenv("SOFTHCA_QUIET"))
		shca_say("softhca0 is a software RDMA device, not hardware (personality %s)", shca_personality()->name);
}

SHCA_EXPORT struct ibv_context *ibv_open_device(struct ibv_device *ibv)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct shca_context *context;
	int ret;

	if (shca_device_is_removed())
		return shca_null(ENODEV);
	context = calloc(1, sizeof(*context));
	if (!context)
		return NULL;
	ret = shca_event_queue_open(&context->events);
	if (ret)
		goto free_context;
	ret = shca_engine_start();
	if (ret)
		goto close_events;
	pthread_once(&once, print_notice);
	shca_context_init(context, ibv);
	context->links = shca_link_set_take();
	shca_device_add_context(context);
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
	static _Atomic uint64_t count;
	struct shca_context *context = to_shca_context(ibv);
	uint32_t left = atomic_load(&context->objects);

	/*
	 * A real device destroys these objects, and a program that destroys one afterwards writes into freed memory.
	 * Here a message says what the program forgot, and everything stays as it was.
	 */
	if (left) {
		shca_say_seldom(&count, "%s was closed with %u protection domains, completion queues and channels left",
				ibv->device->name, left);
		return 0;
	}
	shca_device_remove_context(context);
	shca_link_set_leave(context->links);
	shca_engine_stop();
	shca_event_queue_remove(&context->events, is_any, NULL, free);
	shca_event_queue_close(&context->events);
	if (ibv->cmd_fd >= 0)
		close(ibv->cmd_fd);
	pthread_mutex_destroy(&ibv->mutex);
	free(context);
	return 0;
}
