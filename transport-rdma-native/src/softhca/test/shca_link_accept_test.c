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

/* Setting up links: which processes are accepted, which are refused, and what happens when both connect. */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "abi/softhca.h"
#include "progress/shca_engine.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_process_internal.h"
#include "wire/shca_process_socket.h"
#include "t_link.h"

static void free_slots_have_no_link(void)
{
	CHECK_EQ(0, shca_engine_start());
	for (uint32_t i = 0; i < 300; i++)
		if (i != shca_fabric_slot())
			CHECK(!t_link_to(i));
	shca_engine_stop();
}

/* A page that is not there yet can fail to come at any time, and then ends the process that touches it. */
static void the_memory_of_a_link_is_there(void)
{
	int memory = shca_link_create_memory();
	struct stat status;

	T_MUST(memory >= 0 && !fstat(memory, &status));
	CHECK_EQ(2 * shca_ring_bytes(), status.st_size);
	CHECK(status.st_blocks * 512 >= status.st_size);
	close(memory);
}

/* Both connect before either accepts; requests stay in order whichever links they take. */
static void meet(int fd, uint32_t slot_of_other)
{
	struct shca_link *link = t_link_to(slot_of_other);

	T_MUST(link);
	for (uint32_t i = 0; i < 1000; i++) {
		T_MUST(t_link_to(slot_of_other) == link);
		T_POLL_UNTIL(t_try_send(link, NULL, i, T_SMALL));
	}
	shca_link_ring_doorbell(link);
	T_POLL_UNTIL(t_received == 1000);
	T_POLL_UNTIL(shca_link_is_drained(link));
	t_put(fd, 0);
	t_get(fd);
}

static void meet_in_child(int fd)
{
	t_received = 0;
	t_on_packet = t_check_small;
	CHECK_EQ(0, shca_engine_start());
	t_put(fd, shca_fabric_slot());
	meet(fd, (uint32_t)t_get(fd));
	shca_engine_stop();
}

static void both_may_connect_at_once(void)
{
	for (int round = 0; round < 20; round++) {
		struct t_process other = t_fork(meet_in_child);
		uint32_t slot = (uint32_t)t_get(other.fd);

		t_received = 0;
		t_on_packet = t_check_small;
		CHECK_EQ(0, shca_engine_start());
		t_put(other.fd, shca_fabric_slot());
		meet(other.fd, slot);
		t_join(&other);
		shca_engine_stop();
	}
}

/* ---- processes that are refused ---- */

static int raw_connect(const char *name)
{
	int fd = shca_socket_connect(name);

	T_MUST(fd >= 0);
	return fd;
}

static void expect_refusal(const char *what, int fd)
{
	char byte;

	if (!t_wait_readable(fd) || recv(fd, &byte, 1, 0) > 0)
		T_FAIL("%s is not refused", what);
	close(fd);
}

static int send_hello(struct shca_hello hello)
{
	char name[SHCA_SOCKET_NAME];
	int fd;

	shca_fabric_socket_name(shca_fabric_slot(), name, sizeof(name));
	fd = raw_connect(name);
	T_MUST(!shca_socket_send_hello(fd, &hello));
	return fd;
}

static void send_false_hello(const char *what, struct shca_hello hello)
{
	expect_refusal(what, send_hello(hello));
}

static struct shca_hello own_hello(void)
{
	return (struct shca_hello) { SHCA_DATAGRAM_HELLO, shca_fabric_slot(), shca_fabric_nonce(shca_fabric_slot()),
				     SHCA_FABRIC_VERSION };
}

static void send_false_link(const char *what, uint32_t own_set, uint32_t their_set, int memory)
{
	struct shca_link_datagram datagram = { SHCA_DATAGRAM_LINK, own_set, their_set };
	int fd = send_hello(own_hello());

	if (memory >= 0)
		T_MUST(!shca_socket_send_link(fd, &datagram, memory));
	else
		T_MUST(send(fd, &datagram, sizeof(datagram), 0) == sizeof(datagram));
	expect_refusal(what, fd);
}

static int open_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1000; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static bool has_serial(struct shca_link *link, uint32_t waker, uint32_t serial)
{
	return atomic_load(&link->process->wakers[0][waker].serial) == serial;
}

static void invalid_hellos_are_refused(void)
{
	struct t_process other = t_fork(t_echo);
	uint32_t slot = (uint32_t)t_get(other.fd);
	char name[SHCA_SOCKET_NAME];
	struct shca_hello hello, wrong;
	int memory, small, fd;

	CHECK_EQ(0, shca_engine_start());
	atomic_store(&t_died, 0);
	memory = shca_link_create_memory();
	small = memfd_create("small", 0);
	T_MUST(memory >= 0 && small >= 0);
	wrong = hello = own_hello();
	wrong.version++;
	send_false_hello("another version", wrong);
	wrong = hello;
	wrong.nonce++;
	send_false_hello("a wrong nonce", wrong);
	wrong = hello;
	wrong.slot = SHCA_FABRIC_SLOTS + 1;
	send_false_hello("a slot that there is not", wrong);
	wrong = hello;
	wrong.slot = slot;
	wrong.nonce = shca_fabric_nonce(slot);
	send_false_hello("another one's slot", wrong);
	wrong = hello;
	wrong.datagram = SHCA_DATAGRAM_KICK;
	send_false_hello("no hello", wrong);
	CHECK_EQ(0, atomic_load(&t_died));
	send_false_link("no memory", 0, 0, -1);
	send_false_link("little memory", 0, 0, small);
	T_MUST(!ftruncate(small, (off_t)(2 * shca_ring_bytes())));
	send_false_link("memory that may shrink", 0, 0, small);
	send_false_link("a set of its own that there is not", SHCA_LINK_SETS, 0, memory);
	send_false_link("a set of ours that there is not", 0, SHCA_LINK_SETS, memory);
	T_WAIT_UNTIL(atomic_load(&t_died) == 5);
	close(memory);
	close(small);
	/* A process that sends nothing takes no more than an entry. */
	shca_fabric_socket_name(shca_fabric_slot(), name, sizeof(name));
	fd = raw_connect(name);
	t_send_and_receive(t_link_to(slot), 100, 10);
	close(fd);
	CHECK_EQ(5, atomic_load(&t_died));
	t_link_close(&other);
}

static int pass_waker(int socket, uint32_t set, uint32_t waker, uint32_t serial, int fd)
{
	struct shca_waker_datagram datagram = { SHCA_DATAGRAM_WAKER, set, waker, serial };

	return shca_socket_send_waker(socket, &datagram, fd);
}

/* A peer that passes what no waker is keeps its link, and no descriptor stays open here. */
static void invalid_wakers_are_dropped(void)
{
	int odd_fd = memfd_create("odd", 0);
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct shca_link *link;
	int before, socket;

	T_MUST(odd_fd >= 0 && fd >= 0);
	CHECK_EQ(0, shca_engine_start());
	link = t_link_to(shca_fabric_slot());
	T_MUST(link);
	before = open_descriptors();
	/* The link to ourselves: we are the peer. */
	socket = link->process->tx_socket;
	CHECK_EQ(0, pass_waker(socket, 0, 0, 1, fd));
	CHECK_EQ(0, pass_waker(socket, 0, SHCA_WAKERS + 1, 1, fd));
	CHECK_EQ(0, pass_waker(socket, 0, UINT32_MAX, 1, fd));
	CHECK_EQ(0, pass_waker(socket, SHCA_LINK_SETS, 1, 1, fd));
	CHECK_EQ(0, pass_waker(socket, UINT32_MAX, 1, 1, fd));
	CHECK_EQ(0, pass_waker(socket, 0, 1, 0, fd));
	CHECK_EQ(0, pass_waker(socket, 0, 1, 7, odd_fd));
	CHECK_EQ(0, pass_waker(socket, 0, SHCA_WAKERS, 7, fd));
	T_WAIT_UNTIL(has_serial(link, SHCA_WAKERS, 7));
	CHECK(has_serial(link, 1, 0));
	/* Another one of the same number replaces it. */
	CHECK_EQ(0, pass_waker(socket, 0, SHCA_WAKERS, 8, fd));
	T_WAIT_UNTIL(has_serial(link, SHCA_WAKERS, 8));
	CHECK_EQ(before + 1, open_descriptors());
	shca_engine_stop();
	close(fd);
	close(odd_fd);
}

static char name_to_try[SHCA_SOCKET_NAME];

static void try_as_another_user(int fd)
{
	char text[] = SHCA_CONTROL_PREFIX "port-down";
	int socket;

	t_get(fd);
	T_MUST(!setgid(65534) && !setuid(65534));
	T_MUST(recv(fd, name_to_try, sizeof(name_to_try), 0) > 0);
	socket = raw_connect(name_to_try);
	/* The socket may have been closed already. */
	send(socket, text, strlen(text), MSG_NOSIGNAL);
	expect_refusal("another user", socket);
	CHECK_EQ(-ESRCH, softhca_control(getppid(), "port-down"));
	t_put(fd, 0);
}

static void listen_as_another_user(int fd)
{
	int socket;

	T_MUST(!setgid(65534) && !setuid(65534));
	T_MUST(recv(fd, name_to_try, sizeof(name_to_try), 0) > 0);
	socket = shca_socket_listen(name_to_try);
	T_MUST(socket >= 0);
	t_put(fd, 0);
	t_get(fd);
	close(socket);
}

static void another_user_is_refused(void)
{
	struct t_process stranger_process, listener;
	struct shca_fabric_file *file;
	char name[SHCA_SOCKET_NAME];
	uint32_t slot;

	if (geteuid()) {
		printf("another_user_is_refused: skipped: only root can become another user\n");
		return;
	}
	stranger_process = t_fork(try_as_another_user);
	listener = t_fork(listen_as_another_user);
	CHECK_EQ(0, shca_engine_start());
	atomic_store(&t_port_up, 0);
	shca_fabric_socket_name(shca_fabric_slot(), name, sizeof(name));
	t_put(stranger_process.fd, 0);
	T_MUST(send(stranger_process.fd, name, sizeof(name), 0) == sizeof(name));
	CHECK_EQ(0, t_get(stranger_process.fd));
	CHECK_EQ(0, atomic_load(&t_port_up));
	t_join(&stranger_process);

	/* A slot that a process of another user answers for. */
	slot = shca_fabric_slot() + 1;
	file = shca_fabric_lock();
	atomic_store(&file->slots[slot].pid, (uint32_t)listener.pid);
	atomic_store(&file->slots[slot].nonce, 4711);
	shca_fabric_unlock();
	shca_fabric_socket_name(slot, name, sizeof(name));
	T_MUST(send(listener.fd, name, sizeof(name), 0) == sizeof(name));
	CHECK_EQ(0, t_get(listener.fd));
	CHECK(!t_link_to(slot));
	CHECK(!t_link_to(slot));
	t_put(listener.fd, 0);
	t_join(&listener);
	shca_engine_stop();
}

/* ---- what can be caused often ---- */

static int stderr_before = -1;

static int capture_stderr(void)
{
	int ends[2];

	stderr_before = dup(STDERR_FILENO);
	T_MUST(stderr_before >= 0 && !pipe2(ends, O_CLOEXEC | O_NONBLOCK) && dup2(ends[1], STDERR_FILENO) >= 0);
	close(ends[1]);
	return ends[0];
}

static void end_capture(int captured, char *said, size_t size)
{
	ssize_t length = read(captured, said, size - 1);

	said[length > 0 ? length : 0] = 0;
	T_MUST(dup2(stderr_before, STDERR_FILENO) >= 0);
	close(stderr_before);
	close(captured);
}

static int count_lines(const char *text)
{
	int lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

#define ATTEMPTS	150

static void connect_often_as_another_user(int fd)
{
	T_MUST(!setgid(65534) && !setuid(65534));
	T_MUST(recv(fd, name_to_try, sizeof(name_to_try), 0) > 0);
	for (int i = 0; i < ATTEMPTS; i++)
		expect_refusal("another user", raw_connect(name_to_try));
	t_put(fd, 0);
}

static void foreign_users_do_not_flood_the_log(void)
{
	struct t_process stranger;
	char name[SHCA_SOCKET_NAME], said[10000];
	int captured;

	if (geteuid()) {
		T_NOT_RUN("only root can become another user");
		return;
	}
	stranger = t_fork(connect_often_as_another_user);
	CHECK_EQ(0, shca_engine_start());
	shca_fabric_socket_name(shca_fabric_slot(), name, sizeof(name));
	captured = capture_stderr();
	T_MUST(send(stranger.fd, name, sizeof(name), 0) == sizeof(name));
	CHECK_EQ(0, t_get(stranger.fd));
	end_capture(captured, said, sizeof(said));
	/* Some of them came before, from another test. */
	CHECK(count_lines(said) <= 3);
	CHECK(strstr(said, "100 times by now"));
	t_join(&stranger);
	shca_engine_stop();
}

static struct rlimit limit_before;

/* As many more descriptors as given may be opened. */
static void leave_descriptors(int more)
{
	struct rlimit limit;
	int lowest;

	T_MUST(!getrlimit(RLIMIT_NOFILE, &limit_before));
	limit = limit_before;
	lowest = dup(STDERR_FILENO);
	T_MUST(lowest >= 0);
	close(lowest);
	/* Above them all are free: descriptors come in order here. */
	limit.rlim_cur = (rlim_t)(lowest + more);
	T_MUST(!setrlimit(RLIMIT_NOFILE, &limit));
}

static void allow_descriptors(void)
{
	T_MUST(!setrlimit(RLIMIT_NOFILE, &limit_before));
}

static uint64_t processor_time(void)
{
	struct timespec used;

	T_MUST(!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used));
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static void connect_and_pass_memory(int fd)
{
	struct shca_link_datagram datagram = { SHCA_DATAGRAM_LINK, 0, 0 };
	struct shca_hello hello;
	int socket, memory = shca_link_create_memory();

	CHECK_EQ(0, shca_engine_start());
	T_MUST(recv(fd, name_to_try, sizeof(name_to_try), 0) > 0);
	hello = own_hello();
	socket = raw_connect(name_to_try);
	T_MUST(!shca_socket_send_hello(socket, &hello));
	T_MUST(!shca_socket_send_link(socket, &datagram, memory));
	t_put(fd, 0);
	t_get(fd);
	t_put(fd, t_is_readable(socket));
	t_get(fd);
	close(socket);
	close(memory);
	shca_engine_stop();
}

static void accept_with_descriptors(int more, char *said, size_t size, uint64_t *time, bool *refused)
{
	const struct timespec while_it_waits = { .tv_nsec = 300000000 };
	struct t_process other = t_fork(connect_and_pass_memory);
	char name[SHCA_SOCKET_NAME];
	int captured, before;

	CHECK_EQ(0, shca_engine_start());
	shca_fabric_socket_name(shca_fabric_slot(), name, sizeof(name));
	captured = capture_stderr();
	before = open_descriptors();
	leave_descriptors(more);
	T_MUST(send(other.fd, name, sizeof(name), 0) == sizeof(name));
	CHECK_EQ(0, t_get(other.fd));
	*time = processor_time();
	nanosleep(&while_it_waits, NULL);
	*time = processor_time() - *time;
	allow_descriptors();
	if (!more)
		T_WAIT_UNTIL(open_descriptors() == before + 1);
	t_put(other.fd, 0);
	*refused = t_get(other.fd);
	end_capture(captured, said, size);
	t_put(other.fd, 0);
	t_join(&other);
	shca_engine_stop();
}

/* It waits for some: others that have connected before go on meanwhile. */
static void connections_wait_without_descriptors(void)
{
	char said[2000];
	uint64_t time;
	bool refused;

	accept_with_descriptors(0, said, sizeof(said), &time, &refused);
	CHECK(!refused);
	if (time > 100000000)
		T_FAIL("%" PRIu64 " ms of processor time in 300", time / 1000000);
	CHECK(strstr(said, "ulimit -n"));
	CHECK(count_lines(said) <= 2);
	accept_with_descriptors(1, said, sizeof(said), &time, &refused);
	CHECK(refused);
	CHECK(strstr(said, "may not open more descriptors (ulimit -n)"));
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(free_slots_have_no_link);
	T_RUN(the_memory_of_a_link_is_there);
	T_RUN(both_may_connect_at_once);
	T_RUN(invalid_hellos_are_refused);
	T_RUN(invalid_wakers_are_dropped);
	T_RUN(another_user_is_refused);
	T_RUN(foreign_users_do_not_flood_the_log);
	T_RUN(connections_wait_without_descriptors);
	t_fabric_close();
	return t_result();
}
