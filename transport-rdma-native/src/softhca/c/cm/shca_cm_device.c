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
 * One context for all ids of the process, as in librdmacm. It is opened when an address is bound for the first time,
 * and stays open, so that queue pairs of one id and memory of another belong together. At exit it is closed here. A
 * child does not have what its parent opened: the helper thread stays with the parent.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/shca_export.h"
#include "cm/shca_cm_library.h"
#include "device/shca_context.h"
#include "device/shca_device.h"
#include "device/shca_gid.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shca_cm_port port = { .link_layer = IBV_LINK_LAYER_ETHERNET };
static struct shca_cm_device *device;		/* the device for new ids; NULL: none is open */
static pid_t owner;
static bool minds_forks;

/*
 * Without this a child would find the locks as the parent's threads left them. Registered after the engine's handler,
 * and so called before it.
 */
static void before_fork(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&shca_cm_lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&shca_cm_lock);
	pthread_mutex_unlock(&lock);
}

/* A context in which a program still has objects stays open. */
static void discard(struct shca_cm_device *dead)
{
	if (!atomic_load(&to_shca_context(dead->verbs)->objects))
		ibv_close_device(dead->verbs);
	free(dead);
}

/* The device lives as long as it has ids; they may only be destroyed. */
static void retire(void)
{
	struct shca_cm_device *dead = device;

	device = NULL;
	dead->is_dead = 1;
	if (dead->pd && !dead->users && !ibv_dealloc_pd(dead->pd))
		dead->pd = NULL;
	if (!dead->users)
		discard(dead);
}

static struct ibv_context *open_first(struct ibv_device **ibv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *verbs;
	int error;

	if (!list)
		return NULL;
	*ibv = list[0];
	errno = ENODEV;
	verbs = *ibv ? ibv_open_device(*ibv) : NULL;
	error = errno;
	ibv_free_device_list(list);
	errno = error;
	return verbs;
}

static int open_new(void)
{
	const struct shca_personality *personality = shca_personality();
	struct shca_cm_device *opened = calloc(1, sizeof(*opened));
	int error;

	if (!opened)
		return -ENOMEM;
	opened->verbs = open_first(&opened->ibv);
	if (!opened->verbs) {
		error = errno;
		free(opened);
		return -error;
	}
	if (!minds_forks && pthread_atfork(before_fork, after_fork, after_fork)) {
		discard(opened);
		return -ENOMEM;
	}
	minds_forks = true;
	owner = getpid();
	opened->port = &port;
	opened->port_count = 1;
	opened->guid = shca_guid();
	opened->max_qp_wr = (int)personality->max_qp_wr;
	opened->max_initiator_depth = (uint8_t)personality->max_rd_atomic;
	opened->max_responder_resources = (uint8_t)personality->max_rd_atomic;
	device = opened;
	return 0;
}

static int open_locked(void)
{
	if (shca_device_is_removed() || (device && owner != getpid()))
		return -ENODEV;
	/* The device was removed and inserted again: it is a different one now. */
	if (device && atomic_load(&to_shca_context(device->verbs)->removed))
		retire();
	return device ? 0 : open_new();
}

int shca_cm_device_open(void)
{
	int result;

	pthread_mutex_lock(&lock);
	result = open_locked();
	pthread_mutex_unlock(&lock);
	return result;
}

int shca_cm_device_acquire(struct shca_cm_id *id)
{
	int result;

	pthread_mutex_lock(&lock);
	result = open_locked();
	if (!result && !device->pd) {
		device->pd = ibv_alloc_pd(device->verbs);
		if (!device->pd)
			result = -errno;
	}
	if (!result) {
		device->users++;
		id->device = device;
		id->id.verbs = device->verbs;
		id->id.pd = device->pd;
		id->id.port_num = SHCA_PORT;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

void shca_cm_device_release(struct shca_cm_device *given)
{
	pthread_mutex_lock(&lock);
	/* If the program still has a queue pair in the PD, the PD stays for later ids. */
	if (!--given->users && !ibv_dealloc_pd(given->pd))
		given->pd = NULL;
	if (!given->users && given->is_dead)
		discard(given);
	pthread_mutex_unlock(&lock);
}

struct ibv_context *shca_cm_device_verbs(void)
{
	struct ibv_context *verbs;

	pthread_mutex_lock(&lock);
	verbs = device ? device->verbs : NULL;
	pthread_mutex_unlock(&lock);
	return verbs;
}

/*
 * Only by this close does the process leave the fabric in order. With ids or other objects left, or while another
 * thread holds the lock, it leaves as if it were killed.
 */
void shca_cm_device_close(void)
{
	if (pthread_mutex_trylock(&lock))
		return;
	if (device && owner == getpid() && !device->users &&
	    !atomic_load(&to_shca_context(device->verbs)->objects)) {
		ibv_close_device(device->verbs);
		free(device);
		device = NULL;
	}
	pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void close_at_exit(void)
{
	shca_cm_device_close();
}

/* ---- for applications ---- */

SHCA_EXPORT struct ibv_context **rdma_get_devices(int *count)
{
	struct ibv_context **list = NULL;

	if (!shca_cm_device_open())
		list = calloc(2, sizeof(*list));
	if (list)
		list[0] = shca_cm_device_verbs();
	if (count)
		*count = list != NULL;
	return list;
}

SHCA_EXPORT void rdma_free_devices(struct ibv_context **list)
{
	free(list);
}
