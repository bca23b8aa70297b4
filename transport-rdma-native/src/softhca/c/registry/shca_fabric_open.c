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

#include "registry/shca_fabric_open.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shca_namespace.h"
#include "base/shca_say.h"
#include "base/shca_shared_memory.h"

/* The id that a kernel shows for a user without an id in our user namespace. */
#define OVERFLOW_UID	65534u

static char suffix[SHCA_FABRIC_NAME + 1];	/* SOFTHCA_FABRIC */
static char path[PATH_MAX];

int shca_fabric_fail(int error, const char *what, const char *cure)
{
	return shca_fail(error, "%s %s: %s. %s", path, what, strerror(error), cure);
}

/* The cure when the file cannot be opened or made. */
static const char *cure_for(int error)
{
	switch (error) {
	case ENOSPC:
	case EDQUOT:
		return "Free some space in its directory or make it larger (docker run --shm-size), or set "
		       "SOFTHCA_DIR to another directory in memory";
	case EFBIG:
		return "Raise the limit of file sizes (ulimit -f)";
	case EMFILE:
	case ENFILE:
		return "Raise the limit of descriptors (ulimit -n)";
	case EINVAL:
	case EOPNOTSUPP:
		return "Its file system cannot do this; set SOFTHCA_DIR to a directory of a tmpfs";
	case EOVERFLOW:
		return "This user has no id in its user namespace: map it (unshare --map-current-user)";
	case ENOENT:
		return "Mount a tmpfs at its directory, or set SOFTHCA_DIR to a directory in memory that exists";
	case EACCES:
		return "It belongs to another user, of another user namespace perhaps, or its directory does: set "
		       "SOFTHCA_FABRIC to another name or SOFTHCA_DIR to another directory in memory";
	default:
		return "Set SOFTHCA_DIR to a directory in memory that this user may write to";
	}
}

/*
 * Users are distinguished by the ids that a kernel shows. In a user namespace it shows this one for all users without
 * one there: if it is our own id, they all look like us.
 */
static bool is_overflow_user(void)
{
	FILE *map = fopen("/proc/self/uid_map", "re");
	unsigned long inside, outside, count = 0;
	bool is_initial;

	if (geteuid() != OVERFLOW_UID || !map) {
		if (map)
			fclose(map);
		return false;
	}
	is_initial = fscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3 && count == UINT32_MAX;
	fclose(map);
	return !is_initial;
}

int shca_fabric_choose_name(void)
{
	const char *directory = getenv("SOFTHCA_DIR");
	const char *given = getenv("SOFTHCA_FABRIC");
	size_t length;

	if (!directory || !*directory)
		directory = "/dev/shm";
	if (!given)
		given = "";
	if (strlen(given) > SHCA_FABRIC_NAME || strchr(given, '/'))
		return shca_fail(EINVAL, "SOFTHCA_FABRIC=%s: at most %d characters and no slash, please", given,
				 SHCA_FABRIC_NAME);
	if (is_overflow_user())
		return shca_fail(EPERM, "user %u of a user namespace cannot be distinguished from users who have no "
				 "id there. Map this user to another id, or run as another user", OVERFLOW_UID);
	memcpy(suffix, given, strlen(given) + 1);
	length = (size_t)snprintf(path, sizeof(path), "%s/softhca.%u.%lu%s%s", directory, (unsigned int)geteuid(),
				  (unsigned long)shca_namespace("net"), *given ? "." : "", given);
	if (length < sizeof(path))
		return 0;
	return shca_fail(ENAMETOOLONG, "SOFTHCA_DIR=%.64s...: too long a path", directory);
}

const char *shca_fabric_path(void)
{
	return path;
}

const char *shca_fabric_suffix(void)
{
	return suffix;
}

static int check_owner(const struct stat *status)
{
	if (!S_ISREG(status->st_mode) || status->st_uid != geteuid() || (status->st_mode & 077))
		return shca_fabric_fail(EACCES, "is not a file of this user alone (mode 0600)",
				"Remove it, or set SOFTHCA_FABRIC to another name or SOFTHCA_DIR to another directory");
	return 0;
}

bool shca_fabric_is_linked(int fd)
{
	struct stat open, named;

	return !fstat(fd, &open) && !stat(path, &named) && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

/* Called before the file is locked: another user who may open the file could hold a lock indefinitely. */
static int check_owner_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) ? -errno : check_owner(&status);
}

/* The last process to leave may unlink the file between our open and flock, so open it again then. */
int shca_fabric_open(void)
{
	int error;
	int fd;

	for (;;) {
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			return shca_fabric_fail(errno, "cannot be opened", cure_for(errno));
		error = check_owner_of(fd);
		if (error) {
			close(fd);
			return error;
		}
		while (flock(fd, LOCK_SH) && errno == EINTR)
			;
		if (shca_fabric_is_linked(fd))
			return fd;
		close(fd);
	}
}

int shca_fabric_lock_byte(int fd, unsigned int byte, short type, int command)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
	int result;

	do
		result = fcntl(fd, command, &lock);
	while (result && errno == EINTR);
	return result ? -errno : command == F_OFD_GETLK && lock.l_type != F_UNLCK;
}

/* The version that the file has; 0: it is not complete. */
static uint64_t version_of(int fd)
{
	uint64_t version = 0;

	static_assert(offsetof(struct shca_fabric_file, version) == 0, "the version is found in any file");
	return pread(fd, &version, sizeof(version), 0) == sizeof(version) ? version : 0;
}

/*
 * One process completes the file before others read it. A process killed here leaves version 0, and the next one
 * reserves the file again: it is not mapped yet.
 */
int shca_fabric_map(int fd, struct shca_fabric_file **file)
{
	const size_t size = sizeof(struct shca_fabric_file);
	uint64_t version = version_of(fd);
	struct stat status;
	int result = 0;
	void *memory;

	if (!version)
		result = shca_reserve(fd, size);
	if (result)
		return shca_fabric_fail(-result, "cannot get the space that it needs", cure_for(-result));
	if ((version && version != SHCA_FABRIC_VERSION) || fstat(fd, &status) || status.st_size != (off_t)size)
		return shca_fabric_fail(EPROTO, "was written by another version of softhca",
				"End the programs that use it, or set SOFTHCA_FABRIC to another name for this one");
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return shca_fabric_fail(errno, "cannot be mapped", "Raise the limit of address space (ulimit -v)");
	*file = memory;
	if (!version)
		atomic_store(&(*file)->version, SHCA_FABRIC_VERSION);
	return 0;
}

int shca_fabric_read(struct shca_fabric_file **file)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat status;
	void *memory;

	if (fd < 0)
		return -ESRCH;
	if (fstat(fd, &status) || status.st_size != sizeof(**file) || check_owner(&status) ||
	    version_of(fd) != SHCA_FABRIC_VERSION || shca_fabric_lock_byte(fd, SHCA_TABLES_BYTE, F_RDLCK, F_OFD_SETLKW))
		goto close;
	memory = mmap(NULL, sizeof(**file), PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		goto close;
	*file = memory;
	return fd;
close:
	close(fd);
	return -ESRCH;
}
