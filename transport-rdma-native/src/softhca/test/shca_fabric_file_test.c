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

/* Directories without space, or that are unusable in other ways: an error with its reason, and never a signal. */
#include <sys/file.h>
#include <sys/stat.h>

#include "base/shca_say.h"
#include "registry/shca_fabric.h"
#include "registry/shca_fabric_file.h"
#include "registry/shca_ports.h"
#include "t_child.h"
#include "t_fabric.h"
#include "t_mount.h"

/* Of the file; one more of the directory's are for the file of another program. */
#define FILE_PAGES	((sizeof(struct shca_fabric_file) + 4095) / 4096)
#define ALL_PAGES	1024u

/* Says of one attempt that failed why it did. */
static void check_refusal(int error, const char *reason)
{
	int result = shca_fabric_enter();
	const char *text = shca_reason(error);

	CHECK_EQ(-error, result);
	if (!result)
		shca_fabric_leave();
	if (!text || !strstr(text, t_directory) || !strstr(text, reason))
		T_FAIL("the reason is \"%s\", without \"%s\"", text ? text : "", reason);
}

static void enter_with_ever_more_space(void)
{
	char other[256];

	if (!t_mount("tmpfs", t_directory, "size=4m"))
		return;
	for (unsigned long left = 0; left < FILE_PAGES; left += left + 8 < FILE_PAGES ? 8 : 1) {
		t_fill(t_directory, ALL_PAGES - left, other, sizeof(other));
		check_refusal(ENOSPC, "SOFTHCA_DIR");
		CHECK_EQ(1, t_entries());
		CHECK_EQ(left, t_free_pages(t_directory));
	}
	t_fill(t_directory, ALL_PAGES - FILE_PAGES, other, sizeof(other));
	CHECK_EQ(0, shca_fabric_enter());
	CHECK_EQ(0, t_free_pages(t_directory));
	shca_fabric_leave();
	CHECK_EQ(FILE_PAGES, t_free_pages(t_directory));
}

static void a_full_directory_is_refused(void)
{
	t_in_child(NULL, NULL, enter_with_ever_more_space);
}

/* Writes to every page of the tables. */
static void use_the_file_while_it_is_full(void)
{
	char other[256];
	uint32_t i;

	if (!t_mount("tmpfs", t_directory, "size=4m"))
		return;
	CHECK_EQ(0, shca_fabric_enter());
	t_fill(t_directory, t_free_pages(t_directory), other, sizeof(other));
	CHECK_EQ(0, t_free_pages(t_directory));
	for (i = 0; i < SHCA_PORT_RECORDS; i++) {
		struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)(i + 1)) };
		uint32_t record;

		T_MUST(!shca_port_bind(1, (struct sockaddr *)&address, false, false, i + 1, &record));
	}
	for (i = 1; i < SHCA_FABRIC_SLOTS; i++)
		atomic_store(shca_fabric_doorbell(i, 0), 0);
	shca_fabric_leave();
}

static void directory_that_fills_up_later_ends_no_process(void)
{
	t_in_child(NULL, NULL, use_the_file_while_it_is_full);
}

/* A process was killed while it reserved the file. */
static void complete_the_file(void)
{
	char path[512], other[256];
	struct stat namespace;
	int fd;

	if (!t_mount("tmpfs", t_directory, "size=4m"))
		return;
	T_MUST(!stat("/proc/self/ns/net", &namespace));
	snprintf(path, sizeof(path), "%s/softhca.%u.%lu", t_directory, (unsigned int)geteuid(),
		 (unsigned long)namespace.st_ino);
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	T_MUST(fd >= 0 && !ftruncate(fd, sizeof(struct shca_fabric_file)));
	close(fd);
	t_fill(t_directory, ALL_PAGES - FILE_PAGES + 1, other, sizeof(other));
	check_refusal(ENOSPC, "space");
	T_MUST(!unlink(other));
	CHECK_EQ(0, shca_fabric_enter());
	shca_fabric_leave();
}

static void a_file_that_was_not_completed_is_reserved_again(void)
{
	t_in_child(NULL, NULL, complete_the_file);
}

static void use_a_read_only_directory(void)
{
	if (t_mount("tmpfs", t_directory, "ro"))
		check_refusal(EROFS, "SOFTHCA_DIR");
}

static void a_read_only_directory_is_refused(void)
{
	t_in_child(NULL, NULL, use_a_read_only_directory);
}

static void use_a_missing_directory(void)
{
	T_MUST(!rmdir(t_directory));
	check_refusal(ENOENT, "Mount a tmpfs");
	T_MUST(!mkdir(t_directory, 0700));
}

static void a_missing_directory_is_refused(void)
{
	t_in_child(NULL, NULL, use_a_missing_directory);
}

static void use_a_file_of_another_version(void)
{
	uint64_t version = 0x7368636100000003ull;
	struct stat namespace;
	char path[512];
	int fd;

	T_MUST(!stat("/proc/self/ns/net", &namespace));
	snprintf(path, sizeof(path), "%s/softhca.%u.%lu", t_directory, (unsigned int)geteuid(),
		 (unsigned long)namespace.st_ino);
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	T_MUST(fd >= 0 && write(fd, &version, sizeof(version)) == sizeof(version));
	/* Its programs run. */
	T_MUST(!flock(fd, LOCK_SH));
	check_refusal(EPROTO, "another version");
	CHECK_EQ(1, t_entries());
	close(fd);
	T_MUST(!unlink(path));
}

static void a_file_of_another_version_is_refused_and_stays(void)
{
	t_in_child(NULL, NULL, use_a_file_of_another_version);
}

int main(void)
{
	t_fabric_open();
	T_RUN(a_full_directory_is_refused);
	T_RUN(directory_that_fills_up_later_ends_no_process);
	T_RUN(a_file_that_was_not_completed_is_reserved_again);
	T_RUN(a_read_only_directory_is_refused);
	T_RUN(a_missing_directory_is_refused);
	T_RUN(a_file_of_another_version_is_refused_and_stays);
	t_fabric_close();
	return t_result();
}
