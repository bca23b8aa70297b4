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

#include "base/shca_clock.h"
#include "wire/shca_wakeup.h"
#include "wire/shca_watch.h"
#include "wire/shca_wire_user.h"
#include "t_engine.h"

#define ROUNDS		2000u
#define BANDWIDTH_BYTES	(512ull << 20)

/* Waits until the helper thread has not woken for 300 ms, longer than any timeout of its own. */
static void expect_rest(void)
{
	uint64_t limit = shca_now() + T_PATIENCE_MS * 1000000ull;
	long before;

	do {
		before = t_helper_sleeps();
		usleep(300000);
	} while (t_helper_sleeps() != before && shca_now() < limit);
	if (t_helper_sleeps() != before)
		T_FAIL("the helper thread goes on waking");
}

static void idle_process_never_wakes(void)
{
	t_engine_start();
	expect_rest();
	/* Polls keep it awake; after the last one it sleeps. */
	shca_links_note_poll(T_SET);
	shca_wakeup_now();
	expect_rest();
	t_engine_stop();
}

static uint64_t nothing_outstanding(struct shca_wire_user *user, uint64_t now)
{
	(void)user;
	(void)now;
	atomic_fetch_add(&t_count, 1);
	return 0;
}

static void idle_queue_pair_is_not_ticked(void)
{
	static struct shca_wire_user users[3];
	uint32_t ticks;
	int i;

	t_engine_start();
	t_on_tick = nothing_outstanding;
	for (i = 0; i < 3; i++)
		shca_watch_add(&users[i]);
	shca_watch_add(&users[0]);
	T_WAIT_UNTIL(!users[0].is_watched && !users[1].is_watched && !users[2].is_watched);
	expect_rest();
	ticks = atomic_load(&t_count);
	CHECK(ticks >= 6);
	/* Another post starts the ticks again, and removal ends them. */
	shca_watch_add(&users[1]);
	T_WAIT_UNTIL(atomic_load(&t_count) != ticks);
	shca_watch_remove(&users[1]);
	CHECK(!users[1].is_watched);
	ticks = atomic_load(&t_count);
	expect_rest();
	CHECK_EQ(ticks, atomic_load(&t_count));
	t_engine_stop();
}

static _Atomic uint64_t wanted;

static uint64_t wait_for_wanted(struct shca_wire_user *user, uint64_t now)
{
	(void)user;
	if (now < wanted)
		return wanted;
	atomic_fetch_add(&t_count, 1);
	sem_post(&t_arrived);
	return 0;
}

/* A deadline never fires early, and always fires. */
static void deadlines_are_kept(void)
{
	static struct shca_wire_user user;
	uint32_t i;

	t_engine_start();
	t_on_tick = wait_for_wanted;
	for (i = 0; i < 50; i++) {
		uint64_t now = shca_now();

		while (!sem_trywait(&t_arrived))
			;
		wanted = now + (uint64_t)t_random_below(5000000);
		shca_watch_add(&user);
		shca_wakeup_at(wanted);
		if (!t_await_arrival())
			break;
		CHECK(shca_now() >= wanted);
	}
	shca_watch_remove(&user);
	t_engine_stop();
}

static void *watch_and_forget(void *argument)
{
	struct shca_wire_user *user = argument;
	uint32_t i;

	for (i = 0; i < ROUNDS; i++) {
		shca_watch_add(user);
		if (i % 3 == 0)
			shca_wakeup_at(1);
		shca_watch_remove(user);
		/* No other thread uses it now. */
		user->idle_since = i;
		user->next_watched = user;
		user->idle_since = 0;
	}
	return NULL;
}

static void removed_queue_pairs_are_not_ticked(void)
{
	static struct shca_wire_user users[3];
	pthread_t threads[3];
	int i;

	t_engine_start();
	t_on_tick = nothing_outstanding;
	for (i = 0; i < 3; i++)
		T_MUST(!pthread_create(&threads[i], NULL, watch_and_forget, &users[i]));
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	t_engine_stop();
}

/* Several threads send bursts while this process goes to sleep and wakes: no packet is left behind. */
static struct shca_link *burst_link;

static void *send_bursts(void *unused)
{
	uint32_t seed = (uint32_t)(uintptr_t)unused;
	uint32_t i;
	uint32_t n = 0;

	for (i = 0; i < ROUNDS; i++) {
		uint32_t burst;

		seed = seed * 1664525 + 1013904223;
		for (burst = seed >> 28; burst; burst--, n++) {
			while (!t_try_send(burst_link, NULL, n, 8))
				shca_engine_progress(T_SET);
		}
		shca_link_ring_doorbell(burst_link);
		if (seed >> 8 & 1)
			usleep(seed >> 12 & 63);
	}
	return (void *)(uintptr_t)n;
}

static void send_many_bursts(int fd)
{
	pthread_t threads[2];
	int64_t sent = 0;
	int i;

	t_engine_start();
	burst_link = t_link_to((uint32_t)t_get(fd));
	T_MUST(burst_link);
	for (i = 0; i < 2; i++)
		T_MUST(!pthread_create(&threads[i], NULL, send_bursts, (void *)(uintptr_t)(i + 1)));
	for (i = 0; i < 2; i++) {
		void *number;

		pthread_join(threads[i], &number);
		sent += (int64_t)(uintptr_t)number;
	}
	t_put(fd, sent);
	/* The last packet must be handled although none follows. */
	T_WAIT_UNTIL(shca_link_is_drained(burst_link));
	t_get(fd);
	t_engine_stop();
}

static void no_packet_is_left_behind(void)
{
	struct t_process other = t_fork(send_many_bursts);
	int64_t sent;

	t_engine_start();
	t_put(other.fd, shca_fabric_slot());
	sent = t_get(other.fd);
	T_WAIT_UNTIL(atomic_load(&t_count) == sent);
	CHECK_EQ(sent, atomic_load(&t_count));
	t_put(other.fd, 0);
	t_join(&other);
	t_engine_stop();
}

static void starts_and_stops_again(void)
{
	int i;

	for (i = 0; i < 200; i++) {
		struct shca_link *link;

		t_engine_start();
		link = t_link_to(shca_fabric_slot());
		T_MUST(link);
		t_send_one(link, 0, 100);
		T_WAIT_UNTIL(atomic_load(&t_count) == 1);
		t_engine_stop();
	}
	CHECK_EQ(1, shca_links_used(T_SET));
}

static void *poll_all_the_time(void *until)
{
	while (!atomic_load((_Atomic bool *)until)) {
		t_poll_once();
		shca_engine_arm(T_SET, 0);
	}
	return NULL;
}

/* Many threads drain, block and are unblocked at once. */
static void threads_share_the_links(void)
{
	static _Atomic bool done;
	struct t_process other;
	pthread_t threads[3];
	int64_t sent;
	int i;

	other = t_fork(send_many_bursts);
	t_engine_start();
	for (i = 0; i < 3; i++)
		T_MUST(!pthread_create(&threads[i], NULL, poll_all_the_time, &done));
	t_put(other.fd, shca_fabric_slot());
	sent = t_get(other.fd);
	T_WAIT_UNTIL(atomic_load(&t_count) == sent);
	shca_links_quiesce(T_SET);
	atomic_store(&done, true);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	t_put(other.fd, 0);
	t_join(&other);
	t_engine_stop();
}

/* ---- measurements: no check depends on them ---- */

static void take_all(int fd)
{
	t_engine_start();
	t_on_packet = NULL;
	t_put(fd, shca_fabric_slot());
	while (!t_is_readable(fd)) {
		int i;

		for (i = 0; i < 1000; i++)
			t_poll_once();
	}
	t_engine_stop();
}

static void print_bandwidth(void)
{
	static uint8_t from[4 << 20];
	struct t_process other = t_fork(take_all);
	uint32_t slot = (uint32_t)t_get(other.fd);
	struct shca_link *link;
	uint64_t begun;
	uint64_t sent;

	t_engine_start();
	link = t_link_to(slot);
	T_MUST(link);
	memset(from, 1, sizeof(from));
	begun = shca_now();
	for (sent = 0; sent < BANDWIDTH_BYTES; ) {
		struct shca_packet *packet = shca_link_begin(link, NULL, SHCA_SEGMENT);

		if (!packet)
			continue;
		packet->type = SHCA_SEND;
		packet->source = t_qpn(shca_fabric_slot());
		packet->destination = t_qpn(slot);
		memcpy(shca_link_payload(link, packet), from + sent % sizeof(from), SHCA_SEGMENT);
		shca_link_end(link, packet, 0);
		sent += SHCA_SEGMENT;
	}
	shca_link_ring_doorbell(link);
	T_POLL_UNTIL(shca_link_is_drained(link));
	printf("16 KiB segments, one copy: %.1f GB/s\n", (double)sent / (double)(shca_now() - begun));
	t_put(other.fd, 0);
	t_join(&other);
	t_engine_stop();
}

static void print_figures(void)
{
	uint64_t begun;
	uint32_t i;

	t_engine_start();
	T_MUST(t_link_to(shca_fabric_slot()));
	begun = shca_now();
	for (i = 0; i < 10000000; i++)
		t_poll_once();
	printf("an empty look at %u links: %.1f ns\n", shca_links_used(T_SET), (double)(shca_now() - begun) / 1e7);
	t_engine_stop();
	print_bandwidth();
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(idle_process_never_wakes);
	T_RUN(idle_queue_pair_is_not_ticked);
	T_RUN(deadlines_are_kept);
	T_RUN(removed_queue_pairs_are_not_ticked);
	T_RUN(starts_and_stops_again);
	T_RUN(no_packet_is_left_behind);
	T_RUN(threads_share_the_links);
	T_RUN(print_figures);
	t_fabric_close();
	return t_result();
}
