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


#include <sys/mman.h>
#include <sys/un.h>

#include "t_wire.h"

#define PACKETS	20000u

/* ---- the other process: starts, says its slot, and sends back whatever comes until it is told to end ---- */

static void send_back(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	struct shca_packet *answer = shca_link_begin(link, NULL, packet->payload);

	if (!answer) {
		T_FAIL("no room for answer %u", packet->offset);
		return;
	}
	answer->type = SHCA_SEND;
	answer->source = packet->destination;
	answer->destination = packet->source;
	answer->offset = packet->offset;
	memcpy(shca_link_payload(link, answer), payload, packet->payload);
	shca_link_end(link, answer);
}

static void echo(int fd)
{
	t_on_packet = send_back;
	CHECK_EQ(0, shca_engine_start());
	t_tell(fd, shca_fabric_slot());
	while (!t_is_readable(fd)) {
		shca_engine_note_poll();
		shca_engine_progress();
	}
	shca_engine_stop();
}

/* ---- this one ---- */

static _Atomic uint32_t received;

static void check_next(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	(void)link;
	t_check_packet(packet, payload, received, t_size_of(received));
	received++;
}

/* At most window packets are on their way. */
static void send_and_receive(struct shca_link *link, uint32_t count, uint32_t window)
{
	uint32_t sent = 0;

	received = 0;
	t_on_packet = check_next;
	while (sent < count && !t_failures) {
		T_POLL_UNTIL(sent - received < window);
		if (t_try_send(link, NULL, sent, t_size_of(sent))) {
			sent++;
			shca_link_ring_doorbell(link);
		}
	}
	T_POLL_UNTIL(received == sent);
}

static void packets_go_to_another_process_and_back(void)
{
	struct t_process other = t_fork(echo);
	uint32_t slot = (uint32_t)t_hear(other.fd);
	struct shca_link *link;

	CHECK_EQ(0, shca_engine_start());
	link = shca_link_to(slot);
	T_MUST(link);
	CHECK(shca_link_to(slot) == link);
	CHECK_EQ(slot, link->peer);
	send_and_receive(link, PACKETS, 40);
	T_POLL_UNTIL(shca_link_is_drained(link));
	t_tell(other.fd, 0);
	t_join(&other);
	shca_engine_stop();
}

static void packets_go_to_ourselves(void)
{
	struct shca_link *link;

	CHECK_EQ(0, shca_engine_start());
	link = shca_link_to(shca_fabric_slot());
	T_MUST(link);
	send_and_receive(link, PACKETS, 40);
	T_POLL_UNTIL(shca_link_is_drained(link));
	CHECK_EQ(0, shca_engine_start());
	shca_engine_stop();
	CHECK(shca_link_to(shca_fabric_slot()) == link);
	shca_engine_stop();
	CHECK_EQ(0, shca_fabric_slot());
}

static void nobody_answers_for_other_slots(void)
{
	uint32_t i;

	CHECK_EQ(0, shca_engine_start());
	for (i = 0; i < 300; i++)
		if (i != shca_fabric_slot())
			CHECK(!shca_link_to(i));
	shca_engine_stop();
}

/* Both dial before either accepts; requests stay in order whichever links they take. */
static _Atomic uint32_t met;

static void count_met(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	(void)link;
	t_check_packet(packet, payload, met, 8);
	met++;
}

static void meet(int fd, uint32_t slot_of_other)
{
	struct shca_link *link;
	uint32_t i;

	link = shca_link_to(slot_of_other);
	T_MUST(link);
	for (i = 0; i < 1000; i++) {
		T_MUST(shca_link_to(slot_of_other) == link);
		T_POLL_UNTIL(t_try_send(link, NULL, i, 8));
	}
	shca_link_ring_doorbell(link);
	T_POLL_UNTIL(met == 1000);
	T_POLL_UNTIL(shca_link_is_drained(link));
	t_tell(fd, 0);
	t_hear(fd);
}

static void meet_in_child(int fd)
{
	met = 0;
	t_on_packet = count_met;
	CHECK_EQ(0, shca_engine_start());
	t_tell(fd, shca_fabric_slot());
	meet(fd, (uint32_t)t_hear(fd));
	shca_engine_stop();
}

static void both_may_dial_at_once(void)
{
	int round;

	for (round = 0; round < 20; round++) {
		struct t_process other = t_fork(meet_in_child);
		uint32_t slot = (uint32_t)t_hear(other.fd);

		met = 0;
		t_on_packet = count_met;
		CHECK_EQ(0, shca_engine_start());
		t_tell(other.fd, shca_fabric_slot());
		meet(other.fd, slot);
		t_join(&other);
		shca_engine_stop();
	}
}

/* ---- what is full ---- */

static void wait_for_state(pid_t pid, char expected)
{
	char path[64];
	char text[512];
	char state = 0;
	uint64_t limit = shca_now() + T_PATIENCE_MS * 1000000ull;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (state != expected && shca_now() < limit) {
		int fd = open(path, O_RDONLY);
		ssize_t size = read(fd, text, sizeof(text) - 1);

		close(fd);
		text[size < 0 ? 0 : size] = 0;
		state = strrchr(text, ')') ? strrchr(text, ')')[2] : 0;
	}
	CHECK_EQ(expected, state);
}

static void full_ring_blocks_until_there_is_room(void)
{
	struct t_process other = t_fork(echo);
	uint32_t slot = (uint32_t)t_hear(other.fd);
	static struct shca_qp qps[3];
	struct shca_link *link;
	uint32_t sent = 0;

	CHECK_EQ(0, shca_engine_start());
	received = 0;
	t_on_packet = check_next;
	link = shca_link_to(slot);
	T_MUST(link);
	atomic_store(&t_unblocked, 0);
	T_MUST(!kill(other.pid, SIGSTOP));
	wait_for_state(other.pid, 'T');
	while (t_try_send(link, &qps[0], sent, t_size_of(sent)))
		sent++;
	CHECK(!t_try_send(link, &qps[0], sent, T_LARGEST));
	CHECK(!t_try_send(link, &qps[1], sent, T_LARGEST));
	CHECK(!t_try_send(link, &qps[2], sent, T_LARGEST));
	shca_link_ring_doorbell(link);
	shca_engine_progress();
	CHECK_EQ(0, atomic_load(&t_unblocked));
	CHECK(!shca_link_is_drained(link));
	/* One goes away while it is blocked. */
	shca_links_forget(&qps[1]);
	CHECK(!qps[1].is_blocked);
	T_MUST(!kill(other.pid, SIGCONT));
	T_WAIT_UNTIL(atomic_load(&t_unblocked) == 2);
	CHECK(!qps[0].is_blocked && !qps[2].is_blocked && !link->has_blocked);
	T_POLL_UNTIL(received == sent);
	CHECK_EQ(2, atomic_load(&t_unblocked));
	t_tell(other.fd, 0);
	t_join(&other);
	shca_engine_stop();
}

/* ---- messages ---- */

static _Atomic uint32_t messages;

static void check_message(struct shca_link *link, const void *message, size_t size)
{
	uint32_t number;

	(void)link;
	memcpy(&number, message, sizeof(number));
	CHECK_EQ(4 + messages % 1000, size);
	CHECK_EQ(messages, number);
	messages++;
}

static void count_messages(int fd)
{
	t_on_message = check_message;
	CHECK_EQ(0, shca_engine_start());
	t_tell(fd, shca_fabric_slot());
	CHECK_EQ(0, t_hear(fd));
	shca_engine_stop();
	t_tell(fd, messages);
}

static int send_message(struct shca_link *link, uint32_t number)
{
	uint8_t message[SHCA_LINK_MESSAGE] = { 0 };

	memcpy(message, &number, sizeof(number));
	return shca_link_send_message(link, message, 4 + number % 1000);
}

/* More than the socket has room for, to a process that sleeps; none is lost, and the limit is told. */
static void messages_wait_and_keep_their_order(void)
{
	struct t_process other = t_fork(count_messages);
	uint32_t slot = (uint32_t)t_hear(other.fd);
	struct shca_link *link;
	uint32_t sent = 0;
	int result;

	CHECK_EQ(0, shca_engine_start());
	link = shca_link_to(slot);
	T_MUST(link);
	T_MUST(!kill(other.pid, SIGSTOP));
	wait_for_state(other.pid, 'T');
	while (!(result = send_message(link, sent)))
		sent++;
	CHECK_EQ(-ENOBUFS, result);
	CHECK(sent >= SHCA_LINK_QUEUE);
	CHECK_EQ(-EMSGSIZE, shca_link_send_message(link, &result, SHCA_LINK_MESSAGE + 1));
	T_MUST(!kill(other.pid, SIGCONT));
	T_WAIT_UNTIL(!link->has_messages);
	t_tell(other.fd, 0);
	CHECK_EQ(sent, t_hear(other.fd));
	t_join(&other);
	shca_engine_stop();
}

/* ---- the end of a process ---- */

static void end_of_peer_is_told(void)
{
	struct t_process other = t_fork(echo);
	uint32_t slot = (uint32_t)t_hear(other.fd);
	static struct shca_qp qp;
	struct shca_link *link;
	uint32_t life;
	uint32_t i;

	CHECK_EQ(0, shca_engine_start());
	t_on_packet = NULL;
	atomic_store(&t_died, 0);
	atomic_store(&t_unblocked, 0);
	link = shca_link_to(slot);
	T_MUST(link);
	life = link->life;
	T_MUST(!kill(other.pid, SIGSTOP));
	wait_for_state(other.pid, 'T');
	while (t_try_send(link, &qp, 0, SHCA_SEGMENT))
		;
	t_kill(&other);
	T_WAIT_UNTIL(link->state == SHCA_LINK_FREE);
	CHECK_EQ(life + 1, link->life);
	CHECK_EQ(1, atomic_load(&t_died));
	CHECK_EQ(1, atomic_load(&t_unblocked));
	CHECK(!shca_link_to(slot));
	/* A cable that was pulled takes everything, and nothing comes of it. */
	for (i = 0; i < 3 * SHCA_RING_SLOTS; i++)
		CHECK(t_try_send(link, &qp, i, t_size_of(i)));
	CHECK(shca_link_is_drained(link));
	CHECK(!shca_link_has_packet(link));
	CHECK_EQ(-EPIPE, shca_link_send_message(link, &life, sizeof(life)));
	CHECK_EQ(0, shca_link_drain(link, 64));
	for (i = 0; i < 100000; i++)
		CHECK(!shca_link_to(slot));
	shca_engine_stop();
}

static void send_and_end(int fd)
{
	uint32_t slot;
	struct shca_link *link;
	uint32_t i;

	CHECK_EQ(0, shca_engine_start());
	slot = (uint32_t)t_hear(fd);
	link = shca_link_to(slot);
	T_MUST(link);
	for (i = 0; i < 1000; i++)
		T_MUST(t_try_send(link, NULL, i, 8));
	shca_link_ring_doorbell(link);
	if (t_hear(fd))
		raise(SIGKILL);
	shca_engine_stop();
}

static void what_was_sent_before_the_end_counts(void)
{
	int killed;

	for (killed = 0; killed < 2; killed++) {
		struct t_process other = t_fork(send_and_end);

		CHECK_EQ(0, shca_engine_start());
		met = 0;
		t_on_packet = count_met;
		atomic_store(&t_died, 0);
		t_tell(other.fd, shca_fabric_slot());
		t_tell(other.fd, killed);
		T_WAIT_UNTIL(atomic_load(&t_died) == 1);
		CHECK_EQ(1000, met);
		if (killed) {
			T_MUST(waitpid(other.pid, NULL, 0) == other.pid);
			close(other.fd);
		} else {
			t_join(&other);
		}
		shca_engine_stop();
	}
}

/* One echo stays while others are killed at any moment, by random, while they send. */
static void shout(int fd)
{
	uint32_t slot;
	uint32_t i = 0;

	CHECK_EQ(0, shca_engine_start());
	slot = (uint32_t)t_hear(fd);
	for (;;) {
		struct shca_link *link = shca_link_to(slot);

		if (link && t_try_send(link, NULL, i, t_size_of(i))) {
			i++;
			shca_link_ring_doorbell(link);
		}
		shca_engine_progress();
	}
}

static void survive(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	static uint32_t next[SHCA_FABRIC_SLOTS];
	static uint32_t sender[SHCA_FABRIC_SLOTS];
	uint32_t slot = link->peer;
	uint32_t pid = shca_fabric_pid(slot);

	if (packet->offset == 0 && sender[slot] != pid) {
		sender[slot] = pid;
		next[slot] = 0;
	}
	t_check_packet(packet, payload, next[slot], t_size_of(next[slot]));
	next[slot]++;
}

static void survivor(int fd)
{
	t_on_packet = survive;
	CHECK_EQ(0, shca_engine_start());
	t_tell(fd, shca_fabric_slot());
	while (!t_is_readable(fd) && !t_failures) {
		shca_engine_note_poll();
		shca_engine_progress();
	}
	shca_engine_stop();
}

static void killed_senders_harm_nobody(void)
{
	struct t_process stays = t_fork(survivor);
	uint32_t slot = (uint32_t)t_hear(stays.fd);
	int round;

	for (round = 0; round < 40; round++) {
		struct t_process first = t_fork(shout);
		struct t_process second = t_fork(shout);

		t_tell(first.fd, slot);
		t_tell(second.fd, slot);
		usleep((useconds_t)t_random_below(20000));
		t_kill(&first);
		usleep((useconds_t)t_random_below(2000));
		t_kill(&second);
		CHECK_EQ(0, waitpid(stays.pid, NULL, WNOHANG));
	}
	t_tell(stays.fd, 0);
	t_join(&stays);
	CHECK_EQ(0, t_entries());
}

static void broken_ring_takes_the_link_down(void)
{
	struct t_process other = t_fork(echo);
	uint32_t slot = (uint32_t)t_hear(other.fd);
	struct shca_link *link;

	CHECK_EQ(0, shca_engine_start());
	atomic_store(&t_died, 0);
	link = shca_link_to(slot);
	T_MUST(link);
	send_and_receive(link, 10, 1);
	pthread_mutex_lock(&link->tx_lock);
	link->tx.slots[link->tx.next % SHCA_RING_SLOTS].type = SHCA_PACKET_TYPES;
	link->tx.slots[link->tx.next % SHCA_RING_SLOTS].turn = 1;
	pthread_mutex_unlock(&link->tx_lock);
	T_WAIT_UNTIL(atomic_load(&t_died) == 1);
	/* Both are alive and may try anew. */
	T_POLL_UNTIL(shca_link_to(slot));
	send_and_receive(shca_link_to(slot), 10, 1);
	t_tell(other.fd, 0);
	t_join(&other);
	shca_engine_stop();
}

/* ---- who may not ---- */

static int raw_dial(const char *name)
{
	int fd = shca_socket_dial(name);

	T_MUST(fd >= 0);
	return fd;
}

static void expect_hangup(const char *what, int fd)
{
	char byte;

	if (!t_wait_readable(fd) || recv(fd, &byte, 1, 0) > 0)
		T_FAIL("%s is not refused", what);
	close(fd);
}

static void say_hello(const char *what, struct shca_hello hello, int memory)
{
	char name[SHCA_SOCKET_NAME];
	int fd;

	shca_fabric_socket_name(shca_fabric_slot(), name, sizeof(name));
	fd = raw_dial(name);
	if (memory >= 0)
		T_MUST(!shca_socket_send_hello(fd, &hello, memory));
	else
		T_MUST(send(fd, &hello, sizeof(hello), 0) == sizeof(hello));
	expect_hangup(what, fd);
}

static void false_greetings_are_refused(void)
{
	struct t_process other = t_fork(echo);
	uint32_t slot = (uint32_t)t_hear(other.fd);
	char name[SHCA_SOCKET_NAME];
	struct shca_hello hello;
	struct shca_hello wrong;
	int memory;
	int small;
	int fd;

	CHECK_EQ(0, shca_engine_start());
	atomic_store(&t_died, 0);
	memory = shca_link_create_memory();
	small = memfd_create("small", 0);
	T_MUST(memory >= 0 && small >= 0);
	hello = (struct shca_hello) { SHCA_DATAGRAM_HELLO, shca_fabric_slot(), shca_fabric_nonce(shca_fabric_slot()),
				      SHCA_FABRIC_VERSION };
	wrong = hello;
	wrong.version++;
	say_hello("another version", wrong, memory);
	wrong = hello;
	wrong.nonce++;
	say_hello("a wrong nonce", wrong, memory);
	wrong = hello;
	wrong.slot = SHCA_FABRIC_SLOTS + 1;
	say_hello("a slot that there is not", wrong, memory);
	wrong = hello;
	wrong.slot = slot;
	wrong.nonce = shca_fabric_nonce(slot);
	say_hello("another one's slot", wrong, memory);
	wrong = hello;
	wrong.datagram = SHCA_DATAGRAM_KICK;
	say_hello("no hello", wrong, memory);
	say_hello("no memory", hello, -1);
	say_hello("little memory", hello, small);
	T_MUST(!ftruncate(small, (off_t)(2 * shca_ring_bytes())));
	say_hello("memory that may shrink", hello, small);
	close(memory);
	close(small);
	/* One that says nothing takes nothing but a place. */
	shca_fabric_socket_name(shca_fabric_slot(), name, sizeof(name));
	fd = raw_dial(name);
	send_and_receive(shca_link_to(slot), 100, 10);
	close(fd);
	CHECK_EQ(0, atomic_load(&t_died));
	t_tell(other.fd, 0);
	t_join(&other);
	shca_engine_stop();
}

static char name_to_try[SHCA_SOCKET_NAME];

static void try_as_another_user(int fd)
{
	char text[] = SHCA_CONTROL_PREFIX "port-down";
	int socket;

	t_hear(fd);
	T_MUST(!setgid(65534) && !setuid(65534));
	T_MUST(recv(fd, name_to_try, sizeof(name_to_try), 0) > 0);
	socket = raw_dial(name_to_try);
	/* It may have been closed already. */
	send(socket, text, strlen(text), MSG_NOSIGNAL);
	expect_hangup("another user", socket);
	CHECK_EQ(-ESRCH, softhca_control(getppid(), "port-down"));
	t_tell(fd, 0);
}

static void listen_as_another_user(int fd)
{
	int socket;

	T_MUST(!setgid(65534) && !setuid(65534));
	T_MUST(recv(fd, name_to_try, sizeof(name_to_try), 0) > 0);
	socket = shca_socket_listen(name_to_try);
	T_MUST(socket >= 0);
	t_tell(fd, 0);
	t_hear(fd);
	close(socket);
}

static void another_user_is_refused(void)
{
	struct t_process dialler;
	struct t_process listener;
	struct shca_fabric_file *file;
	char name[SHCA_SOCKET_NAME];
	uint32_t slot;

	if (geteuid()) {
		printf("another_user_is_refused: skipped: only root can become another user\n");
		return;
	}
	dialler = t_fork(try_as_another_user);
	listener = t_fork(listen_as_another_user);
	CHECK_EQ(0, shca_engine_start());
	atomic_store(&t_port_up, 0);
	shca_fabric_socket_name(shca_fabric_slot(), name, sizeof(name));
	t_tell(dialler.fd, 0);
	T_MUST(send(dialler.fd, name, sizeof(name), 0) == sizeof(name));
	CHECK_EQ(0, t_hear(dialler.fd));
	CHECK_EQ(0, atomic_load(&t_port_up));
	t_join(&dialler);

	/* A slot for which a process of another user answers. */
	slot = shca_fabric_slot() + 1;
	file = shca_fabric_lock();
	atomic_store(&file->slots[slot].pid, (uint32_t)listener.pid);
	atomic_store(&file->slots[slot].nonce, 4711);
	shca_fabric_unlock();
	shca_fabric_socket_name(slot, name, sizeof(name));
	T_MUST(send(listener.fd, name, sizeof(name), 0) == sizeof(name));
	CHECK_EQ(0, t_hear(listener.fd));
	CHECK(!shca_link_to(slot));
	CHECK(!shca_link_to(slot));
	t_tell(listener.fd, 0);
	t_join(&listener);
	shca_engine_stop();
}

/* ---- control ---- */

static void be_controlled(int fd)
{
	CHECK_EQ(0, shca_engine_start());
	t_tell(fd, shca_fabric_slot());
	CHECK_EQ(1, t_hear(fd));
	CHECK_EQ(-1, atomic_load(&t_port_up));
	CHECK(!shca_faults_are_active());
	t_tell(fd, 0);
	CHECK_EQ(2, t_hear(fd));
	CHECK_EQ(1, atomic_load(&t_port_up));
	CHECK_EQ(1, atomic_load(&t_removed));
	CHECK(shca_faults_are_active());
	shca_engine_stop();
}

static void commands_are_carried_out_there(void)
{
	struct t_process other = t_fork(be_controlled);
	char large[SHCA_CONTROL_SIZE + 100];

	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = 0;
	t_hear(other.fd);
	/* From outside of the fabric, then from inside. */
	CHECK_EQ(0, softhca_control(other.pid, "port-down"));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "port-sideways"));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, "faults nonsense"));
	CHECK_EQ(-EINVAL, softhca_control(other.pid, NULL));
	CHECK_EQ(-EMSGSIZE, softhca_control(other.pid, large));
	CHECK_EQ(-ESRCH, softhca_control(getpid(), "port-down"));
	CHECK_EQ(-ESRCH, softhca_control(0, "port-down"));
	CHECK_EQ(-ESRCH, softhca_control(1, "port-down"));
	t_tell(other.fd, 1);
	t_hear(other.fd);
	CHECK_EQ(0, shca_engine_start());
	CHECK_EQ(0, softhca_control(other.pid, "port-up"));
	CHECK_EQ(0, softhca_control(other.pid, "remove-device"));
	CHECK_EQ(0, softhca_control(other.pid, "faults drop=0.5"));
	atomic_store(&t_port_up, 0);
	CHECK_EQ(0, softhca_control(0, "port-down"));
	CHECK_EQ(-1, atomic_load(&t_port_up));
	CHECK_EQ(0, softhca_control(getpid(), "port-up"));
	CHECK_EQ(1, atomic_load(&t_port_up));
	t_tell(other.fd, 2);
	t_join(&other);
	CHECK_EQ(-ESRCH, softhca_control(other.pid, "port-up"));
	shca_engine_stop();
}

/* ---- faults; in processes of their own, since they are for ever ---- */

static _Atomic uint32_t seen;
static _Atomic uint64_t earliest;

static void see(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	(void)link;
	(void)payload;
	CHECK_EQ(seen, packet->offset);
	CHECK(!earliest || shca_now() >= earliest);
	seen++;
}

static void drop_all(int fd)
{
	struct shca_link *link;
	uint32_t i;

	(void)fd;
	t_on_packet = see;
	CHECK_EQ(0, shca_engine_start());
	link = shca_link_to(shca_fabric_slot());
	T_MUST(link);
	CHECK_EQ(0, shca_fault_set("drop=1"));
	for (i = 0; i < 3 * SHCA_RING_SLOTS; i++)
		CHECK(t_try_send(link, NULL, i, 8));
	CHECK(!shca_link_has_packet(link));
	CHECK(shca_link_is_drained(link));
	CHECK_EQ(0, seen);
	shca_engine_stop();
}

/* Nobody polls, so the helper thread has to wake by itself, and not before. */
static void delay_all(int fd)
{
	struct shca_link *link;
	uint32_t i;

	(void)fd;
	t_on_packet = see;
	CHECK_EQ(0, shca_engine_start());
	link = shca_link_to(shca_fabric_slot());
	T_MUST(link);
	CHECK_EQ(0, shca_fault_set("delay=1:20ms"));
	earliest = shca_now() + 20000000;
	for (i = 0; i < 100; i++)
		CHECK(t_try_send(link, NULL, i, 8));
	shca_link_ring_doorbell(link);
	shca_engine_arm();
	T_WAIT_UNTIL(shca_link_is_drained(link));
	CHECK_EQ(100, seen);
	shca_engine_stop();
}

static void lose_peer(int fd)
{
	struct shca_link *link;

	(void)fd;
	t_on_packet = see;
	CHECK_EQ(0, shca_engine_start());
	link = shca_link_to(shca_fabric_slot());
	T_MUST(link);
	CHECK(t_try_send(link, NULL, 0, 8));
	CHECK_EQ(0, shca_fault_set("lose@1"));
	CHECK(t_try_send(link, NULL, 1, 8));
	CHECK(t_try_send(link, NULL, 2, 8));
	CHECK_EQ(0, shca_fault_set("off"));
	CHECK(t_try_send(link, NULL, 3, 8));
	T_POLL_UNTIL(shca_link_is_drained(link));
	shca_engine_progress();
	CHECK_EQ(1, seen);
	shca_engine_stop();
}

static void faults_are_applied(void)
{
	void (*const kinds[])(int) = { drop_all, delay_all, lose_peer };
	int i;

	for (i = 0; i < 3; i++) {
		struct t_process process = t_fork(kinds[i]);

		t_join(&process);
	}
}

/* ---- fork ---- */

static struct shca_link *before_fork;

static void use_nothing_of_the_parent(int fd)
{
	uint32_t slot = (uint32_t)t_hear(fd);
	uint32_t i;

	CHECK_EQ(-ENODEV, shca_engine_start());
	CHECK_EQ(0, shca_fabric_slot());
	CHECK(!shca_link_to(slot));
	for (i = 0; i < 3 * SHCA_RING_SLOTS; i++)
		CHECK(t_try_send(before_fork, NULL, 1000000 + i, t_size_of(i)));
	shca_link_ring_doorbell(before_fork);
	CHECK(shca_link_is_drained(before_fork));
	CHECK_EQ(-EPIPE, shca_link_send_message(before_fork, &i, sizeof(i)));
	shca_engine_note_poll();
	shca_engine_progress();
	shca_engine_arm();
	shca_engine_wake();
	shca_engine_stop();
	t_tell(fd, 0);
	t_hear(fd);
	/* Without what a sanitizer does at the end: it would look for the threads of the parent. */
	_exit(t_result());
}

static void parent_that_forks(int fd)
{
	struct t_process other = t_fork(echo);
	uint32_t slot = (uint32_t)t_hear(other.fd);
	struct t_process child;

	CHECK_EQ(0, shca_engine_start());
	before_fork = shca_link_to(slot);
	T_MUST(before_fork);
	send_and_receive(before_fork, 100, 10);
	child = t_fork(use_nothing_of_the_parent);
	t_tell(child.fd, slot);
	CHECK_EQ(0, t_hear(child.fd));
	send_and_receive(before_fork, 100, 10);
	/* Ours goes, and the echo's; the child stays, and must hold nothing. */
	t_tell(other.fd, 0);
	t_join(&other);
	T_WAIT_UNTIL(!shca_fabric_slot_is_alive(slot));
	shca_engine_stop();
	CHECK_EQ(0, t_entries());
	t_tell(fd, 0);
	t_tell(child.fd, 0);
	t_join(&child);
}

static void child_has_nothing_of_its_parent(void)
{
	struct t_process parent = t_fork(parent_that_forks);

	CHECK_EQ(0, t_hear(parent.fd));
	t_join(&parent);
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(packets_go_to_ourselves);
	T_RUN(nobody_answers_for_other_slots);
	T_RUN(packets_go_to_another_process_and_back);
	T_RUN(both_may_dial_at_once);
	T_RUN(full_ring_blocks_until_there_is_room);
	T_RUN(messages_wait_and_keep_their_order);
	T_RUN(end_of_peer_is_told);
	T_RUN(what_was_sent_before_the_end_counts);
	T_RUN(killed_senders_harm_nobody);
	T_RUN(broken_ring_takes_the_link_down);
	T_RUN(false_greetings_are_refused);
	T_RUN(another_user_is_refused);
	T_RUN(commands_are_carried_out_there);
	T_RUN(faults_are_applied);
	T_RUN(child_has_nothing_of_its_parent);
	t_fabric_close();
	return t_result();
}
