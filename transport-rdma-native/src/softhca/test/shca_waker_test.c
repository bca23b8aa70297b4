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

#include "t_engine.h"

#define ROUNDS		2000u
#define LATENCY_ROUNDS	20000u

/* ---- two processes, one of which answers each packet in a way that the test chooses ---- */

enum way {
	BY_HELPER,		/* neither polls: both are woken for every packet */
	ARMED,			/* polls for a while, arms, polls once more, sleeps */
	BY_WAKER,		/* the same, and the sender wakes the thread itself */
	POLLING,
};

static enum way way;

static void answer(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	(void)payload;
	atomic_fetch_add(&t_count, 1);
	T_MUST(t_try_send(link, NULL, packet->offset, packet->payload));
	t_announce();
}

/* Waits as an event loop waits for its completion queue. */
static bool wait_armed(uint32_t before)
{
	int spins = t_random_below(300);

	while (spins-- && atomic_load(&t_count) == before)
		t_poll_once();
	shca_engine_arm(T_SET, 0);
	if (atomic_load(&t_count) == before)
		t_poll_once();
	return t_await_arrival();
}

/* Waits as an event loop waits for its completion channel, with a waker. */
static bool wait_for_waker(uint32_t before)
{
	int spins = t_random_below(300);
	eventfd_t writes;

	while (spins-- && atomic_load(&t_count) == before)
		t_poll_once();
	for (;;) {
		shca_engine_arm(T_SET, t_waker);
		if (atomic_load(&t_count) != before)
			return t_await_arrival();
		if (!t_wait_readable(t_waker_fd)) {
			T_FAIL("the descriptor was not written");
			return false;
		}
		eventfd_read(t_waker_fd, &writes);
		t_poll_once();
	}
}

static bool wait_in_some_way(uint32_t before)
{
	switch (way) {
	case BY_HELPER:
		return t_await_arrival();
	case BY_WAKER:
		return wait_for_waker(before);
	case ARMED:
		return wait_armed(before);
	default:
		T_POLL_UNTIL(atomic_load(&t_count) != before);
		/* The semaphore is posted after the count, perhaps by the helper thread. */
		return t_await_arrival();
	}
}

static void start_in_some_way(void)
{
	t_engine_start();
	if (way != BY_WAKER)
		return;
	t_waker_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t_waker = shca_waker_add(T_SET, t_waker_fd);
	CHECK_EQ(1, t_waker);
}

static void stop_in_some_way(void)
{
	if (way == BY_WAKER) {
		shca_waker_remove(T_SET, t_waker);
		t_waker = 0;
	}
	t_engine_stop();
	if (t_waker_fd >= 0)
		close(t_waker_fd);
	t_waker_fd = -1;
}

static void answer_all(int fd)
{
	uint32_t rounds;
	uint32_t i;

	start_in_some_way();
	t_on_packet = answer;
	t_put(fd, shca_fabric_slot());
	rounds = (uint32_t)t_get(fd);
	for (i = 0; i < rounds && wait_in_some_way(i); i++)
		;
	CHECK_EQ(0, t_get(fd));
	stop_in_some_way();
}

/* Returns the mean time of half a round trip, in ns. */
static uint64_t go_and_return(enum way chosen, uint32_t rounds)
{
	struct t_process other;
	struct shca_link *link;
	uint64_t begun = 0;
	uint64_t ended;
	uint32_t slot;
	long sleeps;
	uint32_t i;

	way = chosen;
	other = t_fork(answer_all);
	slot = (uint32_t)t_get(other.fd);
	start_in_some_way();
	link = t_link_to(slot);
	T_MUST(link);
	t_put(other.fd, rounds);
	sleeps = t_helper_sleeps();
	for (i = 0; i < rounds; i++) {
		if (i == rounds / 10)
			begun = shca_now();
		t_send_one(link, i, 64);
		if (!wait_in_some_way(i))
			break;
	}
	ended = shca_now();
	CHECK_EQ(rounds, atomic_load(&t_count));
	sleeps = t_helper_sleeps() - sleeps;
	/* It wakes for a few packets before the peer has passed its waker, and some times a second to look after us. */
	if (way == BY_WAKER && sleeps > rounds / 4)
		T_FAIL("the helper thread woke %ld times", sleeps);
	t_put(other.fd, 0);
	t_join(&other);
	stop_in_some_way();
	return (ended - begun) / (rounds - rounds / 10) / 2;
}

static void sleeping_processes_are_woken(void)
{
	go_and_return(BY_HELPER, ROUNDS);
}

static void armed_processes_are_woken(void)
{
	go_and_return(ARMED, 10 * ROUNDS);
}

static void waker_wakes_its_thread(void)
{
	go_and_return(BY_WAKER, 10 * ROUNDS);
}

static void a_process_has_a_limited_number_of_wakers(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	uint32_t i;

	t_engine_start();
	for (i = 1; i <= SHCA_WAKERS; i++)
		CHECK_EQ(i, shca_waker_add(T_SET, fd));
	CHECK_EQ(0, shca_waker_add(T_SET, fd));
	shca_waker_remove(T_SET, 3);
	CHECK_EQ(3, shca_waker_add(T_SET, fd));
	for (i = 1; i <= SHCA_WAKERS; i++)
		shca_waker_remove(T_SET, i);
	t_engine_stop();
	close(fd);
}

/* The peer still has the descriptor of a waker that is gone: it wakes the helper thread instead. */
static void send_two(int fd)
{
	struct shca_link *link;

	t_engine_start();
	t_waker = 1;
	link = t_link_to((uint32_t)t_get(fd));
	T_MUST(link);
	t_put(fd, 0);
	for (uint32_t i = 0; i < 2; i++) {
		t_get(fd);
		if (i == 0)
			T_WAIT_UNTIL(t_has_waker(link, 1));
		t_send_one(link, i, 8);
	}
	t_get(fd);
	t_engine_stop();
}

static void reused_number_is_another_waker(void)
{
	struct t_process other = t_fork(send_two);
	int fds[2];

	t_engine_start();
	t_put(other.fd, shca_fabric_slot());
	t_get(other.fd);
	for (uint32_t i = 0; i < 2; i++) {
		fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		CHECK_EQ(1, shca_waker_add(T_SET, fds[i]));
		/* The link must be up here, too; it is accepted on the helper thread. */
		T_WAIT_UNTIL(shca_links_used(T_SET) == 1 && atomic_load(&T_SET->links[0].state) == SHCA_LINK_UP);
		if (i == 0)
			shca_engine_arm(T_SET, 1);
		else
			atomic_fetch_or(shca_fabric_doorbell(shca_fabric_slot(), 0), 1u << 1);
		t_put(other.fd, 0);
		if (i == 0) {
			CHECK(t_wait_readable(fds[0]));
			shca_engine_progress(T_SET);
			shca_waker_remove(T_SET, 1);
		}
		T_WAIT_UNTIL(atomic_load(&t_count) == i + 1);
	}
	CHECK(!t_is_readable(fds[1]));
	shca_waker_remove(T_SET, 1);
	t_put(other.fd, 0);
	t_join(&other);
	t_engine_stop();
	close(fds[0]);
	close(fds[1]);
}

static bool sender_polls;

static void send_until_handled(int fd)
{
	struct shca_link *link;

	t_engine_start();
	t_waker = 1;
	link = t_link_to((uint32_t)t_get(fd));
	T_MUST(link);
	t_put(fd, 0);
	t_get(fd);
	T_WAIT_UNTIL(t_has_waker(link, 1));
	t_send_one(link, 0, 8);
	if (sender_polls)
		T_POLL_UNTIL(shca_link_is_drained(link));
	else
		T_WAIT_UNTIL(shca_link_is_drained(link));
	t_get(fd);
	t_engine_stop();
}

/* The thread has armed, and does something else than wait. An adapter would answer nevertheless. */
static void wake_and_stay_away(bool polled)
{
	struct t_process other;
	_Atomic uint32_t *doorbell;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	sender_polls = polled;
	other = t_fork(send_until_handled);
	t_engine_start();
	t_put(other.fd, shca_fabric_slot());
	t_get(other.fd);
	CHECK_EQ(1, shca_waker_add(T_SET, fd));
	T_WAIT_UNTIL(shca_links_used(T_SET) == 1 && atomic_load(&T_SET->links[0].state) == SHCA_LINK_UP);
	shca_engine_arm(T_SET, 1);
	doorbell = shca_fabric_doorbell(shca_fabric_slot(), 0);
	/* Before, the helper thread looks for itself. */
	T_WAIT_UNTIL(atomic_load(doorbell) & SHCA_RING_STAND_IN);
	t_put(other.fd, 0);
	CHECK(t_wait_readable(fd));
	T_WAIT_UNTIL(atomic_load(&t_count) == 1);
	t_put(other.fd, 0);
	t_join(&other);
	shca_waker_remove(T_SET, 1);
	t_engine_stop();
	close(fd);
}

static void helper_replaces_absent_thread_for_polling_sender(void)
{
	wake_and_stay_away(true);
}

static void helper_replaces_absent_thread_for_sleeping_sender(void)
{
	wake_and_stay_away(false);
}

/* No check depends on these measurements. */
/* ---- the descriptor is replaced while it is written ---- */

#define REPLACEMENTS	200u

static void send_until_asked_to_stop(int fd)
{
	struct shca_link *link;
	uint32_t number = 0;

	t_engine_start();
	t_waker = 1;
	link = t_link_to((uint32_t)t_get(fd));
	T_MUST(link);
	t_put(fd, 0);
	while (!t_is_readable(fd))
		t_send_one(link, number++, 8);
	t_get(fd);
	t_engine_stop();
}

/* A write to a descriptor that is closed meanwhile would go to the next one of that number. */
static void a_waker_is_replaced_while_it_is_written(void)
{
	struct t_process other = t_fork(send_until_asked_to_stop);

	t_engine_start();
	t_put(other.fd, shca_fabric_slot());
	t_get(other.fd);
	T_WAIT_UNTIL(shca_links_used(T_SET) == 1 && atomic_load(&T_SET->links[0].state) == SHCA_LINK_UP);
	for (uint32_t i = 0; i < REPLACEMENTS; i++) {
		int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

		CHECK_EQ(1, shca_waker_add(T_SET, fd));
		/* Until the descriptor is known the helper thread is woken, and clears the bit. */
		T_WAIT_UNTIL((shca_engine_arm(T_SET, 1), t_is_readable(fd)));
		shca_waker_remove(T_SET, 1);
		close(fd);
	}
	CHECK(atomic_load(&t_count) >= REPLACEMENTS);
	t_put(other.fd, 0);
	t_join(&other);
	t_engine_stop();
}

static void print_figures(void)
{
	printf("64 bytes one way, both polling: %llu ns\n",
	       (unsigned long long)go_and_return(POLLING, LATENCY_ROUNDS));
	printf("64 bytes one way, both woken: %llu ns\n", (unsigned long long)go_and_return(BY_HELPER, ROUNDS));
	printf("64 bytes one way, both woken by the sender: %llu ns\n",
	       (unsigned long long)go_and_return(BY_WAKER, ROUNDS));
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(sleeping_processes_are_woken);
	T_RUN(armed_processes_are_woken);
	T_RUN(waker_wakes_its_thread);
	T_RUN(a_process_has_a_limited_number_of_wakers);
	T_RUN(reused_number_is_another_waker);
	T_RUN(a_waker_is_replaced_while_it_is_written);
	T_RUN(helper_replaces_absent_thread_for_polling_sender);
	T_RUN(helper_replaces_absent_thread_for_sleeping_sender);
	T_RUN(print_figures);
	t_fabric_close();
	return t_result();
}
