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

/* Memory regions: which memory may be registered, and what counts against the limits. */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/shca_error.h"
#include "base/shca_export.h"
#include "base/shca_handle.h"
#include "device/shca_context.h"
#include "device/shca_device.h"
#include "fault/shca_fault.h"
#include "memory/shca_protection_domain.h"
#include "memory/shca_region.h"
#include "personality/shca_personality.h"

/* Since Linux 5.14; some libcs that we build with do not define them. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ	22
#define MADV_POPULATE_WRITE	23
#endif

#define PAGES_AT_ONCE	4096u

struct shca_mr {
	struct ibv_mr ibv;
	struct shca_region *region;
};

static struct shca_mr *to_shca_mr(struct ibv_mr *mr)
{
	return shca_container_of(mr, struct shca_mr, ibv);
}

static int check_access(unsigned int access)
{
	const struct shca_personality *personality = shca_personality();
	unsigned int supported = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				 IBV_ACCESS_REMOTE_ATOMIC;
	/* Windows can be bound to a region that has this flag. There are none here, so it changes nothing. */
	unsigned int without_effect = personality->srd ? 0 : IBV_ACCESS_MW_BIND;
	unsigned int elsewhere = IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND | IBV_ACCESS_HUGETLB;
	unsigned int required = access & ~(unsigned int)IBV_ACCESS_OPTIONAL_RANGE;

	/* Remote write access requires local write access. */
	if (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !(access & IBV_ACCESS_LOCAL_WRITE))
		return EINVAL;
	if (required & ~(supported | elsewhere))
		return EINVAL;
	if (personality->srd) {
		unsigned int allowed = IBV_ACCESS_LOCAL_WRITE |
				       (personality->rdma_read ? IBV_ACCESS_REMOTE_READ : 0) |
				       (personality->rdma_write ? IBV_ACCESS_REMOTE_WRITE : 0);

		return required & ~allowed ? EOPNOTSUPP : 0;
	}
	return required & elsewhere & ~without_effect ? EOPNOTSUPP : 0;
}

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The pages of a range. */
static uint64_t first_page(const void *memory)
{
	return (uintptr_t)memory & ~(page_size() - 1);
}

static uint64_t pages_length(const void *memory, uint64_t length)
{
	return ((uintptr_t)memory + length - first_page(memory) + page_size() - 1) & ~(page_size() - 1);
}

/* Whether the page can be populated for this access, as pinning would do. */
static bool is_usable(uint64_t page, unsigned int access)
{
	int advice = access & IBV_ACCESS_LOCAL_WRITE ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
	unsigned char resident;

	/* The kernel cannot populate pages if this fails for length 0: it is older than Linux 5.14. */
	if (madvise((void *)page, 0, advice))
		return mincore((void *)page, page_size(), &resident) == 0;
	return madvise((void *)page, page_size(), advice) == 0;
}

/*
 * Uses mincore: valgrind takes msync for an access to all bytes of these pages, also to those that are not the
 * program's.
 */
static bool has_hole(uint64_t first, uint64_t size)
{
	unsigned char resident[PAGES_AT_ONCE];
	uint64_t left;

	for (left = size; left;) {
		uint64_t part = left < PAGES_AT_ONCE * page_size() ? left : PAGES_AT_ONCE * page_size();

		if (mincore((void *)(uintptr_t)first, part, resident))
			return true;
		first += part;
		left -= part;
	}
	return false;
}

/*
 * Whether the whole range is mapped, and its first and last page allow this access. An adapter populates every page
 * when it pins them. We must not: a large region that is hardly used would take memory that the machine does not have.
 */
static bool is_mapped(const void *memory, uint64_t length, unsigned int access)
{
	uint64_t first = first_page(memory);
	uint64_t size = pages_length(memory, length);

	return !has_hole(first, size) && is_usable(first, access) &&
	       (size == page_size() || is_usable(first + size - page_size(), access));
}

static bool may_lock_anything(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	return syscall(SYS_capget, &header, data) == 0 && data[0].effective & 1u << CAP_IPC_LOCK;
}

/* An adapter pins registered memory, and the kernel counts it. We pin nothing, but count it too. */
static _Atomic uint64_t locked_bytes;

static void unlock_bytes(uint64_t length)
{
	atomic_fetch_sub(&locked_bytes, length);
}

static bool lock_bytes(uint64_t length)
{
	uint64_t locked = atomic_fetch_add(&locked_bytes, length) + length;
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY || locked <= limit.rlim_cur ||
	    may_lock_anything())
		return true;
	unlock_bytes(length);
	return false;
}

static int check(const struct ibv_pd *pd, const void *memory, uint64_t length, uint64_t iova, unsigned int access)
{
	int ret = check_access(access);

	if (!shca_handle_is_valid(pd))
		return EINVAL;
	if (atomic_load(&to_shca_context(pd->context)->removed))
		return EIO;
	if (ret)
		return ret;
	if (!length || length > shca_personality()->max_mr_size || (uintptr_t)memory + length < (uintptr_t)memory ||
	    iova + length < iova)
		return EINVAL;
	/* An adapter maps whole pages, so address and iova have the same offset in a page. */
	if (((uintptr_t)memory ^ iova) & (page_size() - 1))
		return EINVAL;
	if (!is_mapped(memory, length, access))
		return EFAULT;
	if (shca_faults_are_active() && shca_fault_refuse_registration())
		return ENOMEM;
	return 0;
}

/* Called when all limits have been taken. */
static struct ibv_mr *new_mr(struct ibv_pd *pd, void *memory, size_t length, uint64_t iova, unsigned int access)
{
	struct shca_region like = {
		.pd = to_shca_pd(pd)->number, .access = access, .start = iova, .length = length, .memory = memory,
	};
	struct shca_mr *mr = calloc(1, sizeof(*mr));

	if (!mr)
		return NULL;
	mr->region = shca_region_add(&like);
	if (!mr->region) {
		free(mr);
		return NULL;
	}
	mr->ibv.context = pd->context;
	mr->ibv.pd = pd;
	mr->ibv.addr = memory;
	mr->ibv.length = length;
	mr->ibv.lkey = atomic_load(&mr->region->key);
	mr->ibv.rkey = mr->ibv.lkey;
	shca_handle_set(&mr->ibv);
	atomic_fetch_add(&to_shca_pd(pd)->users, 1);
	return &mr->ibv;
}

static struct ibv_mr *reg(struct ibv_pd *pd, void *memory, size_t length, uint64_t iova, unsigned int access)
{
	struct ibv_mr *mr;
	int ret;

	shca_fault_control();
	ret = check(pd, memory, length, iova, access);
	if (ret) {
		errno = ret;
		return NULL;
	}
	if (!shca_limit_acquire(SHCA_LIMITED_MR))
		goto refuse;
	if (!lock_bytes(pages_length(memory, length)))
		goto give_limit;
	mr = new_mr(pd, memory, length, iova, access);
	if (mr)
		return mr;
	unlock_bytes(pages_length(memory, length));
give_limit:
	shca_limit_release(SHCA_LIMITED_MR);
refuse:
	errno = ENOMEM;
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

/* ---- the extended form, from version 59 of rdma-core on ---- */

/* struct ibv_mr_init_attr. The headers that we are built with may be older. */
struct shca_mr_init_attr {
	size_t length;
	int access;
	uint64_t comp_mask;
	uint64_t iova;
	void *memory;
	/* behind it fields for memory of other devices: descriptors, handles */
};

enum {
	SHCA_MR_HAS_IOVA = 1 << 0,
	SHCA_MR_HAS_ADDRESS = 1 << 1,
};

struct ibv_mr_init_attr;
SHCA_EXPORT struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr);

struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr)
{
	const struct shca_mr_init_attr *given = (const struct shca_mr_init_attr *)attr;

	if (given->comp_mask & ~(uint64_t)(SHCA_MR_HAS_IOVA | SHCA_MR_HAS_ADDRESS))
		return shca_null(EOPNOTSUPP);
	if (!(given->comp_mask & SHCA_MR_HAS_ADDRESS))
		return shca_null(EINVAL);
	return reg(pd, given->memory, given->length,
		   given->comp_mask & SHCA_MR_HAS_IOVA ? given->iova : (uintptr_t)given->memory,
		   (unsigned int)given->access);
}

/* ---- other kinds of memory, which are not supported ---- */

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

	if (!shca_handle_is_valid(ibv))
		return shca_error(ENOENT);
	shca_region_remove(mr->region);
	unlock_bytes(pages_length(ibv->addr, ibv->length));
	atomic_fetch_sub(&to_shca_pd(ibv->pd)->users, 1);
	free(mr);
	shca_limit_release(SHCA_LIMITED_MR);
	return 0;
}

/* Not supported: the returned value says that the region is unchanged. */
SHCA_EXPORT int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *memory, size_t length, int access)
{
	(void)mr, (void)flags, (void)pd, (void)memory, (void)length, (void)access;
	errno = EOPNOTSUPP;
	return IBV_REREG_MR_ERR_INPUT;
}

/* ---- fork: nothing is pinned, so copy-on-write takes no page away from the device ---- */

SHCA_EXPORT int ibv_fork_init(void)
{
	return 0;
}

SHCA_EXPORT enum ibv_fork_status ibv_is_fork_initialized(void)
{
	return IBV_FORK_UNNEEDED;
}

SHCA_EXPORT int ibv_dontfork_range(void *base, size_t size);
SHCA_EXPORT int ibv_dofork_range(void *base, size_t size);

int ibv_dontfork_range(void *base, size_t size)
{
	(void)base, (void)size;
	return 0;
}

int ibv_dofork_range(void *base, size_t size)
{
	(void)base, (void)size;
	return 0;
}
