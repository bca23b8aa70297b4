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
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shca_say.h"
#include "base/shca_shared_memory.h"
#include "wire/shca_process_internal.h"

void *shca_link_tx_memory(struct shca_link *link)
{
	return (uint8_t *)link->memory + shca_ring_bytes();
}

/* Replaces the shared memory by empty private memory. A reader without a lock finds one or the other. */
void shca_link_blank(struct shca_link *link)
{
	size_t size = 2 * shca_ring_bytes();

	if (shca_map_over(link->memory, size, MAP_PRIVATE | MAP_NORESERVE, -1, 0))
		memset(link->memory, 0, size);
}

/* The shared memory starts with the ring to the acceptor. Each side maps the ring that it receives from first. */
int shca_link_map_shared(struct shca_link *link, int fd, bool connecting)
{
	size_t size = shca_ring_bytes();
	int result = shca_map_over(link->memory, size, MAP_SHARED, fd, connecting ? size : 0);

	return result ? result : shca_map_over(shca_link_tx_memory(link), size, MAP_SHARED, fd, connecting ? 0 : size);
}

/*
 * Reserves and seals the memory, so that no access fails: there is a page for each, and neither side can shrink it.
 */
int shca_link_create_memory(void)
{
	static _Atomic uint64_t failed;
	int fd = memfd_create("softhca", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int result = fd < 0 ? -errno : shca_reserve(fd, 2 * shca_ring_bytes());

	if (!result && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		result = -errno;
	if (!result)
		return fd;
	if (fd >= 0)
		close(fd);
	return shca_fail_seldom(&failed, -result, "no memory of %zu KiB to share with another process: %s. See "
				"ulimit -n, ulimit -f and /proc/sys/vm/overcommit_memory", 2 * shca_ring_bytes() / 1024,
				strerror(-result));
}

bool shca_link_is_sealed_memory(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && status.st_size == (off_t)(2 * shca_ring_bytes()) &&
	       fcntl(fd, F_GET_SEALS) >= 0 && (fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK);
}
