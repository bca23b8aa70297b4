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

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory/nrdma_range.h"
#include "t_rdma.h"

#define ALIGNMENT	0x400000l
#define SIZE		(8 * ALIGNMENT)
#define PART		0x100000l

#define PAGE		4096
#define MARK		0x5a

static int descriptors[2];

/* The behaviour of the kernel at the next mapping over addresses that are in use. */
static enum { MAPS, UNMAPS_AND_FAILS, UNMAPS_AND_ANOTHER_THREAD_MAPS } next_fixed;
/* Whether there are huge pages until then; they are ordinary ones here. */
static int has_huge_pages;
static int is_before_linux_4_17;

#define NEW_PAGE	(MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE)

static void *really_map(void *address, size_t size, int protection, int flags)
{
	return (void *)syscall(SYS_mmap, address, size, protection, flags, -1, 0);
}

/* In place of the kernel's, for all calls of the code under test. */
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (fd != -1)
		return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
	if (has_huge_pages)
		flags &= ~MAP_HUGETLB;
	if (is_before_linux_4_17)
		flags &= ~MAP_FIXED_NOREPLACE;
	if (!(flags & MAP_FIXED) || next_fixed == MAPS)
		return really_map(address, size, protection, flags);
	munmap(address, size);
	if (next_fixed == UNMAPS_AND_ANOTHER_THREAD_MAPS) {
		uint8_t *page = (uint8_t *)address + size / 2;

		CHECK(really_map(page, PAGE, PROT_READ | PROT_WRITE, NEW_PAGE) == page);
		*page = MARK;
	}
	next_fixed = MAPS;
	errno = ENOMEM;
	return MAP_FAILED;
}

/* Returns whether a byte can be read, without a signal if not. */
static int is_there(jlong address)
{
	char byte;

	if (write(descriptors[1], nrdma_ptr(address), 1) < 0) {
		CHECK_EQ(EFAULT, errno);
		return 0;
	}
	CHECK_EQ(1, read(descriptors[0], &byte, 1));
	return 1;
}

/* Returns whether an address is taken, by a reservation or a mapping. */
static int is_reserved(jlong address)
{
	void *page = really_map(nrdma_ptr(address), PAGE, PROT_NONE, NEW_PAGE);

	if (page == MAP_FAILED) {
		CHECK_EQ(EEXIST, errno);
		return 1;
	}
	CHECK_EQ(0, munmap(page, PAGE));
	return 0;
}

static jlong reserve(jlong size, jlong alignment)
{
	return T_NATIVE(nrdma_range_methods, jlong, reserve, jlong, jlong)(T_ENV, size, alignment);
}

static jint commit(jlong address, jlong size, jint huge)
{
	return T_NATIVE(nrdma_range_methods, jint, commit, jlong, jlong, jint)(T_ENV, address, size, huge);
}

static jint uncommit(jlong address, jlong size)
{
	return T_NATIVE(nrdma_range_methods, jint, uncommit, jlong, jlong)(T_ENV, address, size);
}

static jint release(jlong address, jlong size)
{
	return T_NATIVE(nrdma_range_methods, jint, release, jlong, jlong)(T_ENV, address, size);
}

static void a_range_is_aligned_and_empty(void)
{
	jlong range = reserve(SIZE, ALIGNMENT);

	CHECK(range > 0);
	CHECK_EQ(0, range % ALIGNMENT);
	CHECK(!is_there(range));
	CHECK(!is_there(range + SIZE - 1));
	CHECK_EQ(0, release(range, SIZE));
}

static void committed_memory_is_zero(void)
{
	jlong range = reserve(SIZE, ALIGNMENT);
	jlong part = range + ALIGNMENT;
	jint huge;

	for (huge = 0; huge <= 1; huge++) {
		CHECK_EQ(0, commit(part, PART, huge));
		CHECK(!is_there(part - 1));
		CHECK(is_there(part));
		CHECK(is_there(part + PART - 1));
		CHECK(!is_there(part + PART));
		CHECK_EQ(0, *(char *)nrdma_ptr(part));
		*(char *)nrdma_ptr(part) = 1;
		CHECK_EQ(0, uncommit(part, PART));
		CHECK(!is_there(part));
		CHECK(!is_there(part + PART - 1));
	}
	CHECK_EQ(0, release(range, SIZE));
	CHECK(!is_there(part));
}

/* Asks for more explicit huge pages than any machine has ready. */
static void missing_memory_is_reported(void)
{
	jlong range = reserve(1l << 40, 1l << 21);

	CHECK(range > 0);
	CHECK_EQ(-ENOMEM, commit(range, 1l << 40, 2));
	CHECK(is_reserved(range));
	CHECK(is_reserved(range + (1l << 39)));
	CHECK(is_reserved(range + (1l << 40) - PAGE));
	CHECK_EQ(0, release(range, 1l << 40));
	CHECK_EQ(-ENOMEM, reserve(1l << 60, 1l << 21));
	CHECK_EQ(-EINVAL, release(1, 1));
	CHECK_EQ(-EINVAL, uncommit(1, 1));
}

/* Another process takes the last huge pages after it was found that there are some. */
static void a_mapping_that_fails_leaves_no_hole(void)
{
	jlong range = reserve(SIZE, ALIGNMENT);
	jlong part = range + ALIGNMENT;

	has_huge_pages = 1;
	next_fixed = UNMAPS_AND_FAILS;
	CHECK_EQ(-ENOMEM, commit(part, ALIGNMENT, 2));
	CHECK(is_reserved(part));
	CHECK(is_reserved(part + ALIGNMENT - PAGE));
	CHECK_EQ(0, commit(part, ALIGNMENT, 2));
	CHECK(is_there(part));
	next_fixed = UNMAPS_AND_FAILS;
	CHECK_EQ(0, uncommit(part, ALIGNMENT));
	CHECK(!is_there(part));
	CHECK(is_reserved(part));
	CHECK(is_reserved(part + ALIGNMENT - PAGE));
	has_huge_pages = 0;
	CHECK_EQ(0, release(range, SIZE));
}

/* It cannot be distinguished from the reservation, so nothing is mapped or unmapped there any more. */
static void memory_of_another_thread_in_a_hole_stays(void)
{
	jint old;

	has_huge_pages = 1;
	for (old = 0; old <= 1; old++) {
		jlong range = reserve(SIZE, ALIGNMENT);
		jlong first = range + ALIGNMENT, second = range + 4 * ALIGNMENT;

		is_before_linux_4_17 = old;
		next_fixed = UNMAPS_AND_ANOTHER_THREAD_MAPS;
		CHECK_EQ(-EEXIST, commit(first, ALIGNMENT, 2));
		CHECK_EQ(MARK, *(char *)nrdma_ptr(first + ALIGNMENT / 2));
		CHECK_EQ(0, commit(second, ALIGNMENT, 0));
		next_fixed = UNMAPS_AND_ANOTHER_THREAD_MAPS;
		CHECK_EQ(-EEXIST, uncommit(second, ALIGNMENT));
		CHECK_EQ(MARK, *(char *)nrdma_ptr(second + ALIGNMENT / 2));
		is_before_linux_4_17 = 0;
		CHECK_EQ(0, release(range, SIZE));
	}
	has_huge_pages = 0;
}

/* Ordinary memory is not mapped again: a mapping that fails could leave a hole. */
static void ordinary_memory_needs_no_mapping(void)
{
	jlong range = reserve(SIZE, ALIGNMENT);

	next_fixed = UNMAPS_AND_FAILS;
	CHECK_EQ(0, commit(range, ALIGNMENT, 0));
	CHECK_EQ(0, commit(range + ALIGNMENT, ALIGNMENT, 1));
	CHECK_EQ(UNMAPS_AND_FAILS, next_fixed);
	next_fixed = MAPS;
	CHECK_EQ(0, release(range, SIZE));
}

/* Of the second range a part has been released before, and belongs to another owner by then. */
static void unload_releases_remaining_ranges(void)
{
	jlong whole = reserve(SIZE, ALIGNMENT);
	jlong cut = reserve(SIZE, ALIGNMENT);
	jlong hole = cut + ALIGNMENT;

	CHECK_EQ(0, commit(whole, PART, 0));
	CHECK_EQ(0, commit(cut, PART, 0));
	CHECK_EQ(0, commit(cut + SIZE - PART, PART, 0));
	CHECK_EQ(0, release(hole, PART));
	CHECK(mmap(nrdma_ptr(hole), PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	      nrdma_ptr(hole));
	nrdma_release_ranges();
	CHECK(!is_there(whole));
	CHECK(!is_there(cut));
	CHECK(!is_there(cut + SIZE - PART));
	CHECK(is_there(hole));
	CHECK_EQ(0, munmap(nrdma_ptr(hole), PART));
}

int main(void)
{
	CHECK_EQ(0, pipe(descriptors));
	T_RUN(a_range_is_aligned_and_empty);
	T_RUN(committed_memory_is_zero);
	T_RUN(missing_memory_is_reported);
	T_RUN(a_mapping_that_fails_leaves_no_hole);
	T_RUN(memory_of_another_thread_in_a_hole_stays);
	T_RUN(ordinary_memory_needs_no_mapping);
	T_RUN(unload_releases_remaining_ranges);
	return t_result();
}
