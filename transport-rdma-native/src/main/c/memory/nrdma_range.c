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
 * MemoryNative: reserves address ranges, and commits and uncommits memory within them. Nothing is ever mapped, or
 * unmapped, where other code may have memory.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "jni/nrdma_jni.h"
#include "memory/nrdma_range.h"

/* The ordinals of HugePages in Java. */
enum huge_pages {
	HUGE_NONE = 0,
	HUGE_TRANSPARENT = 1,
	HUGE_EXPLICIT = 2,
};

#define RESERVED	(MAP_PRIVATE | MAP_ANONYMOUS)
#define HUGE		(MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB)

/* Linux 4.17 and later; before that the address is a hint, and the kernel may map elsewhere. */
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif

/* The reserved ranges. */
struct range {
	uint8_t *start;
	uint8_t *end;
	struct range *next;
};

static pthread_mutex_t ranges_lock = PTHREAD_MUTEX_INITIALIZER;
static struct range *ranges;

static int remember(uint8_t *start, uint8_t *end)
{
	struct range *range = malloc(sizeof(*range));

	if (!range)
		return -ENOMEM;
	range->start = start;
	range->end = end;
	pthread_mutex_lock(&ranges_lock);
	range->next = ranges;
	ranges = range;
	pthread_mutex_unlock(&ranges_lock);
	return 0;
}

/*
 * From then on other code may get these addresses. They lie within one range, of which two parts may be left:
 *
 *	start     from       to      end
 *	| rest    | forgotten | rest  |
 */
static void forget(uint8_t *from, uint8_t *to)
{
	struct range **at = &ranges;
	struct range *range;
	uint8_t *end;

	pthread_mutex_lock(&ranges_lock);
	while (*at && !((*at)->start <= from && to <= (*at)->end))
		at = &(*at)->next;
	range = *at;
	if (range) {
		end = range->end;
		range->end = from;
		if (range->start == from) {
			*at = range->next;
			free(range);
		}
	}
	pthread_mutex_unlock(&ranges_lock);
	/* Without memory for it, the rest stays reserved until the process ends. */
	if (range && to < end)
		remember(to, end);
}

void nrdma_release_ranges(void)
{
	while (ranges) {
		munmap(ranges->start, (size_t)(ranges->end - ranges->start));
		forget(ranges->start, ranges->end);
	}
}

/* Maps more than requested and unmaps the parts before and after the aligned range. */
static jlong jni_reserve(NRDMA_ENV, jlong size, jlong alignment)
{
	size_t whole = (size_t)size + (size_t)alignment;
	uint8_t *start = mmap(NULL, whole, PROT_NONE, RESERVED, -1, 0);
	size_t head;

	if (start == MAP_FAILED)
		return -errno;
	head = -(uintptr_t)start & ((size_t)alignment - 1);
	if (head)
		munmap(start, head);
	start += head;
	munmap(start + size, whole - head - (size_t)size);
	if (remember(start, start + size)) {
		munmap(start, (size_t)size);
		return -ENOMEM;
	}
	return (intptr_t)start;
}

static jint jni_release(NRDMA_ENV, jlong address, jlong size)
{
	uint8_t *start = nrdma_ptr(address);

	/* First: once unmapped, the addresses may be reserved again. */
	forget(start, start + size);
	return munmap(start, (size_t)size) ? -errno : 0;
}

/*
 * To be called when a mapping over reserved addresses has failed:
 *
 *	mmap(MAP_FIXED)  unmaps what is there | fails
 *	another thread                               | mmap: gets these addresses, or some of them
 *	here                                                | reserves what is still free
 *
 * Returns false if the addresses are not known to be reserved any more.
 */
static int reserve_again(void *address, size_t size)
{
	void *mapped = mmap(address, size, PROT_NONE, RESERVED | MAP_FIXED_NOREPLACE, -1, 0);

	if (mapped == address)
		return 1;
	if (mapped != MAP_FAILED)
		munmap(mapped, size);
	forget(address, (uint8_t *)address + size);
	return 0;
}

/* Fails without touching the reserved addresses if no huge pages can be had: so it asks for some elsewhere first. */
static jint commit_huge(void *address, size_t size)
{
	void *probe = mmap(NULL, size, PROT_READ | PROT_WRITE, HUGE, -1, 0);
	int error;

	if (probe == MAP_FAILED)
		return -errno;
	munmap(probe, size);
	if (mmap(address, size, PROT_READ | PROT_WRITE, HUGE | MAP_FIXED, -1, 0) != MAP_FAILED)
		return 0;
	/* Another process has taken the pages meanwhile. */
	error = errno;
	return reserve_again(address, size) ? -error : -EEXIST;
}

/* The pages are reserved already, so that they need not be mapped: that could fail and leave a hole. */
static jint commit_small(void *address, size_t size)
{
	int error;

	if (!mprotect(address, size, PROT_READ | PROT_WRITE))
		return 0;
	error = errno;
	mprotect(address, size, PROT_NONE);
	return -error;
}

static jint jni_commit(NRDMA_ENV, jlong address, jlong size, jint huge)
{
	jint result = huge == HUGE_EXPLICIT ? commit_huge(nrdma_ptr(address), (size_t)size) :
					      commit_small(nrdma_ptr(address), (size_t)size);

	/* Fails on a kernel without transparent huge pages, which is not an error. */
	if (!result && huge == HUGE_TRANSPARENT)
		madvise(nrdma_ptr(address), (size_t)size, MADV_HUGEPAGE);
	return result;
}

/* Keeps the addresses reserved, so that a stale pointer faults and cannot access other memory. */
static jint jni_uncommit(NRDMA_ENV, jlong address, jlong size)
{
	void *start = nrdma_ptr(address);

	if (mmap(start, (size_t)size, PROT_NONE, RESERVED | MAP_FIXED, -1, 0) != MAP_FAILED)
		return 0;
	if (errno == EINVAL)
		return -EINVAL;
	return reserve_again(start, (size_t)size) ? 0 : -EEXIST;
}

static jobject jni_view(NRDMA_ENV, jlong address, jlong size)
{
	return (*env)->NewDirectByteBuffer(env, nrdma_ptr(address), size);
}

static const JNINativeMethod methods[] = {
	NRDMA_METHOD(reserve, "(JJ)J"),
	NRDMA_METHOD(release, "(JJ)I"),
	NRDMA_METHOD(commit, "(JJI)I"),
	NRDMA_METHOD(uncommit, "(JJ)I"),
	NRDMA_METHOD(view, "(JJ)Ljava/nio/ByteBuffer;"),
};

const struct nrdma_methods nrdma_range_methods = NRDMA_METHODS("MemoryNative", methods);
