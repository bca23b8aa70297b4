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

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "base/shca_shared_memory.h"
#include "t_child.h"
#include "t_mount.h"

#define SIZE	(3u << 20)

static char directory[] = "/tmp/softhca-shared-XXXXXX";

static int make(void)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/file", directory);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	T_MUST(fd >= 0 && !unlink(path));
	return fd;
}

static uint64_t size_of(int fd)
{
	struct stat status;

	T_MUST(!fstat(fd, &status));
	return (uint64_t)status.st_size;
}

static uint64_t space_of(int fd)
{
	struct stat status;

	T_MUST(!fstat(fd, &status));
	return (uint64_t)status.st_blocks * 512;
}

static void check_reserved(int fd)
{
	static const uint8_t zeros[SIZE];
	uint8_t *memory;

	CHECK_EQ(SIZE, size_of(fd));
	CHECK(space_of(fd) >= SIZE);
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	T_MUST(memory != MAP_FAILED);
	CHECK_BYTES(zeros, memory, SIZE);
	T_MUST(!munmap(memory, SIZE));
}

static void a_file_has_all_its_space(void)
{
	int fd = make();

	CHECK_EQ(0, shca_reserve(fd, SIZE));
	check_reserved(fd);
	close(fd);
}

static void anonymous_memory_has_all_its_space(void)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	T_MUST(fd >= 0);
	CHECK_EQ(0, shca_reserve(fd, SIZE));
	check_reserved(fd);
	close(fd);
}

/* Without the check the kernel ends the process. */
static void beyond_the_limit_of_file_sizes(void)
{
	struct rlimit limit = { SIZE - 1, SIZE };
	int fd = make();

	T_MUST(!setrlimit(RLIMIT_FSIZE, &limit));
	CHECK_EQ(-EFBIG, shca_reserve(fd, SIZE));
	CHECK_EQ(0, size_of(fd));
	limit.rlim_cur = SIZE;
	T_MUST(!setrlimit(RLIMIT_FSIZE, &limit));
	CHECK_EQ(0, shca_reserve(fd, SIZE));
	close(fd);
}

static void a_limit_of_file_sizes_is_an_error(void)
{
	t_in_child(NULL, NULL, beyond_the_limit_of_file_sizes);
}

static _Atomic unsigned int signals;

static void count_signal(int number)
{
	(void)number;
	signals++;
}

/* Each signal makes tmpfs give up, and a profiler sends many. */
static void signals_only_delay_it(void)
{
	struct sigaction action = { .sa_handler = count_signal };
	struct itimerval often = { { 0, 50 }, { 0, 50 } };
	struct itimerval never = { { 0, 0 }, { 0, 0 } };

	T_MUST(!sigaction(SIGALRM, &action, NULL));
	T_MUST(!setitimer(ITIMER_REAL, &often, NULL));
	for (int i = 0; i < 100 || !signals; i++) {
		int fd = memfd_create("test", MFD_CLOEXEC);

		T_MUST(fd >= 0);
		CHECK_EQ(0, shca_reserve(fd, SIZE));
		CHECK(space_of(fd) >= SIZE);
		close(fd);
	}
	T_MUST(!setitimer(ITIMER_REAL, &never, NULL));
}

/* ---- other file systems ---- */

static void in_a_full_file_system(void)
{
	char path[256];
	int fd;

	if (!t_mount("tmpfs", directory, "size=4m"))
		return;
	t_fill(directory, 512, path, sizeof(path));
	fd = make();
	CHECK_EQ(-ENOSPC, shca_reserve(fd, SIZE));
	/* The space that it had reserved is free at once, while the file is open. */
	CHECK_EQ(0, size_of(fd));
	CHECK_EQ(512, t_free_pages(directory));
	T_MUST(!unlink(path));
	CHECK_EQ(0, shca_reserve(fd, SIZE));
	check_reserved(fd);
	close(fd);
}

static void a_full_file_system_is_an_error(void)
{
	t_in_child(NULL, NULL, in_a_full_file_system);
}

/* ramfs has no fallocate, and no limit. */
static void in_one_without_fallocate(void)
{
	int fd;

	if (!t_mount("ramfs", directory, NULL))
		return;
	fd = make();
	errno = 0;
	CHECK_EQ(-1, fallocate(fd, 0, 0, SIZE));
	CHECK_EQ(EOPNOTSUPP, errno);
	CHECK_EQ(0, shca_reserve(fd, SIZE));
	check_reserved(fd);
	close(fd);
}

static void a_file_system_that_cannot_reserve_is_written(void)
{
	t_in_child(NULL, NULL, in_one_without_fallocate);
}

/* ---- replacing mappings ---- */

/* As in a program whose libraries watch memory, with functions of their own that know less than libc's. */
void *mremap(void *old, size_t old_size, size_t new_size, int flags, ...)
{
	(void)old, (void)old_size, (void)new_size, (void)flags;
	return MAP_FAILED;
}

static void new_memory_replaces_old(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("test", MFD_CLOEXEC);
	uint8_t *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t byte = 0;

	T_MUST(fd >= 0 && memory != MAP_FAILED);
	CHECK_EQ(0, shca_reserve(fd, 2 * page));
	memory[0] = 1;
	CHECK_EQ(0, shca_map_over(memory, 2 * page, MAP_SHARED, fd, 0));
	CHECK_EQ(0, memory[0]);
	memory[page] = 2;
	T_MUST(pread(fd, &byte, 1, (off_t)page) == 1);
	CHECK_EQ(2, byte);
	CHECK_EQ(0, shca_map_over(memory, page, MAP_SHARED, fd, page));
	CHECK_EQ(2, memory[0]);
	CHECK_EQ(0, shca_map_over(memory, 2 * page, MAP_PRIVATE, -1, 0));
	CHECK_EQ(0, memory[page]);
	memory[page] = 3;
	T_MUST(pread(fd, &byte, 1, (off_t)page) == 1);
	CHECK_EQ(2, byte);
	T_MUST(!munmap(memory, 2 * page));
	close(fd);
}

static void old_memory_stays_after_a_failure(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	T_MUST(memory != MAP_FAILED);
	memory[0] = 1;
	CHECK_EQ(-EBADF, shca_map_over(memory, page, MAP_SHARED, 12345, 0));
	CHECK_EQ(1, memory[0]);
	T_MUST(!munmap(memory, page));
}

int main(void)
{
	T_MUST(mkdtemp(directory));
	T_RUN(a_file_has_all_its_space);
	T_RUN(anonymous_memory_has_all_its_space);
	T_RUN(a_limit_of_file_sizes_is_an_error);
	T_RUN(signals_only_delay_it);
	T_RUN(a_full_file_system_is_an_error);
	T_RUN(a_file_system_that_cannot_reserve_is_written);
	T_RUN(new_memory_replaces_old);
	T_RUN(old_memory_stays_after_a_failure);
	T_MUST(!rmdir(directory));
	return t_result();
}
