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

/* Protection domains, memory regions, and the access that keys grant. */
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/shca_context.h"
#include "fault/shca_fault.h"
#include "memory/shca_protection_domain.h"
#include "memory/shca_region.h"
#include "t_context.h"

#define PAGE		((size_t)sysconf(_SC_PAGESIZE))
#define ALL_REMOTE	(IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)

static struct ibv_context *context;
static struct ibv_pd *pd;

static uint32_t number(void)
{
	return to_shca_pd(pd)->number;
}

static uint8_t *map(size_t size, int protection)
{
	uint8_t *memory = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	T_MUST(memory != MAP_FAILED);
	return memory;
}

static void access_is_checked(void)
{
	uint8_t *memory = map(PAGE, PROT_READ | PROT_WRITE);
	struct ibv_mr *mr;

	CHECK_REFUSED(EINVAL, ibv_reg_mr(pd, memory, PAGE, IBV_ACCESS_REMOTE_WRITE));
	CHECK_REFUSED(EINVAL, ibv_reg_mr(pd, memory, PAGE, IBV_ACCESS_REMOTE_ATOMIC));
	CHECK_REFUSED(EINVAL, ibv_reg_mr(pd, memory, PAGE, 1 << 15));
	CHECK_REFUSED(EOPNOTSUPP, ibv_reg_mr(pd, memory, PAGE, IBV_ACCESS_ON_DEMAND));
	/* As with rxe: there are no windows to bind, and the flag by itself does nothing. */
	mr = ibv_reg_mr(pd, memory, PAGE, IBV_ACCESS_MW_BIND);
	T_MUST(mr);
	CHECK_EQ(0, ibv_dereg_mr(mr));
	mr = ibv_reg_mr(pd, memory, PAGE, IBV_ACCESS_LOCAL_WRITE | ALL_REMOTE | IBV_ACCESS_RELAXED_ORDERING);
	T_MUST(mr);
	CHECK(mr->addr == memory);
	CHECK_EQ(PAGE, mr->length);
	CHECK(mr->pd == pd && mr->context == context);
	CHECK_EQ(0, ibv_dereg_mr(mr));
	munmap(memory, PAGE);
}

static void memory_must_be_there(void)
{
	uint8_t *memory = map(5 * PAGE, PROT_READ | PROT_WRITE);
	struct ibv_mr *mr;

	CHECK_REFUSED(EINVAL, ibv_reg_mr(pd, memory, 0, 0));
	CHECK_REFUSED(EINVAL, ibv_reg_mr(pd, memory, SIZE_MAX, 0));
	CHECK_REFUSED(EINVAL, ibv_reg_mr_iova(pd, memory, PAGE, (uintptr_t)memory + 1, 0));
	CHECK_REFUSED(EINVAL, ibv_reg_mr_iova(pd, memory, 2 * PAGE, -PAGE, 0));
	CHECK_REFUSED(EFAULT, ibv_reg_mr(pd, NULL, PAGE, 0));
	T_MUST(!munmap(memory + PAGE, PAGE));
	T_MUST(!mprotect(memory + 3 * PAGE, PAGE, PROT_READ));
	CHECK_REFUSED(EFAULT, ibv_reg_mr(pd, memory, PAGE + 1, 0));
	CHECK_REFUSED(EFAULT, ibv_reg_mr(pd, memory + 2 * PAGE - 1, 2, 0));
	CHECK_REFUSED(EFAULT, ibv_reg_mr(pd, memory, 3 * PAGE, 0));
	CHECK_REFUSED(EFAULT, ibv_reg_mr(pd, memory + 2 * PAGE, 2 * PAGE, IBV_ACCESS_LOCAL_WRITE));
	mr = ibv_reg_mr(pd, memory + 2 * PAGE, 2 * PAGE, IBV_ACCESS_REMOTE_READ);
	T_MUST(mr);
	CHECK_EQ(0, ibv_dereg_mr(mr));
	munmap(memory, 5 * PAGE);
}

static void object_in_use_cannot_be_destroyed(void)
{
	struct ibv_pd *other = ibv_alloc_pd(context);
	uint8_t byte;
	struct ibv_mr *mr;

	T_MUST(other);
	CHECK(to_shca_pd(other)->number != number());
	mr = ibv_reg_mr(other, &byte, 1, 0);
	T_MUST(mr);
	CHECK_EQ(EBUSY, ibv_dealloc_pd(other));
	errno = 0;
	CHECK_EQ(IBV_REREG_MR_ERR_INPUT, ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0));
	CHECK_EQ(EOPNOTSUPP, errno);
	CHECK_REFUSED(EOPNOTSUPP, ibv_reg_dmabuf_mr(other, 0, PAGE, 0, -1, 0));
	CHECK_EQ(0, ibv_dereg_mr(mr));
	CHECK_EQ(0, ibv_dealloc_pd(other));
}

static void nothing_new_on_a_removed_device(void)
{
	uint8_t byte;

	atomic_store(&to_shca_context(context)->removed, true);
	CHECK_REFUSED(EIO, ibv_alloc_pd(context));
	CHECK_REFUSED(EIO, ibv_reg_mr(pd, &byte, 1, 0));
	atomic_store(&to_shca_context(context)->removed, false);
}

static bool lets_through(uint32_t domain, uint32_t key, uint64_t address, uint64_t length, unsigned int access)
{
	struct shca_region *region = shca_region_pin(domain, key, address, length, access);

	if (region)
		shca_region_unpin(region);
	return region;
}

static void keys_let_through_what_was_registered(void)
{
	uint8_t *memory = map(2 * PAGE, PROT_READ | PROT_WRITE);
	uint64_t iova = UINT64_MAX - 2 * PAGE + 1 + 8 - PAGE;
	struct ibv_mr *mr = ibv_reg_mr_iova(pd, memory + 8, PAGE, iova, IBV_ACCESS_LOCAL_WRITE |
					    IBV_ACCESS_REMOTE_READ);
	struct shca_region *region;
	uint32_t key;

	T_MUST(mr);
	key = mr->lkey;
	CHECK(key != 0);
	CHECK(lets_through(number(), key, iova, PAGE, 0));
	CHECK(lets_through(number(), key, iova + PAGE, 0, 0));
	CHECK(lets_through(number(), key, iova, PAGE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ));
	CHECK(!lets_through(number(), key, iova, PAGE, IBV_ACCESS_REMOTE_WRITE));
	CHECK(!lets_through(number() + 1, key, iova, PAGE, 0));
	CHECK(!lets_through(number(), key, iova - 1, 1, 0));
	CHECK(!lets_through(number(), key, iova + 1, PAGE, 0));
	CHECK(!lets_through(number(), key, iova + PAGE, 1, 0));
	CHECK(!lets_through(number(), key, iova + 1, UINT64_MAX, 0));
	CHECK(!lets_through(number(), key ^ 1, iova, 1, 0));
	CHECK(!lets_through(number(), key ^ 1u << 31, iova, 1, 0));
	CHECK(!lets_through(number(), 0, iova, 1, 0));
	region = shca_region_pin(number(), key, iova + 5, 1, 0);
	T_MUST(region);
	CHECK(shca_region_at(region, iova + 5) == memory + 8 + 5);
	shca_region_unpin(region);
	CHECK_EQ(0, ibv_dereg_mr(mr));
	CHECK(!lets_through(number(), key, iova, 1, 0));
	munmap(memory, 2 * PAGE);
}

/* Registers and deregisters many regions again and again: no key recurs while a program may still use it. */
static void old_keys_stay_invalid(void)
{
	enum { LIVE = 192, ROUNDS = 200 };
	static uint32_t keys[LIVE * ROUNDS];
	struct ibv_mr *mrs[LIVE];
	uint8_t byte;

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < LIVE; i++) {
			mrs[i] = ibv_reg_mr(pd, &byte, 1, 0);
			T_MUST(mrs[i]);
			keys[round * LIVE + i] = mrs[i]->rkey;
		}
		for (int i = 0; i < round * LIVE; i++)
			CHECK(!lets_through(number(), keys[i], (uintptr_t)&byte, 1, 0));
		for (int i = 0; i < LIVE; i++)
			CHECK_EQ(0, ibv_dereg_mr(mrs[i]));
	}
}

/* ---- lists ---- */

static void lists_are_walked(void)
{
	enum { SIZE = 512, PARTS = 5 };
	uint8_t memory[SIZE], flat[SIZE], model[SIZE], got[SIZE];
	struct ibv_mr *mr = ibv_reg_mr(pd, memory, SIZE, IBV_ACCESS_LOCAL_WRITE);

	T_MUST(mr);
	for (int round = 0; round < 2000; round++) {
		struct ibv_sge list[PARTS];
		uint32_t offset, length, total = 0, n = 0;

		for (int i = 0; i < SIZE; i++)
			memory[i] = (uint8_t)t_random();
		for (int i = 0, at = 0; i < PARTS; i++) {
			list[i].length = (uint32_t)t_random_below(3) * (uint32_t)t_random_below(45);
			/* Nothing in an empty SGE matters. */
			list[i].lkey = list[i].length ? mr->lkey : 0;
			list[i].addr = (uintptr_t)memory + (size_t)at;
			at += (int)list[i].length + t_random_below(10);
			total += list[i].length;
		}
		CHECK_EQ(total, shca_list_length(list, PARTS));
		CHECK_EQ(IBV_WC_SUCCESS, shca_check_list(number(), list, PARTS, IBV_ACCESS_LOCAL_WRITE));
		offset = (uint32_t)t_random_below((int)total + 1);
		length = (uint32_t)t_random_below((int)(total - offset) + 1);
		for (int i = 0; i < PARTS; i++) {
			for (uint32_t j = 0; j < list[i].length; j++)
				model[n++] = ((uint8_t *)(uintptr_t)list[i].addr)[j];
		}
		CHECK_EQ(IBV_WC_SUCCESS, shca_gather(number(), list, PARTS, offset, flat, length));
		CHECK_BYTES(model + offset, flat, length);
		for (uint32_t i = 0; i < length; i++)
			model[offset + i] = flat[i] = (uint8_t)t_random();
		CHECK_EQ(IBV_WC_SUCCESS,
			 shca_scatter(number(), list, PARTS, offset, flat, length, IBV_ACCESS_LOCAL_WRITE));
		CHECK_EQ(IBV_WC_SUCCESS, shca_gather(number(), list, PARTS, 0, got, total));
		CHECK_BYTES(model, got, total);
	}
	CHECK_EQ(0, ibv_dereg_mr(mr));
}

static void lists_are_checked(void)
{
	uint8_t memory[16] = { 0 }, flat[16];
	struct ibv_mr *readable = ibv_reg_mr(pd, memory, 8, 0);
	struct ibv_sge list[2];

	T_MUST(readable);
	list[0] = (struct ibv_sge){ (uintptr_t)memory, 8, readable->lkey };
	list[1] = (struct ibv_sge){ (uintptr_t)memory, 9, readable->lkey };
	CHECK_EQ(IBV_WC_SUCCESS, shca_check_list(number(), list, 1, 0));
	CHECK_EQ(IBV_WC_LOC_PROT_ERR, shca_check_list(number(), list, 1, IBV_ACCESS_LOCAL_WRITE));
	CHECK_EQ(IBV_WC_LOC_PROT_ERR, shca_check_list(number(), list, 2, 0));
	CHECK_EQ(IBV_WC_LOC_PROT_ERR, shca_check_list(number() + 1, list, 1, 0));
	CHECK_EQ(IBV_WC_SUCCESS, shca_gather(number(), list, 2, 0, flat, 16));
	CHECK_EQ(IBV_WC_LOC_PROT_ERR, shca_gather(number(), list, 2, 9, flat, 8));
	CHECK_EQ(IBV_WC_LOC_PROT_ERR, shca_scatter(number(), list, 1, 0, flat, 1, IBV_ACCESS_LOCAL_WRITE));
	CHECK_EQ(0, ibv_dereg_mr(readable));
}

/* ---- limits ---- */

static void a_fault_refuses_registration(void)
{
	uint8_t byte;
	struct ibv_mr *mr;

	T_MUST(!shca_fault_set("register@2"));
	mr = ibv_reg_mr(pd, &byte, 1, 0);
	T_MUST(mr);
	CHECK_REFUSED(ENOMEM, ibv_reg_mr(pd, &byte, 1, 0));
	T_MUST(!shca_fault_set("off"));
	CHECK_EQ(0, ibv_dereg_mr(mr));
}

static void set_capability(bool may_lock)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	T_MUST(!syscall(SYS_capget, &header, data));
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	if (may_lock)
		data[0].effective |= data[0].permitted & 1u << CAP_IPC_LOCK;
	T_MUST(!syscall(SYS_capset, &header, data));
}

static void pages_count_against_memlock(void)
{
	uint8_t *memory = map(4 * PAGE, PROT_READ | PROT_WRITE);
	struct rlimit before, limit;
	struct ibv_mr *first, *second;

	T_MUST(!getrlimit(RLIMIT_MEMLOCK, &before));
	if (before.rlim_max < 3 * PAGE) {
		printf("not run: no page may be locked here\n");
		return;
	}
	limit = before;
	limit.rlim_cur = 3 * PAGE;
	T_MUST(!setrlimit(RLIMIT_MEMLOCK, &limit));
	set_capability(false);
	/* Two bytes in two pages. */
	first = ibv_reg_mr(pd, memory + PAGE - 1, 2, 0);
	T_MUST(first);
	CHECK_REFUSED(ENOMEM, ibv_reg_mr(pd, memory, 2 * PAGE, 0));
	second = ibv_reg_mr(pd, memory, PAGE, 0);
	T_MUST(second);
	CHECK_REFUSED(ENOMEM, ibv_reg_mr(pd, memory, 1, 0));
	CHECK_EQ(0, ibv_dereg_mr(first));
	first = ibv_reg_mr(pd, memory, 2 * PAGE, 0);
	T_MUST(first);
	CHECK_EQ(0, ibv_dereg_mr(first));
	CHECK_EQ(0, ibv_dereg_mr(second));
	set_capability(true);
	T_MUST(!setrlimit(RLIMIT_MEMLOCK, &before));
	munmap(memory, 4 * PAGE);
}

/* ---- a key is used during deregistration: after ibv_dereg_mr no thread accesses the memory ---- */

static _Atomic uint32_t shared_key;
static _Atomic uint64_t shared_address;
static _Atomic uint64_t written;
static _Atomic bool stop;

static void *write_by_key(void *unused)
{
	while (!atomic_load(&stop)) {
		uint64_t address = atomic_load_explicit(&shared_address, memory_order_relaxed);
		uint32_t key = atomic_load_explicit(&shared_key, memory_order_relaxed);
		struct shca_region *region = shca_region_pin(number(), key, address, 64, IBV_ACCESS_LOCAL_WRITE);

		if (!region)
			continue;
		memset(shca_region_at(region, address), 1, 64);
		shca_region_unpin(region);
		/* Relaxed, like the others: the region alone must order uses of the memory before its end. */
		atomic_fetch_add_explicit(&written, 1, memory_order_relaxed);
	}
	return unused;
}

static void deregistration_waits_for_users_of_the_memory(void)
{
	pthread_t threads[2] = { t_start(write_by_key, NULL), t_start(write_by_key, NULL) };
	time_t end = time(NULL) + T_PATIENCE;

	/* On a busy machine it may take more rounds until a thread has written. */
	for (int round = 0; round < 20000 || (!atomic_load(&written) && time(NULL) < end); round++) {
		uint8_t *memory = calloc(1, 64);
		struct ibv_mr *mr = ibv_reg_mr(pd, memory, 64, IBV_ACCESS_LOCAL_WRITE);

		T_MUST(mr);
		atomic_store_explicit(&shared_address, (uintptr_t)memory, memory_order_relaxed);
		atomic_store_explicit(&shared_key, mr->lkey, memory_order_relaxed);
		if (round % 8 == 0)
			sched_yield();
		CHECK_EQ(0, ibv_dereg_mr(mr));
		/* A sanitizer would report a thread that still writes. */
		memset(memory, 2, 64);
		free(memory);
	}
	atomic_store(&stop, true);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	CHECK(written > 0);
}

int main(void)
{
	t_seed();
	context = t_context_open();
	pd = ibv_alloc_pd(context);
	T_MUST(pd);
	T_RUN(access_is_checked);
	T_RUN(memory_must_be_there);
	T_RUN(object_in_use_cannot_be_destroyed);
	T_RUN(nothing_new_on_a_removed_device);
	T_RUN(keys_let_through_what_was_registered);
	T_RUN(old_keys_stay_invalid);
	T_RUN(lists_are_walked);
	T_RUN(lists_are_checked);
	T_RUN(a_fault_refuses_registration);
	T_RUN(pages_count_against_memlock);
	T_RUN(deregistration_waits_for_users_of_the_memory);
	T_MUST(!ibv_dealloc_pd(pd));
	T_MUST(!ibv_close_device(context));
	return t_result();
}
