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

#include <arpa/inet.h>
#include <sched.h>
#include <sys/mman.h>

#include "registry/shca_fabric_file.h"
#include "registry/shca_ports.h"
#include "t_fabric.h"

#define PS_TCP	0x0106
#define PS_UDP	0x0111
#define PORT	4711

static void make_address(const char *text, uint16_t port, struct sockaddr_storage *address)
{
	struct sockaddr_in *in = (struct sockaddr_in *)address;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;

	memset(address, 0, sizeof(*address));
	if (strchr(text, ':')) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		T_MUST(inet_pton(AF_INET6, text, &in6->sin6_addr) == 1);
	} else {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		T_MUST(inet_pton(AF_INET, text, &in->sin_addr) == 1);
	}
}

struct socket {
	const char *address;
	bool reuse;
	bool v6only;
};

static int bind_port(int space, const struct socket *socket, uint16_t port, uint32_t id, uint32_t *record)
{
	struct sockaddr_storage address;

	make_address(socket->address, port, &address);
	return shca_port_bind(space, (struct sockaddr *)&address, socket->reuse, socket->v6only, id, record);
}

static int find(const char *text, uint16_t port)
{
	struct sockaddr_storage address;
	struct shca_port_owner owner;
	int result;

	make_address(text, port, &address);
	result = shca_port_find_listener(PS_TCP, (struct sockaddr *)&address, &owner);
	return result ? result : (int)owner.id;
}

/* ---- which sockets conflict ---- */

static const struct {
	struct socket first;
	struct socket second;
	bool conflict;
	bool listen_conflict;	/* if both may be bound */
} table[] = {
	{ { "127.0.0.1", 0, 0 }, { "127.0.0.1", 0, 0 }, true, true },
	{ { "127.0.0.1", 0, 0 }, { "127.0.0.2", 0, 0 }, false, false },
	{ { "0.0.0.0", 0, 0 }, { "127.0.0.1", 0, 0 }, true, true },
	{ { "127.0.0.1", 0, 0 }, { "0.0.0.0", 0, 0 }, true, true },
	{ { "0.0.0.0", 0, 0 }, { "0.0.0.0", 0, 0 }, true, true },
	{ { "127.0.0.1", 1, 0 }, { "127.0.0.1", 1, 0 }, false, true },
	{ { "0.0.0.0", 1, 0 }, { "127.0.0.1", 1, 0 }, false, true },
	{ { "127.0.0.1", 1, 0 }, { "127.0.0.2", 1, 0 }, false, false },
	{ { "127.0.0.1", 1, 0 }, { "127.0.0.1", 0, 0 }, true, true },
	{ { "127.0.0.1", 0, 0 }, { "127.0.0.1", 1, 0 }, true, true },
	{ { "::1", 0, 0 }, { "::1", 0, 0 }, true, true },
	{ { "::1", 0, 0 }, { "::2", 0, 0 }, false, false },
	{ { "::", 0, 0 }, { "::1", 0, 0 }, true, true },
	{ { "::", 0, 1 }, { "::1", 0, 0 }, true, true },
	{ { "::", 0, 0 }, { "127.0.0.1", 0, 0 }, true, true },
	{ { "127.0.0.1", 0, 0 }, { "::", 0, 0 }, true, true },
	{ { "::", 0, 0 }, { "0.0.0.0", 0, 0 }, true, true },
	{ { "::", 0, 1 }, { "127.0.0.1", 0, 0 }, false, false },
	{ { "127.0.0.1", 0, 0 }, { "::", 0, 1 }, false, false },
	{ { "::", 0, 1 }, { "0.0.0.0", 0, 0 }, false, false },
	{ { "::", 1, 0 }, { "127.0.0.1", 1, 0 }, false, true },
	{ { "0.0.0.0", 0, 0 }, { "::1", 0, 0 }, false, false },
	{ { "127.0.0.1", 0, 0 }, { "::1", 0, 0 }, false, false },
	{ { "::ffff:127.0.0.1", 0, 0 }, { "127.0.0.1", 0, 0 }, true, true },
	{ { "::ffff:127.0.0.1", 0, 0 }, { "127.0.0.2", 0, 0 }, false, false },
	{ { "::ffff:0.0.0.0", 0, 0 }, { "127.0.0.1", 0, 0 }, true, true },
};

static void check_row(unsigned int row)
{
	uint32_t first = 0;
	uint32_t second = 0;
	int result;

	CHECK_EQ(0, bind_port(PS_TCP, &table[row].first, PORT, 1, &first));
	result = bind_port(PS_TCP, &table[row].second, PORT, 2, &second);
	if (result != (table[row].conflict ? -EADDRINUSE : 0))
		T_FAIL("row %u: the second one is bound with %d", row, result);
	if (!result) {
		result = shca_port_listen(second);
		if (result != (table[row].listen_conflict ? -EADDRINUSE : 0))
			T_FAIL("row %u: the second one listens with %d", row, result);
		shca_port_release(second);
	}
	CHECK_EQ(0, shca_port_listen(first));
	shca_port_release(first);
	CHECK_EQ(-EINVAL, shca_port_listen(first));
}

static void conflicts_are_as_in_the_table(void)
{
	unsigned int i;

	CHECK_EQ(0, shca_fabric_enter());
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		check_row(i);
	shca_fabric_leave();
}

static void port_spaces_and_ports_are_apart(void)
{
	const struct socket any = { "0.0.0.0", 0, 0 };
	uint32_t records[3];

	CHECK_EQ(0, shca_fabric_enter());
	CHECK_EQ(0, bind_port(PS_TCP, &any, PORT, 1, &records[0]));
	CHECK_EQ(0, bind_port(PS_UDP, &any, PORT, 2, &records[1]));
	CHECK_EQ(0, bind_port(PS_TCP, &any, PORT + 1, 3, &records[2]));
	CHECK_EQ(-EADDRINUSE, bind_port(PS_UDP, &any, PORT, 4, &records[0]));
	shca_fabric_leave();
}

static void listener_is_found_exact_before_wildcard(void)
{
	static const struct socket sockets[] = {
		{ "127.0.0.1", 1, 0 }, { "127.0.0.2", 1, 0 }, { "::1", 1, 0 }, { "::ffff:127.0.0.3", 1, 0 },
	};
	const struct socket both = { "::", 1, 0 };
	const struct socket six = { "::", 1, 1 };
	uint32_t records[4];
	uint32_t wildcard;
	int i;

	CHECK_EQ(0, shca_fabric_enter());
	for (i = 0; i < 4; i++)
		CHECK_EQ(0, bind_port(PS_TCP, &sockets[i], PORT, (uint32_t)i + 10, &records[i]));
	CHECK_EQ(-ENOENT, find("127.0.0.1", PORT));
	CHECK_EQ(0, shca_port_listen(records[0]));
	CHECK_EQ(0, shca_port_listen(records[2]));
	CHECK_EQ(0, shca_port_listen(records[3]));
	CHECK_EQ(10, find("127.0.0.1", PORT));
	CHECK_EQ(10, find("::ffff:127.0.0.1", PORT));
	CHECK_EQ(12, find("::1", PORT));
	CHECK_EQ(13, find("127.0.0.3", PORT));
	CHECK_EQ(-ENOENT, find("127.0.0.2", PORT));
	CHECK_EQ(-ENOENT, find("127.0.0.1", PORT + 1));
	for (i = 0; i < 4; i++)
		shca_port_release(records[i]);
	CHECK_EQ(-ENOENT, find("127.0.0.1", PORT));

	CHECK_EQ(0, bind_port(PS_TCP, &both, PORT, 20, &wildcard));
	CHECK_EQ(0, shca_port_listen(wildcard));
	CHECK_EQ(20, find("127.0.0.9", PORT));
	CHECK_EQ(20, find("::9", PORT));
	shca_port_release(wildcard);
	CHECK_EQ(0, bind_port(PS_TCP, &six, PORT, 21, &wildcard));
	CHECK_EQ(0, shca_port_listen(wildcard));
	CHECK_EQ(-ENOENT, find("127.0.0.9", PORT));
	CHECK_EQ(21, find("::9", PORT));
	shca_fabric_leave();
}

static void outside_of_the_fabric_nothing_is_bound(void)
{
	const struct socket any = { "0.0.0.0", 0, 0 };
	uint32_t record = 0;

	CHECK_EQ(-ENODEV, bind_port(PS_TCP, &any, PORT, 1, &record));
	CHECK_EQ(-ENODEV, shca_port_listen(0));
	CHECK_EQ(-ENOENT, find("0.0.0.0", PORT));
	CHECK_EQ(0, shca_fabric_slot());
	CHECK(!shca_fabric_slot_is_alive(1));
	shca_port_release(0);
	shca_fabric_leave();
}

/* ---- several processes ---- */

static void hold_listener(int fd)
{
	const struct socket any = { "0.0.0.0", 0, 0 };
	uint32_t record = 0;

	CHECK_EQ(0, shca_fabric_enter());
	CHECK_EQ(0, bind_port(PS_TCP, &any, PORT, 77, &record));
	CHECK_EQ(0, shca_port_listen(record));
	t_put(fd, shca_fabric_slot());
	t_get(fd);
	shca_fabric_leave();
}

static void killed_owner_is_swept(void)
{
	const struct socket one = { "127.0.0.1", 0, 0 };
	struct t_process owner = t_fork(hold_listener);
	uint32_t slot = (uint32_t)t_get(owner.fd);
	uint32_t record;

	CHECK_EQ(0, shca_fabric_enter());
	CHECK(shca_fabric_slot() != slot);
	CHECK(shca_fabric_slot_is_alive(slot));
	CHECK_EQ(owner.pid, shca_fabric_pid(slot));
	CHECK_EQ(77, find("127.0.0.1", PORT));
	CHECK_EQ(-EADDRINUSE, bind_port(PS_TCP, &one, PORT, 1, &record));
	t_kill(&owner);
	CHECK(!shca_fabric_slot_is_alive(slot));
	CHECK_EQ(-ENOENT, find("127.0.0.1", PORT));
	CHECK_EQ(0, bind_port(PS_TCP, &one, PORT, 1, &record));
	shca_fabric_leave();
}

static void file_of_a_killed_process_is_removed_by_the_next(void)
{
	struct t_process owner = t_fork(hold_listener);

	t_get(owner.fd);
	t_kill(&owner);
	CHECK_EQ(1, t_entries());
	CHECK_EQ(0, shca_fabric_enter());
	CHECK_EQ(-ENOENT, find("127.0.0.1", PORT));
	shca_fabric_leave();
	CHECK_EQ(0, t_entries());
}

static void enter_and_end(int fd)
{
	CHECK_EQ(0, shca_fabric_enter());
	t_put(fd, shca_fabric_slot());
	t_get(fd);
}

static void process_that_ends_without_leaving_leaves_no_file(void)
{
	struct t_process first = t_fork(enter_and_end);
	struct t_process second = t_fork(enter_and_end);

	t_get(first.fd);
	t_get(second.fd);
	CHECK_EQ(1, t_entries());
	t_put(first.fd, 0);
	t_join(&first);
	CHECK_EQ(1, t_entries());
	t_put(second.fd, 0);
	t_join(&second);
	CHECK_EQ(0, t_entries());
}

static void owner_that_leaves_frees_its_ports(void)
{
	struct t_process owner = t_fork(hold_listener);

	t_get(owner.fd);
	CHECK_EQ(0, shca_fabric_enter());
	CHECK_EQ(77, find("127.0.0.1", PORT));
	t_put(owner.fd, 0);
	CHECK_EQ(-1, t_get(owner.fd));
	CHECK_EQ(-ENOENT, find("127.0.0.1", PORT));
	t_join(&owner);
	shca_fabric_leave();
}

static void remove_file(void)
{
	DIR *directory = opendir(t_directory);
	struct dirent *entry;

	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			T_MUST(!unlinkat(dirfd(directory), entry->d_name, 0));
	closedir(directory);
}

/* A process in the fabric keeps using the old file, a new one creates another, and neither removes the other's. */
static void file_may_be_removed(void)
{
	const struct socket any = { "0.0.0.0", 0, 0 };
	struct t_process owner;
	uint32_t record;

	CHECK_EQ(0, shca_fabric_enter());
	remove_file();
	CHECK_EQ(0, bind_port(PS_TCP, &any, PORT, 1, &record));
	owner = t_fork(hold_listener);
	t_get(owner.fd);
	CHECK_EQ(1, t_entries());
	shca_fabric_leave();
	CHECK_EQ(1, t_entries());
	t_put(owner.fd, 0);
	t_join(&owner);
	CHECK_EQ(0, t_entries());
}

/* ---- a child that is killed in the middle of a change ---- */

static struct {
	_Atomic uint32_t holder;	/* the process that has PORT */
	_Atomic uint32_t rounds;
} *shared;

static void change_ports(int fd)
{
	const struct socket any = { "0.0.0.0", 0, 0 };

	(void)fd;
	CHECK_EQ(0, shca_fabric_enter());
	for (;;) {
		uint32_t record;
		uint32_t other;
		int result = bind_port(PS_TCP, &any, PORT, 1, &record);

		if (result && result != -EADDRINUSE)
			T_FAIL("bind: %d", result);
		if (!result) {
			atomic_store(&shared->holder, (uint32_t)getpid());
			CHECK_EQ(0, shca_port_listen(record));
			CHECK_EQ(0, bind_port(PS_UDP, &any, 0, 1, &other));
			CHECK_EQ(getpid(), atomic_load(&shared->holder));
			shca_port_release(other);
			shca_port_release(record);
			atomic_fetch_add(&shared->rounds, 1);
		}
		if (t_failures)
			exit(1);
	}
}

static void writer_may_be_killed_anywhere(void)
{
	const struct socket any = { "0.0.0.0", 0, 0 };
	struct t_process writers[3];
	int round;
	int i;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	T_MUST(shared != MAP_FAILED);
	for (i = 0; i < 3; i++)
		writers[i] = t_fork(change_ports);
	for (round = 0; round < 60; round++) {
		uint32_t before = atomic_load(&shared->rounds);
		int victim = t_random_below(3);
		struct timespec moment = { .tv_nsec = t_random_below(2000000) };

		while (atomic_load(&shared->rounds) - before < 20)
			sched_yield();
		nanosleep(&moment, NULL);
		CHECK_EQ(0, waitpid(writers[victim].pid, NULL, WNOHANG));
		t_kill(&writers[victim]);
		writers[victim] = t_fork(change_ports);
	}
	for (i = 0; i < 3; i++) {
		CHECK_EQ(0, waitpid(writers[i].pid, NULL, WNOHANG));
		t_kill(&writers[i]);
	}
	CHECK_EQ(0, shca_fabric_enter());
	for (i = 0; i < (int)SHCA_PORT_RECORDS; i++) {
		uint32_t record;

		if (bind_port(PS_TCP, &any, (uint16_t)(PORT + i), 1, &record))
			T_FAIL("port %d: a record is lost", PORT + i);
	}
	shca_fabric_leave();
	munmap(shared, sizeof(*shared));
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(outside_of_the_fabric_nothing_is_bound);
	T_RUN(conflicts_are_as_in_the_table);
	T_RUN(port_spaces_and_ports_are_apart);
	T_RUN(listener_is_found_exact_before_wildcard);
	T_RUN(killed_owner_is_swept);
	T_RUN(file_of_a_killed_process_is_removed_by_the_next);
	T_RUN(process_that_ends_without_leaving_leaves_no_file);
	T_RUN(owner_that_leaves_frees_its_ports);
	T_RUN(file_may_be_removed);
	T_RUN(writer_may_be_killed_anywhere);
	t_fabric_close();
	return t_result();
}
