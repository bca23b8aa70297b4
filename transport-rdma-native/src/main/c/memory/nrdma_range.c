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

/* MemoryNative: reserves address ranges, and commits and uncommits memory within them. */
#include <errno.h>
#include <sys/mman.h>

#include "jni/nrdma_jni.h"

/* The ordinals of HugePages in Java. */
enum huge_pages {
	HUGE_NONE = 0,
	HUGE_TRANSPARENT = 1,
	HUGE_EXPLICIT = 2,
};

#define RESERVED	(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
#define COMMITTED	(MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED)

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
	munmap(start + head + size, whole - head - (size_t)size);
	return (intptr_t)(start + head);
}

static jint jni_release(NRDMA_ENV, jlong address, jlong size)
{
	return munmap(nrdma_ptr(address), (size_t)size) ? -errno : 0;
}

static jint jni_commit(NRDMA_ENV, jlong address, jlong size, jint huge)
{
	int flags = COMMITTED | (huge == HUGE_EXPLICIT ? MAP_HUGETLB : 0);

	if (mmap(nrdma_ptr(address), (size_t)size, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
		return -errno;
	/* Fails on a kernel without transparent huge pages, which is not an error. */
	if (huge == HUGE_TRANSPARENT)
		madvise(nrdma_ptr(address), (size_t)size, MADV_HUGEPAGE);
	return 0;
}

/* Keeps the addresses reserved, so that a stale pointer faults and cannot access other memory. */
static jint jni_uncommit(NRDMA_ENV, jlong address, jlong size)
{
	return mmap(nrdma_ptr(address), (size_t)size, PROT_NONE, RESERVED | MAP_FIXED, -1, 0) == MAP_FAILED ?
	       -errno : 0;
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
