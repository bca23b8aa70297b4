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

/* The lists of links that queue pairs are on: those that wait for room, and those that owe an acknowledgement. */
#include "base/shca_util.h"
#include "wire/shca_process_internal.h"
#include "wire/shca_wire_user.h"

#define LARGEST_PAYLOAD	(SHCA_SEGMENT + SHCA_GRH_SIZE)

static struct shca_wire_user *pop_all_if_room(struct shca_link *link)
{
	struct shca_wire_user *list = NULL;

	pthread_mutex_lock(&link->tx_lock);
	if (!shca_link_is_up(link) || shca_ring_reserve(&link->tx, LARGEST_PAYLOAD)) {
		list = link->blocked;
		link->blocked = NULL;
		atomic_store(&link->has_blocked, false);
	}
	pthread_mutex_unlock(&link->tx_lock);
	return list;
}

bool shca_link_begin_unblock(struct shca_link *link, struct shca_wire_user **list)
{
	/* The holder of the lock calls them, or will come here again. */
	if (!atomic_load(&link->has_blocked) || pthread_mutex_trylock(&link->set->unblock_lock))
		return false;
	*list = pop_all_if_room(link);
	return true;
}

struct shca_wire_user *shca_link_next_unblocked(struct shca_wire_user **list)
{
	struct shca_wire_user *user = *list;

	if (!user)
		return NULL;
	/* Read next first: once the queue pair is not blocked it may be put on a list again. */
	*list = user->next_blocked;
	atomic_store(&user->is_blocked, false);
	return user;
}

void shca_link_end_unblock(struct shca_link *link)
{
	pthread_mutex_unlock(&link->set->unblock_lock);
	shca_link_ring_doorbell(link);
}

static bool remove_blocked(struct shca_link *link, struct shca_wire_user *user)
{
	struct shca_wire_user **at = &link->blocked;

	while (*at && *at != user)
		at = &(*at)->next_blocked;
	if (!*at)
		return false;
	*at = user->next_blocked;
	return true;
}

static void remove_ack(struct shca_link *link, struct shca_wire_user *user)
{
	struct shca_wire_user **at = &link->acks;

	while (*at && *at != user)
		at = &(*at)->next_ack;
	if (*at) {
		*at = user->next_ack;
		user->is_on_acks = false;
	}
}

void shca_links_forget(struct shca_link_set *set, struct shca_wire_user *user)
{
	uint32_t count = shca_links_used(set);
	uint32_t i;

	/* With this lock, no thread has the queue pair on a private list and is about to call it. */
	pthread_mutex_lock(&set->unblock_lock);
	for (i = 0; i < count; i++) {
		struct shca_link *link = &set->links[i];

		pthread_mutex_lock(&link->rx_lock);
		remove_ack(link, user);
		pthread_mutex_lock(&link->tx_lock);
		if (remove_blocked(link, user))
			atomic_store(&user->is_blocked, false);
		pthread_mutex_unlock(&link->tx_lock);
		pthread_mutex_unlock(&link->rx_lock);
	}
	pthread_mutex_unlock(&set->unblock_lock);
}

void shca_links_quiesce(struct shca_link_set *set)
{
	uint32_t count = shca_links_used(set);
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct shca_link *link = &set->links[i];

		pthread_mutex_lock(&link->rx_lock);
		pthread_mutex_unlock(&link->rx_lock);
	}
	pthread_mutex_lock(&set->unblock_lock);
	pthread_mutex_unlock(&set->unblock_lock);
}
