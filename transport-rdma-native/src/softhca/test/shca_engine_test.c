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
#include "fabric/shca_fabric.h"
#include "wire/shca_engine.h"
#include "wire/shca_link.h"
#include "wire/shca_wakeup.h"
#include "wire/shca_watch.h"
#include "wire/shca_wire_user.h"
#include "t_wire.h"

#define ROUNDS		2000u
#define LATENCY_ROUNDS	20000u
#define BANDWIDTH_BYTES	(512ull << 20)

static sem_t arrived;
static _Atomic uint32_t count;

static void note_arrival(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	(void)link;
	(void)packet;
	(void)payload;
	atomic_fetch_add(&count, 1);
	sem_post(&arrived);
}

static bool await_arrival(void)
{
	bool came = t_wait_posted(&arrived);

	if (!came)
		T_FAIL("nobody was woken");
	return came;
}

static void start(void)
{
	T_MUST(!sem_init(&arrived, 0, 0));
	atomic_store(&count, 0);
	t_on_packet = note_arrival;
	t_on_tick = NULL;
	T_MUST(!shca_engine_start());
}

static void stop(void)
{
	shca_engine_stop();
	sem_destroy(&arrived);
}

static void send_one(struct shca_link *link, uint32_t number, uint32_t size)
{
	T_POLL_UNTIL(t_try_send(link, NULL, number, size));
	shca_link_ring_doorbell(link);
}

/* ---- how often the helper thread has slept ---- */

static long sleeps_of(const char *task)
{
	char path[300];
	char line[200];
	long sleeps = -1;
	bool is_helper = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", task);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (!strcmp(line, "Name:\tsofthca\n"))
			is_helper = true;
		sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps);
	}
	if (file)
		fclose(file);
	return is_helper ? sleeps : -1;
}

static long look_at_tasks(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	long found = -1;

	T_MUST(tasks);
	while (found < 0 && (entry = readdir(tasks)))
		found = sleeps_of(entry->d_name);
	closedir(tasks);
	return found;
}

/* Waits for the helper thread, which sets its name first. */
static long helper_sleeps(void)
{
	long sleeps = -1;

	T_WAIT_UNTIL((sleeps = look_at_tasks()) >= 0);
	return sleeps;
}

/* Waits until the helper thread has not woken for 300 ms, longer than any timeout of its own. */
static void expect_rest(void)
{
	uint64_t limit = shca_now() + T_PATIENCE_MS * 1000000ull;
	long before;

	do {
		before = helper_sleeps();
		usleep(300000);
	} while (helper_sleeps() != before && shca_now() < limit);
	if (helper_sleeps() != before)
		T_FAIL("the helper thread goes on waking");
}

static void idle_process_never_wakes(void)
{
	start();
	expect_rest();
	/* Polls keep it awake; after the last one it sleeps. */
	shca_engine_note_poll();
	shca_wakeup_now();
	expect_rest();
	stop();
}

static uint64_t nothing_outstanding(struct shca_wire_user *user, uint64_t now)
{
	(void)user;
	(void)now;
	atomic_fetch_add(&count, 1);
	return 0;
}

static void idle_queue_pair_is_left_alone_after_a_while(void)
{
	static struct shca_wire_user users[3];
	uint32_t ticks;
	int i;

	start();
	t_on_tick = nothing_outstanding;
	for (i = 0; i < 3; i++)
		shca_watch_add(&users[i]);
	shca_watch_add(&users[0]);
	T_WAIT_UNTIL(!users[0].is_watched && !users[1].is_watched && !users[2].is_watched);
	expect_rest();
	ticks = atomic_load(&count);
	CHECK(ticks >= 6);
	/* Another post starts the ticks again, and removal ends them. */
	shca_watch_add(&users[1]);
	T_WAIT_UNTIL(atomic_load(&count) != ticks);
	shca_watch_remove(&users[1]);
	CHECK(!users[1].is_watched);
	ticks = atomic_load(&count);
	expect_rest();
	CHECK_EQ(ticks, atomic_load(&count));
	stop();
}

static _Atomic uint64_t wanted;

static uint64_t wait_for_wanted(struct shca_wire_user *user, uint64_t now)
{
	(void)user;
	if (now < wanted)
		return wanted;
	atomic_fetch_add(&count, 1);
	sem_post(&arrived);
	return 0;
}

/* A deadline never fires early, and always fires. */
static void deadlines_are_kept(void)
{
	static struct shca_wire_user user;
	uint32_t i;

	start();
	t_on_tick = wait_for_wanted;
	for (i = 0; i < 50; i++) {
		uint64_t now = shca_now();

		while (!sem_trywait(&arrived))
			;
		wanted = now + (uint64_t)t_random_below(5000000);
		shca_watch_add(&user);
		shca_wakeup_at(wanted);
		if (!await_arrival())
			break;
		CHECK(shca_now() >= wanted);
	}
	shca_watch_remove(&user);
	stop();
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

static void forgotten_queue_pairs_are_not_touched(void)
{
	static struct shca_wire_user users[3];
	pthread_t threads[3];
	int i;

	start();
	t_on_tick = nothing_outstanding;
	for (i = 0; i < 3; i++)
		T_MUST(!pthread_create(&threads[i], NULL, watch_and_forget, &users[i]));
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	stop();
}

/* ---- two processes, one of which answers each packet in a way that the test chooses ---- */

enum way {
	BY_HELPER,		/* neither polls: both are woken for every packet */
	ARMED,			/* polls for a while, arms, polls once more, sleeps */
	POLLING,
};

static enum way way;

static void answer(struct shca_link *link, const struct shca_packet *packet, const uint8_t *payload)
{
	(void)payload;
	atomic_fetch_add(&count, 1);
	T_MUST(t_try_send(link, NULL, packet->offset, packet->payload));
	sem_post(&arrived);
}

/* Waits as an event loop waits for its completion queue. */
static bool wait_armed(uint32_t before)
{
	int spins = t_random_below(300);

	while (spins-- && atomic_load(&count) == before)
		t_poll_once();
	shca_engine_arm();
	if (atomic_load(&count) == before)
		t_poll_once();
	return await_arrival();
}

static bool wait_in_some_way(uint32_t before)
{
	switch (way) {
	case BY_HELPER:
		return await_arrival();
	case ARMED:
		return wait_armed(before);
	default:
		T_POLL_UNTIL(atomic_load(&count) != before);
		/* The semaphore is posted after the count, perhaps by the helper thread. */
		return await_arrival();
	}
}

static void answer_all(int fd)
{
	uint32_t rounds;
	uint32_t i;

	start();
	t_on_packet = answer;
	t_tell(fd, shca_fabric_slot());
	rounds = (uint32_t)t_hear(fd);
	for (i = 0; i < rounds && wait_in_some_way(i); i++)
		;
	CHECK_EQ(0, t_hear(fd));
	stop();
}

/* Returns the mean time of half a round trip, in ns. */
static uint64_t go_and_return(enum way chosen, uint32_t rounds)
{
	struct t_process other;
	struct shca_link *link;
	uint64_t begun = 0;
	uint64_t ended;
	uint32_t slot;
	uint32_t i;

	way = chosen;
	other = t_fork(answer_all);
	slot = (uint32_t)t_hear(other.fd);
	start();
	link = shca_link_to(slot);
	T_MUST(link);
	t_tell(other.fd, rounds);
	for (i = 0; i < rounds; i++) {
		if (i == rounds / 10)
			begun = shca_now();
		send_one(link, i, 64);
		if (!wait_in_some_way(i))
			break;
	}
	ended = shca_now();
	CHECK_EQ(rounds, atomic_load(&count));
	t_tell(other.fd, 0);
	t_join(&other);
	stop();
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
				shca_engine_progress();
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

	start();
	burst_link = shca_link_to((uint32_t)t_hear(fd));
	T_MUST(burst_link);
	for (i = 0; i < 2; i++)
		T_MUST(!pthread_create(&threads[i], NULL, send_bursts, (void *)(uintptr_t)(i + 1)));
	for (i = 0; i < 2; i++) {
		void *number;

		pthread_join(threads[i], &number);
		sent += (int64_t)(uintptr_t)number;
	}
	t_tell(fd, sent);
	/* The last packet must be handled although none follows. */
	T_WAIT_UNTIL(shca_link_is_drained(burst_link));
	t_hear(fd);
	stop();
}

static void nothing_is_left_lying(void)
{
	struct t_process other = t_fork(send_many_bursts);
	int64_t sent;

	start();
	t_tell(other.fd, shca_fabric_slot());
	sent = t_hear(other.fd);
	T_WAIT_UNTIL(atomic_load(&count) == sent);
	CHECK_EQ(sent, atomic_load(&count));
	t_tell(other.fd, 0);
	t_join(&other);
	stop();
}

static void starts_and_stops_again(void)
{
	int i;

	for (i = 0; i < 200; i++) {
		struct shca_link *link;

		start();
		link = shca_link_to(shca_fabric_slot());
		T_MUST(link);
		send_one(link, 0, 100);
		T_WAIT_UNTIL(atomic_load(&count) == 1);
		stop();
	}
	CHECK_EQ(1, shca_link_count());
}

static void *poll_all_the_time(void *until)
{
	while (!atomic_load((_Atomic bool *)until)) {
		t_poll_once();
		shca_engine_arm();
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
	start();
	for (i = 0; i < 3; i++)
		T_MUST(!pthread_create(&threads[i], NULL, poll_all_the_time, &done));
	t_tell(other.fd, shca_fabric_slot());
	sent = t_hear(other.fd);
	T_WAIT_UNTIL(atomic_load(&count) == sent);
	shca_links_quiesce();
	atomic_store(&done, true);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	t_tell(other.fd, 0);
	t_join(&other);
	stop();
}

/* ---- measurements: no check depends on them ---- */

static void take_all(int fd)
{
	start();
	t_on_packet = NULL;
	t_tell(fd, shca_fabric_slot());
	while (!t_is_readable(fd)) {
		int i;

		for (i = 0; i < 1000; i++)
			t_poll_once();
	}
	stop();
}

static void print_bandwidth(void)
{
	static uint8_t from[4 << 20];
	struct t_process other = t_fork(take_all);
	uint32_t slot = (uint32_t)t_hear(other.fd);
	struct shca_link *link;
	uint64_t begun;
	uint64_t sent;

	start();
	link = shca_link_to(slot);
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
		shca_link_end(link, packet);
		sent += SHCA_SEGMENT;
	}
	shca_link_ring_doorbell(link);
	T_POLL_UNTIL(shca_link_is_drained(link));
	printf("16 KiB segments, one copy: %.1f GB/s\n", (double)sent / (double)(shca_now() - begun));
	t_tell(other.fd, 0);
	t_join(&other);
	stop();
}

static void print_figures(void)
{
	uint64_t begun;
	uint32_t i;

	printf("64 bytes one way, both polling: %llu ns\n",
	       (unsigned long long)go_and_return(POLLING, LATENCY_ROUNDS));
	printf("64 bytes one way, both woken: %llu ns\n", (unsigned long long)go_and_return(BY_HELPER, ROUNDS));
	start();
	T_MUST(shca_link_to(shca_fabric_slot()));
	begun = shca_now();
	for (i = 0; i < 10000000; i++)
		t_poll_once();
	printf("an empty look at %u links: %.1f ns\n", shca_link_count(), (double)(shca_now() - begun) / 1e7);
	stop();
	print_bandwidth();
}

int main(void)
{
	t_seed();
	t_fabric_open();
	T_RUN(idle_process_never_wakes);
	T_RUN(idle_queue_pair_is_left_alone_after_a_while);
	T_RUN(deadlines_are_kept);
	T_RUN(forgotten_queue_pairs_are_not_touched);
	T_RUN(starts_and_stops_again);
	T_RUN(sleeping_processes_are_woken);
	T_RUN(armed_processes_are_woken);
	T_RUN(nothing_is_left_lying);
	T_RUN(threads_share_the_links);
	T_RUN(print_figures);
	t_fabric_close();
	return t_result();
}
