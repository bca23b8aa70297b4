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
 * Files of fabrics whose last process was killed. Each has another name, so a process that enters one fabric would
 * never see the others. Each process that enters therefore searches the directory.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "registry/shca_fabric_file.h"

/*
 * Every process in a fabric holds a shared flock, so the exclusive one succeeds only if no process is in. A process
 * that has just opened the file waits for our lock, finds the name gone, and creates a new file.
 */
static void remove_if_stale(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat open, named;

	if (fd < 0)
		return;
	if (!fstat(fd, &open) && S_ISREG(open.st_mode) && open.st_uid == geteuid() &&
	    !flock(fd, LOCK_EX | LOCK_NB) && !fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) &&
	    named.st_dev == open.st_dev && named.st_ino == open.st_ino)
		unlinkat(directory, name, 0);
	close(fd);
}

void shca_fabric_remove_stale(const char *own_path)
{
	const char *own = strrchr(own_path, '/');
	char directory[PATH_MAX], prefix[32];
	struct dirent *entry;
	DIR *stream;

	if (!own)
		return;
	snprintf(directory, sizeof(directory), "%.*s", (int)(own - own_path) + 1, own_path);
	snprintf(prefix, sizeof(prefix), "softhca.%u.", (unsigned int)geteuid());
	stream = opendir(directory);
	if (!stream)
		return;
	while ((entry = readdir(stream))) {
		if (!strncmp(entry->d_name, prefix, strlen(prefix)) && strcmp(entry->d_name, own + 1))
			remove_if_stale(dirfd(stream), entry->d_name);
	}
	closedir(stream);
}
