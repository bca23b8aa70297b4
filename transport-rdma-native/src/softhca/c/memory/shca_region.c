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

/* The table of memory regions, and every access to memory by a key. */
#include "memory/shca_region.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/shca_copy.h"

#define TAG_BITS	8
#define CHUNK_REGIONS	4096u
#define CHUNKS		(1u << (32 - TAG_BITS - 12))

static_assert(CHUNK_REGIONS == 1u << 12, "an index is a chunk and an entry of it");

/* ---- the table of regions: index 0 is unused, so that no key is 0 ---- */

static struct shca_region *_Atomic chunks[CHUNKS];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
/* Under table_lock: indexes that were used before, oldest first, so that a key recurs late. */
static uint32_t *free_indexes;
static uint32_t free_capacity;
static uint32_t free_head;
static uint32_t free_count;
static uint32_t fresh_index = 1;

static struct shca_region *region_at(uint32_t index)
{
	struct shca_region *chunk = atomic_load_explicit(&chunks[index / CHUNK_REGIONS], memory_order_acquire);

	return chunk ? &chunk[index % CHUNK_REGIONS] : NULL;
}

/* Reserves room for one more free index, so that release_index cannot fail. */
static bool reserve_free(uint32_t in_use)
{
	uint32_t *wider, i, capacity;

	if (in_use < free_capacity)
		return true;
	capacity = free_capacity ? 2 * free_capacity : 64;
	wider = malloc(capacity * sizeof(*wider));
	if (!wider)
		return false;
	for (i = 0; i < free_count; i++)
		wider[i] = free_indexes[(free_head + i) % free_capacity];
	free(free_indexes);
	free_indexes = wider;
	free_capacity = capacity;
	free_head = 0;
	return true;
}

/* Returns 0 when there is no memory. */
static uint32_t acquire_index(void)
{
	uint32_t index, chunk;

	/* Keeps 64 free indexes back, so that a key is not valid again just after its deregistration. */
	if (free_count > 64) {
		index = free_indexes[free_head];
		free_head = (free_head + 1) % free_capacity;
		free_count--;
		return index;
	}
	if (fresh_index == CHUNKS * CHUNK_REGIONS || !reserve_free(fresh_index))
		return 0;
	chunk = fresh_index / CHUNK_REGIONS;
	if (!atomic_load_explicit(&chunks[chunk], memory_order_relaxed)) {
		struct shca_region *regions = calloc(CHUNK_REGIONS, sizeof(*regions));

		if (!regions)
			return 0;
		atomic_store_explicit(&chunks[chunk], regions, memory_order_release);
	}
	return fresh_index++;
}

static void release_index(uint32_t index)
{
	free_indexes[(free_head + free_count++) % free_capacity] = index;
}

struct shca_region *shca_region_add(const struct shca_region *like)
{
	struct shca_region *region;
	uint32_t index;

	pthread_mutex_lock(&table_lock);
	index = acquire_index();
	pthread_mutex_unlock(&table_lock);
	if (!index)
		return NULL;
	region = region_at(index);
	/* A late reader with an old key may be counted in for a moment; it reads nothing but the key. */
	region->pd = like->pd;
	region->access = like->access;
	region->start = like->start;
	region->length = like->length;
	region->memory = like->memory;
	/* The key is stored last: it makes the rest valid. */
	atomic_store(&region->key, index << TAG_BITS | region->next_tag++);
	return region;
}

void shca_region_remove(struct shca_region *region)
{
	uint32_t index = atomic_exchange(&region->key, 0) >> TAG_BITS;

	/* A reader that saw the key copies at most one segment. */
	while (atomic_load(&region->users))
		sched_yield();
	pthread_mutex_lock(&table_lock);
	release_index(index);
	pthread_mutex_unlock(&table_lock);
}

/* ---- keys ---- */

struct shca_region *shca_region_pin(uint32_t pd, uint32_t key, uint64_t address, uint64_t length, unsigned int access)
{
	struct shca_region *region = region_at(key >> TAG_BITS);

	if (!region || !key)
		return NULL;
	/*
	 * A reader counts itself in and then reads the key; deregistration clears the key and then reads the count. One
	 * of the two sees the other.
	 */
	atomic_fetch_add(&region->users, 1);
	if (atomic_load(&region->key) == key && region->pd == pd && (region->access & access) == access &&
	    address >= region->start && length <= region->length && address - region->start <= region->length - length)
		return region;
	shca_region_unpin(region);
	return NULL;
}

void shca_region_unpin(struct shca_region *region)
{
	atomic_fetch_sub_explicit(&region->users, 1, memory_order_release);
}

/* ---- scatter/gather lists ---- */

uint64_t shca_list_length(const struct ibv_sge *list, uint32_t count)
{
	uint64_t length = 0;
	uint32_t i;

	for (i = 0; i < count; i++)
		length += list[i].length;
	return length;
}

enum ibv_wc_status shca_check_list(uint32_t pd, const struct ibv_sge *list, uint32_t count, unsigned int access)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct shca_region *region;

		if (!list[i].length)
			continue;
		region = shca_region_pin(pd, list[i].lkey, list[i].addr, list[i].length, access);
		if (!region)
			return IBV_WC_LOC_PROT_ERR;
		shca_region_unpin(region);
	}
	return IBV_WC_SUCCESS;
}

/* Copies the bytes [offset, offset + length) of the list, SGE by SGE, to flat or from it. */
static inline __attribute__((always_inline)) enum ibv_wc_status
walk(uint32_t pd, const struct ibv_sge *list, uint32_t count, uint32_t offset, uint8_t *flat, uint32_t length,
     unsigned int access, bool gather)
{
	uint32_t i;

	for (i = 0; i < count && length; i++) {
		struct shca_region *region;
		uint32_t part;

		if (offset >= list[i].length) {
			offset -= list[i].length;
			continue;
		}
		part = list[i].length - offset;
		if (part > length)
			part = length;
		region = shca_region_pin(pd, list[i].lkey, list[i].addr + offset, part, access);
		if (!region)
			return IBV_WC_LOC_PROT_ERR;
		if (gather)
			shca_copy(flat, shca_region_at(region, list[i].addr + offset), part);
		else
			shca_copy(shca_region_at(region, list[i].addr + offset), flat, part);
		shca_region_unpin(region);
		flat += part;
		length -= part;
		offset = 0;
	}
	return IBV_WC_SUCCESS;
}

enum ibv_wc_status shca_gather(uint32_t pd, const struct ibv_sge *list, uint32_t count, uint32_t offset, void *to,
			       uint32_t length)
{
	return walk(pd, list, count, offset, to, length, 0, true);
}

enum ibv_wc_status shca_scatter(uint32_t pd, const struct ibv_sge *list, uint32_t count, uint32_t offset,
				const void *from, uint32_t length, unsigned int access)
{
	return walk(pd, list, count, offset, (uint8_t *)from, length, access, false);
}
