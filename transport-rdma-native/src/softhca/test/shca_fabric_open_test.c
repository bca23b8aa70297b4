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

/* Entering the fabric: as many processes as it has slots, and what is refused. */
#include "registry/shca_fabric_file.h"
#include "t_fabric.h"

static void only_enter(int fd)
{
	t_put(fd, shca_fabric_enter());
	t_get(fd);
	shca_fabric_leave();
}

static void fabric_is_full_at_255(void)
{
	static struct t_process processes[SHCA_FABRIC_SLOTS];
	uint32_t refused = 0;
	uint32_t victim = 0;
	uint32_t i;

	/* 256 processes for 255 slots. */
	for (i = 0; i < SHCA_FABRIC_SLOTS; i++)
		processes[i] = t_fork(only_enter);
	for (i = 0; i < SHCA_FABRIC_SLOTS; i++) {
		int64_t result = t_get(processes[i].fd);

		if (result) {
			CHECK_EQ(-ENOSPC, result);
			refused++;
		} else {
			victim = i;
		}
	}
	CHECK_EQ(1, refused);
	CHECK_EQ(-ENOSPC, shca_fabric_enter());
	t_kill(&processes[victim]);
	CHECK_EQ(0, shca_fabric_enter());
	for (i = 0; i < SHCA_FABRIC_SLOTS; i++)
		if (i != victim)
			t_put(processes[i].fd, 0);
	for (i = 0; i < SHCA_FABRIC_SLOTS; i++)
		if (i != victim)
			t_join(&processes[i]);
	shca_fabric_leave();
}

static void enter_and_leave(int fd)
{
	int i;

	(void)fd;
	for (i = 0; i < 200; i++) {
		CHECK_EQ(0, shca_fabric_enter());
		CHECK(shca_fabric_slot_is_alive(shca_fabric_slot()));
		shca_fabric_leave();
	}
}

static void many_enter_and_leave_at_once(void)
{
	struct t_process processes[4];
	int i;

	for (i = 0; i < 4; i++)
		processes[i] = t_fork(enter_and_leave);
	for (i = 0; i < 4; i++)
		t_join(&processes[i]);
	CHECK_EQ(0, t_entries());
}

static void invalid_directory_or_name_is_refused(void)
{
	setenv("SOFTHCA_DIR", "/nonexistent", 1);
	CHECK_EQ(-ENOENT, shca_fabric_enter());
	setenv("SOFTHCA_DIR", t_directory, 1);
	setenv("SOFTHCA_FABRIC", "a/b", 1);
	CHECK_EQ(-EINVAL, shca_fabric_enter());
	setenv("SOFTHCA_FABRIC", "0123456789012345678901234567890123456789012345678901234567890123456789", 1);
	CHECK_EQ(-EINVAL, shca_fabric_enter());
	unsetenv("SOFTHCA_FABRIC");
}

static struct shca_fabric_file *enter_and_lock(void)
{
	T_MUST(!shca_fabric_enter());
	return shca_fabric_lock();
}

static void other_version(int fd)
{
	struct shca_fabric_file *file = enter_and_lock();

	atomic_store(&file->version, SHCA_FABRIC_VERSION + 1);
	shca_fabric_unlock();
	t_put(fd, 0);
	t_get(fd);
	shca_fabric_leave();
}

static void another_version_is_refused(void)
{
	struct t_process other = t_fork(other_version);

	t_get(other.fd);
	CHECK_EQ(-EPROTO, shca_fabric_enter());
	CHECK_EQ(0, shca_fabric_slot());
	t_put(other.fd, 0);
	t_join(&other);
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(fabric_is_full_at_255);
	T_RUN(many_enter_and_leave_at_once);
	T_RUN(invalid_directory_or_name_is_refused);
	T_RUN(another_version_is_refused);
	t_fabric_close();
	return t_result();
}
