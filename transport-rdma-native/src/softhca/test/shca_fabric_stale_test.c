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
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../test/c/t.h"
#include "registry/shca_fabric.h"

static char directory[] = "/tmp/softhca_stale_XXXXXX";

static void path_of(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", directory, name);
}

static int make(const char *name)
{
	char path[256];

	path_of(name, path, sizeof(path));
	return open(path, O_RDWR | O_CREAT, 0600);
}

static bool is_there(const char *name)
{
	char path[256];

	path_of(name, path, sizeof(path));
	return access(path, F_OK) == 0;
}

/*
 * Entering removes what a killed process left. It keeps files that are held, files of other users, and files that are
 * not softhca's.
 */
static void entering_process_removes_unused_files(void)
{
	char dead[64], held[64], foreign[64];
	int fd;

	snprintf(dead, sizeof(dead), "softhca.%u.1.dead", (unsigned int)geteuid());
	snprintf(held, sizeof(held), "softhca.%u.1.held", (unsigned int)geteuid());
	snprintf(foreign, sizeof(foreign), "softhca.%u.1", (unsigned int)geteuid() + 1);
	close(make(dead));
	close(make(foreign));
	close(make("something"));
	fd = make(held);
	CHECK_EQ(0, flock(fd, LOCK_SH));
	CHECK_EQ(0, shca_fabric_enter());
	CHECK(!is_there(dead));
	CHECK(is_there(held));
	CHECK(is_there(foreign));
	CHECK(is_there("something"));
	shca_fabric_leave();

	/* Its holder is gone, as after a kill. */
	close(fd);
	CHECK_EQ(0, shca_fabric_enter());
	CHECK(!is_there(held));
	shca_fabric_leave();
}

/* Another user could have made the file and hold a lock on it; waiting for that lock may never end. */
static void a_file_that_others_may_open_is_not_waited_for(void)
{
	struct stat namespace;
	char own[64], path[256];
	int fd;

	CHECK_EQ(0, stat("/proc/self/ns/net", &namespace));
	snprintf(own, sizeof(own), "softhca.%u.%lu", (unsigned int)geteuid(), (unsigned long)namespace.st_ino);
	fd = make(own);
	CHECK_EQ(0, fchmod(fd, 0666));
	CHECK_EQ(0, flock(fd, LOCK_EX));
	alarm(20);
	CHECK_EQ(-EACCES, shca_fabric_enter());
	alarm(0);
	close(fd);
	path_of(own, path, sizeof(path));
	CHECK_EQ(0, unlink(path));
	CHECK_EQ(0, shca_fabric_enter());
	shca_fabric_leave();
}

int main(void)
{
	char command[300];

	if (!mkdtemp(directory))
		return 1;
	setenv("SOFTHCA_DIR", directory, 1);
	unsetenv("SOFTHCA_FABRIC");
	T_RUN(entering_process_removes_unused_files);
	T_RUN(a_file_that_others_may_open_is_not_waited_for);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	CHECK_EQ(0, system(command));
	return t_result();
}
