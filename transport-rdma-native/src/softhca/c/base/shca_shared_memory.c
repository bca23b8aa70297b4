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

#include "base/shca_shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Bytes that are reserved by one call. tmpfs gives up on a signal, and gives back what the call had reserved: a program
 * with a profiler gets forward in small steps.
 */
#define STEP	(256u << 10)

/* The kernel would end the process by SIGXFSZ. */
static bool is_too_large(size_t size)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size;
}

/* For file systems that cannot reserve: every page is written once. */
static int write_zeros(int fd, size_t from, size_t size)
{
	static const char zeros[4096];
	size_t done = 0;

	while (done < size) {
		size_t count = size - done < sizeof(zeros) ? size - done : sizeof(zeros);
		ssize_t written = pwrite(fd, zeros, count, (off_t)(from + done));

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0)
			done += (size_t)written;
	}
	return 0;
}

static int reserve_step(int fd, size_t from, size_t size)
{
	int result;

	do
		result = fallocate(fd, 0, (off_t)from, (off_t)size);
	while (result && errno == EINTR);
	if (!result)
		return 0;
	return errno == EOPNOTSUPP || errno == ENOSYS ? write_zeros(fd, from, size) : -errno;
}

/* Others need it, too, and the file may stay for a while. */
static void release_space(int fd)
{
	if (ftruncate(fd, 0))
		return;
}

int shca_reserve(int fd, size_t size)
{
	int result = is_too_large(size) ? -EFBIG : 0;
	size_t at;

	if (!result && ftruncate(fd, (off_t)size))
		result = -errno;
	for (at = 0; !result && at < size; at += STEP)
		result = reserve_step(fd, at, size - at < STEP ? size - at : STEP);
	if (result)
		release_space(fd);
	return result;
}

/*
 * Maps it elsewhere first: where mmap itself replaces a mapping and fails, it may leave nothing there. Moves it by the
 * system call: UCX replaces functions of libc by its own, and its mremap ignores the new address.
 */
int shca_map_over(void *at, size_t size, int flags, int fd, size_t offset)
{
	void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | (fd < 0 ? MAP_ANONYMOUS : 0), fd,
			    (off_t)offset);
	int error;

	if (mapped == MAP_FAILED)
		return -errno;
	if (syscall(SYS_mremap, mapped, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at) != -1)
		return 0;
	error = errno;
	munmap(mapped, size);
	return -error;
}
