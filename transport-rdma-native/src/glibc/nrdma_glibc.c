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
 * Functions that are younger than the oldest glibc, by the system calls that they are. They are hidden, so only the
 * library that has them calls them. On both architectures the kernel's struct stat is that of glibc.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int fstat(int fd, struct stat *status)
{
	return (int)syscall(SYS_fstat, fd, status);
}

int fstatat(int directory, const char *path, struct stat *status, int flags)
{
	return (int)syscall(SYS_newfstatat, directory, path, status, flags);
}

int stat(const char *path, struct stat *status)
{
	return fstatat(AT_FDCWD, path, status, 0);
}

ssize_t getrandom(void *buffer, size_t length, unsigned int flags)
{
	return syscall(SYS_getrandom, buffer, length, flags);
}

int memfd_create(const char *name, unsigned int flags)
{
	return (int)syscall(SYS_memfd_create, name, flags);
}

/* The kernel takes the offset in two halves, and the second is empty where a long has 64 bits. */
ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
	return syscall(SYS_preadv2, fd, parts, count, offset, 0, flags);
}
