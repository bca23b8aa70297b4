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
 * Protection domains and memory regions, and every look at memory on behalf of a key.
 */
#include "shca.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shca_export.h"
#include "shca_fault.h"

#define TAG_BITS	8
#define CHUNK_REGIONS	4096u
#define CHUNKS		(1u << (32 - TAG_BITS - 12))

static_assert(CHUNK_REGIONS == 1u << 12, "an index is a chunk and a place in it");

/* ---- protection domains ---- */

SHCA_EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	static _Atomic uint32_t numbers;
	struct shca_pd *pd;

	if (atomic_load(&to_shca_context(context)->removed)) {
		errno = EIO;
		return NULL;
	}
	if (!shca_limit_take(SHCA_LIMITED_PD)) {
		errno = ENOMEM;
		return NULL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd) {
		shca_limit_give(SHCA_LIMITED_PD);
		errno = ENOMEM;
		return NULL;
	}
	pd->ibv.context = context;
	pd->number = atomic_fetch_add(&numbers, 1) + 1;
	pd->ibv.handle = pd->number;
	atomic_fetch_add(&to_shca_context(context)->objects, 1);
	return &pd->ibv;
}

SHCA_EXPORT int ibv_dealloc_pd(struct ibv_pd *ibv)
{
	struct shca_pd *pd = to_shca_pd(ibv);

	if (atomic_load(&pd->users))
		return EBUSY;
	atomic_fetch_sub(&to_shca_context(ibv->context)->objects, 1);
	free(pd);
	shca_limit_give(SHCA_LIMITED_PD);
	return 0;
}

/* ---- the table of regions: index 0 is not used, so that no key is 0 ---- */

static struct shca_region *_Atomic chunks[CHUNKS];
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
/* Under table_lock: indexes that were used before, oldest first, so that a key comes back late. */
static uint32_t *free_indexes;
static uint32_t free_capacity;
static uint32_t free_head;
static uint32_t free_count;
static uint32_t fresh_index = 1;
static uint8_t next_tag;
static uint64_t locked_bytes;

static struct shca_region *region_at(uint32_t index)
{
	struct shca_region *chunk = atomic_load_explicit(&chunks[index / CHUNK_REGIONS], memory_order_acquire);

	return chunk ? &chunk[index % CHUNK_REGIONS] : NULL;
}

/* Makes room for one more free index, so that giving one back cannot fail. */
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

/* 0 when there is no memory left. */
static uint32_t take_index(void)
{
	uint32_t index, chunk;

	/* Half a hundred stay behind: a key that was just given up is not valid again at once. */
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

static void give_index(uint32_t index)
{
	free_indexes[(free_head + free_count++) % free_capacity] = index;
}

/* ---- keys ---- */

struct shca_region *shca_region_pin(uint32_t pd, uint32_t key, uint64_t address, uint64_t length, unsigned int access)
{
	struct shca_region *region = region_at(key >> TAG_BITS);

	if (!region || !key)
		return NULL;
	/* Counted in first, then the look at the key; deregistration the other way round. One sees the other. */
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

/* ---- lists ---- */

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

/* Calls for each piece of memory that [offset, offset + length) of the list covers. */
static inline __attribute__((always_inline)) enum ibv_wc_status
walk(uint32_t pd, const struct ibv_sge *list, uint32_t count, uint32_t offset, uint8_t *flat, uint32_t length,
     unsigned int access, bool gather)
{
	uint32_t i;

	for (i = 0; i < count && length; i++) {
		struct shca_region *region;
		uint32_t piece;

		if (offset >= list[i].length) {
			offset -= list[i].length;
			continue;
		}
		piece = list[i].length - offset;
		if (piece > length)
			piece = length;
		region = shca_region_pin(pd, list[i].lkey, list[i].addr + offset, piece, access);
		if (!region)
			return IBV_WC_LOC_PROT_ERR;
		if (gather)
			memcpy(flat, shca_region_at(region, list[i].addr + offset), piece);
		else
			memcpy(shca_region_at(region, list[i].addr + offset), flat, piece);
		shca_region_unpin(region);
		flat += piece;
		length -= piece;
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

/* ---- registering ---- */

static int check_access(unsigned int access)
{
	unsigned int known = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			     IBV_ACCESS_REMOTE_ATOMIC;
	unsigned int required = access & ~(unsigned int)IBV_ACCESS_OPTIONAL_RANGE;

	if (required & ~known)
		return EOPNOTSUPP;
	/* What others may write, this process may write too. */
	if (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !(access & IBV_ACCESS_LOCAL_WRITE))
		return EINVAL;
	return 0;
}

/* The first and the last page, at least, are memory. */
static bool is_mapped(const void *memory, uint64_t length)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)memory & ~(page - 1);
	uintptr_t last = ((uintptr_t)memory + length - 1) & ~(page - 1);
	unsigned char resident;

	return mincore((void *)first, page, &resident) == 0 && mincore((void *)last, page, &resident) == 0;
}

static bool may_lock_anything(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	return syscall(SYS_capget, &header, data) == 0 && data[0].effective & 1u << CAP_IPC_LOCK;
}

/* An adapter pins what is registered, and the kernel counts it: so does this one, which pins nothing. */
static bool lock_bytes(uint64_t length)
{
	struct rlimit limit;
	bool fits;

	pthread_mutex_lock(&table_lock);
	fits = may_lock_anything() || getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	       locked_bytes + length <= limit.rlim_cur;
	if (fits)
		locked_bytes += length;
	pthread_mutex_unlock(&table_lock);
	return fits;
}

static int check(const struct ibv_pd *pd, const void *memory, uint64_t length, uint64_t iova, unsigned int access)
{
	int ret = check_access(access);

	if (atomic_load(&to_shca_context(pd->context)->removed))
		return EIO;
	if (ret)
		return ret;
	if (!length || length > shca_profile()->max_mr_size || (uintptr_t)memory + length < (uintptr_t)memory ||
	    iova + length < iova)
		return EINVAL;
	if (!is_mapped(memory, length))
		return EFAULT;
	if (shca_faults_are_active() && shca_fault_refuse_registration())
		return ENOMEM;
	return 0;
}

static uint64_t pinned_length(const void *memory, uint64_t length)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)memory & ~(page - 1);

	return ((uintptr_t)memory + length - first + page - 1) & ~(page - 1);
}

/* Takes a free region and fills it; the key comes last, and makes it valid. NULL: no room. */
static struct shca_region *fill_region(struct shca_mr *mr, uint64_t iova, unsigned int access)
{
	struct shca_region *region;
	uint32_t index, key;

	pthread_mutex_lock(&table_lock);
	index = take_index();
	key = index << TAG_BITS | next_tag++;
	pthread_mutex_unlock(&table_lock);
	if (!index)
		return NULL;
	region = region_at(index);
	/* A latecomer with an old key may still be counted in for a moment; it reads nothing but the key. */
	region->pd = to_shca_pd(mr->ibv.pd)->number;
	region->access = access;
	region->start = iova;
	region->length = mr->ibv.length;
	region->memory = mr->ibv.addr;
	mr->ibv.lkey = key;
	mr->ibv.rkey = key;
	mr->region = region;
	atomic_store(&region->key, key);
	return region;
}

static struct ibv_mr *reg(struct ibv_pd *pd, void *memory, size_t length, uint64_t iova, unsigned int access)
{
	struct shca_mr *mr = NULL;
	int ret = check(pd, memory, length, iova, access);

	if (ret)
		goto refuse;
	ret = ENOMEM;
	if (!shca_limit_take(SHCA_LIMITED_MR))
		goto refuse;
	if (!lock_bytes(pinned_length(memory, length)))
		goto give_limit;
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		goto unlock;
	mr->ibv.context = pd->context;
	mr->ibv.pd = pd;
	mr->ibv.addr = memory;
	mr->ibv.length = length;
	if (!fill_region(mr, iova, access))
		goto unlock;
	mr->ibv.handle = mr->ibv.lkey >> TAG_BITS;
	atomic_fetch_add(&to_shca_pd(pd)->users, 1);
	return &mr->ibv;
unlock:
	free(mr);
	pthread_mutex_lock(&table_lock);
	locked_bytes -= pinned_length(memory, length);
	pthread_mutex_unlock(&table_lock);
give_limit:
	shca_limit_give(SHCA_LIMITED_MR);
refuse:
	errno = ret;
	return NULL;
}

SHCA_EXPORT struct ibv_mr *(ibv_reg_mr)(struct ibv_pd *pd, void *memory, size_t length, int access)
{
	return reg(pd, memory, length, (uintptr_t)memory, (unsigned int)access);
}

SHCA_EXPORT struct ibv_mr *(ibv_reg_mr_iova)(struct ibv_pd *pd, void *memory, size_t length, uint64_t iova, int access)
{
	return reg(pd, memory, length, iova, (unsigned int)access);
}

SHCA_EXPORT struct ibv_mr *(ibv_reg_mr_iova2)(struct ibv_pd *pd, void *memory, size_t length, uint64_t iova,
					      unsigned int access)
{
	return reg(pd, memory, length, iova, access);
}

SHCA_EXPORT struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd,
					     int access)
{
	(void)pd, (void)offset, (void)length, (void)iova, (void)fd, (void)access;
	errno = EOPNOTSUPP;
	return NULL;
}

SHCA_EXPORT int ibv_dereg_mr(struct ibv_mr *ibv)
{
	struct shca_mr *mr = to_shca_mr(ibv);
	struct shca_region *region = mr->region;

	atomic_store(&region->key, 0);
	/* Whoever saw the key is copying one segment at most. */
	while (atomic_load(&region->users))
		sched_yield();
	pthread_mutex_lock(&table_lock);
	give_index(ibv->handle);
	locked_bytes -= pinned_length(ibv->addr, ibv->length);
	pthread_mutex_unlock(&table_lock);
	atomic_fetch_sub(&to_shca_pd(ibv->pd)->users, 1);
	free(mr);
	shca_limit_give(SHCA_LIMITED_MR);
	return 0;
}

/* The region stays as it was: what the call may say for devices that cannot. */
SHCA_EXPORT int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *memory, size_t length, int access)
{
	(void)mr, (void)flags, (void)pd, (void)memory, (void)length, (void)access;
	errno = EOPNOTSUPP;
	return IBV_REREG_MR_ERR_INPUT;
}
