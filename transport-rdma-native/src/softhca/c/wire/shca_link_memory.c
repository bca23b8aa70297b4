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
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/shca_link_internal.h"

void *shca_link_tx_memory(struct shca_link *link)
{
	return (uint8_t *)link->memory + shca_ring_bytes();
}

static int map_over(void *at, size_t size, int flags, int fd, size_t offset)
{
	void *mapped = mmap(at, size, PROT_READ | PROT_WRITE, MAP_FIXED | flags, fd, (off_t)offset);

	return mapped == MAP_FAILED ? -errno : 0;
}

/* Replaces the shared memory by empty private memory. A reader without a lock finds one or the other. */
void shca_link_blank(struct shca_link *link)
{
	size_t size = 2 * shca_ring_bytes();

	if (map_over(link->memory, size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
		memset(link->memory, 0, size);
}

/* The shared memory starts with the ring to the acceptor. Each side maps the ring that it receives from first. */
int shca_link_map_shared(struct shca_link *link, int fd, bool dialled)
{
	size_t size = shca_ring_bytes();
	int result = map_over(link->memory, size, MAP_SHARED, fd, dialled ? size : 0);

	return result ? result : map_over(shca_link_tx_memory(link), size, MAP_SHARED, fd, dialled ? 0 : size);
}

/* Seals the memory, so that neither side can shrink it and make the other's accesses fail. */
int shca_link_create_memory(void)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	int fd = memfd_create("softhca", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int error;

	if (fd >= 0 && !ftruncate(fd, (off_t)(2 * shca_ring_bytes())) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	error = errno;
	if (!atomic_flag_test_and_set(&told))
		fprintf(stderr, "softhca: no memory for a link: memfd_create: %s. See ulimit -n and the memory limit "
			"of the control group\n", strerror(error));
	if (fd >= 0)
		close(fd);
	return -error;
}

bool shca_link_is_sealed_memory(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && status.st_size == (off_t)(2 * shca_ring_bytes()) &&
	       fcntl(fd, F_GET_SEALS) >= 0 && (fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK);
}
