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

/* Ids: creation, lookup by number, migration, destruction. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/shca_clock.h"
#include "base/shca_export.h"
#include "cm/shca_cm_kernel.h"
#include "cm/shca_cm_library.h"
#include "fault/shca_fault.h"
#include "registry/shca_ports.h"
#include "wire/shca_packet.h"

#define BUCKETS	1024u

pthread_mutex_t shca_cm_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	struct shca_cm_id *first;
	struct shca_cm_id *buckets[BUCKETS];
	struct shca_cm_id *by_peer[BUCKETS];	/* ids that know their peer, by the peer's number */
	uint32_t last_number;
} ids;

int shca_cm_result(int result)
{
	if (!result)
		return 0;
	errno = -result;
	return -1;
}

/* ---- the table; with the lock ---- */

struct shca_cm_id *shca_cm_id_find(uint32_t number)
{
	struct shca_cm_id *id = ids.buckets[number % BUCKETS];

	while (id && id->number != number)
		id = id->next_by_number;
	return id;
}

struct shca_cm_id *shca_cm_id_find_peer(const struct shca_process *process, uint32_t peer)
{
	struct shca_cm_id *id = ids.by_peer[peer % BUCKETS];

	while (id && (id->process != process || id->peer != peer || id->state < SHCA_CM_REQUESTING))
		id = id->next_by_peer;
	return id;
}

static void forget_peer(struct shca_cm_id *id)
{
	struct shca_cm_id **at = &ids.by_peer[id->peer % BUCKETS];

	if (!id->peer)
		return;
	while (*at != id)
		at = &(*at)->next_by_peer;
	*at = id->next_by_peer;
	id->peer = 0;
}

void shca_cm_id_set_peer(struct shca_cm_id *id, uint32_t peer)
{
	struct shca_cm_id **bucket = &ids.by_peer[peer % BUCKETS];

	forget_peer(id);
	if (!peer)
		return;
	id->peer = peer;
	id->next_by_peer = *bucket;
	*bucket = id;
}

void shca_cm_id_for_each(void (*visit)(struct shca_cm_id *id, void *argument), void *argument)
{
	struct shca_cm_id *id;

	for (id = ids.first; id; id = id->next)
		visit(id, argument);
}

static uint32_t unused_number(void)
{
	do
		ids.last_number++;
	while (!ids.last_number || shca_cm_id_find(ids.last_number));
	return ids.last_number;
}

void shca_cm_id_insert(struct shca_cm_id *id)
{
	struct shca_cm_id **bucket;

	id->number = unused_number();
	bucket = &ids.buckets[id->number % BUCKETS];
	id->next_by_number = *bucket;
	*bucket = id;
	id->next = ids.first;
	if (id->next)
		id->next->previous = id;
	ids.first = id;
}

void shca_cm_id_remove(struct shca_cm_id *id)
{
	struct shca_cm_id **at = &ids.buckets[id->number % BUCKETS];

	forget_peer(id);
	while (*at != id)
		at = &(*at)->next_by_number;
	*at = id->next_by_number;
	if (id->next)
		id->next->previous = id->previous;
	if (id->previous)
		id->previous->next = id->next;
	else
		ids.first = id->next;
}

/* ---- creating and freeing ---- */

/* Chosen early: the passive side's queue pair is ready to receive before the accept. */
static uint32_t random_psn(void)
{
	uint32_t psn;

	if (getrandom(&psn, sizeof(psn), 0) != sizeof(psn))
		psn = (uint32_t)shca_now();
	return psn & SHCA_PSN_MASK;
}

struct shca_cm_id *shca_cm_id_new(enum rdma_port_space ps, enum ibv_qp_type qp_type)
{
	struct shca_cm_id *id = calloc(1, sizeof(*id));

	if (!id)
		return NULL;
	id->id.ps = ps;
	id->id.qp_type = qp_type;
	id->rq_psn = random_psn();
	pthread_mutex_init(&id->mutex, NULL);
	pthread_cond_init(&id->cond, NULL);
	return id;
}

static void free_id(struct shca_cm_id *id)
{
	if (id->device)
		shca_cm_device_release(id->device);
	pthread_cond_destroy(&id->cond);
	pthread_mutex_destroy(&id->mutex);
	free(id->id.route.path_rec);
	if (id->sync)
		rdma_destroy_event_channel(id->id.channel);
	if (id->connect_size)
		free(id->connect_data);
	free(id);
}

/* Removes the id from the tables and frees its port. */
static void detach(struct shca_cm_id *id)
{
	shca_cm_prepare_destroy(id);
	shca_cm_id_remove(id);
	if (id->has_port)
		shca_port_release(id->port_record);
	id->has_port = false;
}

void shca_cm_id_discard(struct shca_cm_id *id)
{
	detach(id);
	free_id(id);
}

int shca_cm_id_create(struct rdma_event_channel *channel, struct rdma_cm_id **result, void *context,
		      enum rdma_port_space ps, enum ibv_qp_type qp_type)
{
	struct shca_cm_id *id;

	if (ps != RDMA_PS_TCP && ps != RDMA_PS_UDP && ps != RDMA_PS_IB)
		return shca_cm_result(-EINVAL);
	id = shca_cm_id_new(ps, qp_type);
	if (!id)
		return shca_cm_result(-ENOMEM);
	id->id.context = context;
	id->id.channel = channel ? channel : rdma_create_event_channel();
	id->sync = !channel && id->id.channel;
	if (!id->id.channel) {
		int error = errno;

		free_id(id);
		return shca_cm_result(-error);
	}
	pthread_mutex_lock(&shca_cm_lock);
	shca_cm_id_insert(id);
	pthread_mutex_unlock(&shca_cm_lock);
	*result = &id->id;
	return 0;
}

SHCA_EXPORT int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
			       enum rdma_port_space ps)
{
	return shca_cm_id_create(channel, id, context, ps,
				 ps == RDMA_PS_UDP || ps == RDMA_PS_IPOIB ? IBV_QPT_UD : IBV_QPT_RC);
}

SHCA_EXPORT int rdma_destroy_id(struct rdma_cm_id *rdma)
{
	struct shca_cm_id *id = to_shca_cm_id(rdma);

	pthread_mutex_lock(&shca_cm_lock);
	detach(id);
	shca_cm_events_forget(id);
	pthread_mutex_unlock(&shca_cm_lock);
	if (shca_faults_are_active())
		shca_fault_sleep_in_destroy();
	if (id->held_until)
		shca_sleep_until(id->held_until);
	if (id->id.event)
		rdma_ack_cm_event(id->id.event);
	shca_cm_events_await(id, atomic_load(&id->events_fetched));
	free_id(id);
	return 0;
}

SHCA_EXPORT int rdma_migrate_id(struct rdma_cm_id *rdma, struct rdma_event_channel *channel)
{
	struct shca_cm_id *id = to_shca_cm_id(rdma);
	struct rdma_event_channel *old = rdma->channel;
	bool sync = !channel;
	int fetched = 0;
	int result = 0;

	if (id->sync && sync)
		return shca_cm_result(-EINVAL);
	if (sync)
		channel = rdma_create_event_channel();
	if (!channel)
		return -1;
	pthread_mutex_lock(&shca_cm_lock);
	if (old == channel)
		fetched = atomic_load(&id->events_fetched);
	else
		result = shca_cm_events_move(id, to_shca_cm_channel(channel), &fetched);
	if (!result)
		rdma->channel = channel;
	pthread_mutex_unlock(&shca_cm_lock);
	if (result) {
		if (sync)
			rdma_destroy_event_channel(channel);
		return shca_cm_result(result);
	}
	if (id->sync) {
		if (rdma->event)
			rdma_ack_cm_event(rdma->event);
		rdma->event = NULL;
	}
	/* Events fetched from the old channel must be acknowledged before any event comes through the new one. */
	shca_cm_events_await(id, fetched);
	if (id->sync)
		rdma_destroy_event_channel(old);
	id->sync = sync;
	return 0;
}

/* ---- the public part of an id ---- */

static void copy_address(struct sockaddr_storage *to, const union shca_cm_address *from)
{
	socklen_t length = shca_cm_address_length(&from->any);

	if (length)
		memcpy(to, from, length);
}

int shca_cm_id_publish(struct shca_cm_id *id)
{
	struct rdma_addr *addr = &id->id.route.addr;
	bool has_device;

	pthread_mutex_lock(&shca_cm_lock);
	copy_address(&addr->src_storage, &id->local);
	copy_address(&addr->dst_storage, &id->remote);
	has_device = id->has_device;
	if (has_device && id->local.any.sa_family)
		shca_cm_address_gid(&id->local, &addr->addr.ibaddr.sgid);
	if (has_device && id->remote.any.sa_family)
		shca_cm_address_gid(&id->remote, &addr->addr.ibaddr.dgid);
	addr->addr.ibaddr.pkey = htons(0xffff);
	pthread_mutex_unlock(&shca_cm_lock);
	return has_device && !id->device ? shca_cm_device_acquire(id) : 0;
}

int shca_cm_id_publish_path(struct shca_cm_id *id)
{
	struct rdma_route *route = &id->id.route;
	struct ibv_sa_path_rec *path = calloc(1, sizeof(*path));
	struct ibv_ah_attr ah;
	uint8_t life_time;

	if (!path)
		return -ENOMEM;
	pthread_mutex_lock(&shca_cm_lock);
	shca_cm_init_ah_attr(id, &ah);
	life_time = id->packet_life_time;
	pthread_mutex_unlock(&shca_cm_lock);
	path->dgid = route->addr.addr.ibaddr.dgid;
	path->sgid = route->addr.addr.ibaddr.sgid;
	path->hop_limit = ah.grh.hop_limit;
	path->traffic_class = ah.grh.traffic_class;
	path->reversible = 1;
	path->numb_path = 1;
	path->pkey = htons(0xffff);
	path->mtu_selector = 2;		/* exactly */
	path->mtu = (uint8_t)shca_personality()->mtu;
	path->rate_selector = 2;
	path->rate = IBV_RATE_MAX;
	path->packet_life_time_selector = 2;
	path->packet_life_time = life_time;
	free(route->path_rec);
	route->path_rec = path;
	route->num_paths = 1;
	return 0;
}
