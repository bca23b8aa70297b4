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

/* File systems of a test's own, in a mount namespace of its own. A process that has one keeps it until it ends. */
#ifndef T_MOUNT_H
#define T_MOUNT_H

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "t_wait.h"

static inline bool t_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return written;
}

/* As an ordinary user, who becomes root of a user namespace of his own. */
static inline bool t_become_root(void)
{
	char map[64];

	snprintf(map, sizeof(map), "0 %u 1", (unsigned int)geteuid());
	return !unshare(CLONE_NEWUSER) && t_write_file("/proc/self/uid_map", map);
}

/* Mounts a file system at an existing directory. Returns false, after a line, where the machine refuses that. */
static inline bool t_mount(const char *type, const char *directory, const char *options)
{
	static bool unshared;

	if (!unshared && (geteuid() && !t_become_root())) {
		T_NOT_RUN("user namespaces are refused here: %s", strerror(errno));
		return false;
	}
	if (!unshared && (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))) {
		T_NOT_RUN("mount namespaces are refused here: %s", strerror(errno));
		return false;
	}
	unshared = true;
	if (!mount(type, directory, type, 0, options))
		return true;
	T_NOT_RUN("no %s can be mounted here: %s", type, strerror(errno));
	return false;
}

static inline unsigned long t_free_pages(const char *directory)
{
	struct statvfs status;

	T_MUST(!statvfs(directory, &status));
	return status.f_bfree * status.f_bsize / (unsigned long)sysconf(_SC_PAGESIZE);
}

/* Makes a file of that many pages in the directory, and says in path which. */
static inline void t_fill(const char *directory, unsigned long pages, char *path, size_t size)
{
	static const char page[4096] = "x";
	int fd;

	snprintf(path, size, "%s/another-program", directory);
	fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	T_MUST(fd >= 0);
	for (unsigned long i = 0; i < pages * (unsigned long)sysconf(_SC_PAGESIZE); i += sizeof(page))
		T_MUST(write(fd, page, sizeof(page)) == sizeof(page));
	close(fd);
}

#endif
