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
 * Why this process does not find another. Each fabric works alone, and a process cannot know that its peer is in a
 * different one. So when it finds no listener it searches sockets and files for others, and prints the difference.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shca_clock.h"
#include "base/shca_say.h"
#include "registry/shca_fabric_file.h"
#include "registry/shca_fabric_open.h"

/* A program may try again and again until a listener is there; not each try searches. */
#define PAUSE_NS	SHCA_NS_PER_S

enum others { NO_PROCESS, OF_OTHER_USERS, OF_OUR_USER };

/* Whether a process has this nonce in our file. */
static bool is_in_our_fabric(uint64_t nonce)
{
	for (uint32_t slot = 1; slot < SHCA_FABRIC_SLOTS; slot++)
		if (shca_fabric_nonce(slot) == nonce)
			return true;
	return false;
}

/* The owner of a socket with a name of SHCA_SOCKET_FORMAT. */
static enum others owner_of(const char *name)
{
	static const char start[] = "softhca.";
	size_t suffix = strlen(shca_fabric_suffix());
	char *end;
	unsigned long user;

	if (strncmp(name, start, strlen(start)))
		return NO_PROCESS;
	user = strtoul(name + strlen(start), &end, 10);
	if (*end != '.' || strncmp(end + 1, shca_fabric_suffix(), suffix) || end[1 + suffix] != '/')
		return NO_PROCESS;
	name = strrchr(end, '.');
	if (is_in_our_fabric(strtoull(name + 1, NULL, 16)))
		return NO_PROCESS;
	return user == geteuid() ? OF_OUR_USER : OF_OTHER_USERS;
}

/* The owners of processes that listen in this network namespace for a fabric of our name and are not in ours. */
static enum others find_other_fabrics(void)
{
	FILE *sockets = fopen("/proc/self/net/unix", "re");
	enum others found = NO_PROCESS;
	char line[512];

	if (!sockets)
		return NO_PROCESS;
	/* "0000000000000000: 00000002 00000000 00010000 0005 01 12345 @softhca.1000./7.0123456789abcdef" */
	while (found != OF_OUR_USER && fgets(line, sizeof(line), sockets)) {
		const char *name = strchr(line, '@');
		enum others owner = name ? owner_of(name + 1) : NO_PROCESS;

		if (owner > found)
			found = owner;
	}
	fclose(sockets);
	return found;
}

static bool is_held(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;
	bool held;

	if (fd < 0)
		return false;
	held = !fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	       flock(fd, LOCK_EX | LOCK_NB);
	close(fd);
	return held;
}

/* What follows the number of the network namespace in the name of a file, or NULL if this is no file of our user. */
static const char *after_namespace(const char *name)
{
	char start[32];
	size_t length = (size_t)snprintf(start, sizeof(start), "softhca.%u.", (unsigned int)geteuid());

	return strncmp(name, start, length) ? NULL : name + length + strspn(name + length, "0123456789");
}

/* Whether processes of our user, in another network namespace, have a file of our name in our directory. */
static bool is_used_in_other_network(void)
{
	const char *path = shca_fabric_path(), *own = strrchr(path, '/');
	char directory[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *stream;

	if (!own)
		return false;
	snprintf(directory, sizeof(directory), "%.*s", (int)(own - path) + 1, path);
	stream = opendir(directory);
	if (!stream)
		return false;
	while (!found && (entry = readdir(stream))) {
		const char *rest = after_namespace(entry->d_name);

		found = rest && strcmp(entry->d_name, own + 1) && !strcmp(rest, after_namespace(own + 1)) &&
			is_held(dirfd(stream), entry->d_name);
	}
	closedir(stream);
	return found;
}

static const char *reason(void)
{
	enum others others;

	if (!shca_fabric_has_its_file())
		return "the file of this process was removed, and processes that started since have another one: "
		       "restart all of them";
	others = find_other_fabrics();
	if (others == OF_OUR_USER)
		return "processes of this user have another file, which may have been removed, too: let them have the "
		       "same SOFTHCA_DIR, mounted from the same source, and restart them";
	if (is_used_in_other_network())
		return "processes of this user use the device in another network namespace, and cannot reach this one";
	return others == OF_OTHER_USERS ? "processes of another user, or of another user namespace, use the device, "
					  "which reaches only those of its own" : NULL;
}

void shca_fabric_explain_absence(const char *listener)
{
	static _Atomic uint64_t looked_at, said;
	uint64_t now = shca_now(), before = atomic_load(&looked_at);
	const char *why;

	if ((before && now - before < PAUSE_NS) || !atomic_compare_exchange_strong(&looked_at, &before, now))
		return;
	why = reason();
	if (why)
		shca_say_seldom(&said, "no program listens on %s; but %s", listener, why);
}
