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

/* The queue behind every file descriptor that signals events. */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/shca_event_queue.h"
#include "t_child.h"
#include "t_context.h"

static struct shca_event_queue queue;
static char things[100];

static void put(int thing)
{
	T_MUST(!shca_event_queue_reserve(&queue));
	shca_event_queue_put(&queue, &things[thing]);
}

static int get(void)
{
	char *thing = shca_event_queue_get(&queue, NULL);

	return thing ? (int)(thing - things) : -1;
}

static void set_blocking(bool blocking)
{
	int flags = fcntl(queue.fd, F_GETFL);

	T_MUST(!fcntl(queue.fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK));
}

static bool is_even(void *event, void *what)
{
	(void)what;
	return ((char *)event - things) % 2 == 0;
}

static bool is_it(void *event, void *what)
{
	return event == what;
}

static void check_empty(void)
{
	CHECK(!t_is_readable(queue.fd));
	errno = 0;
	CHECK_EQ(-1, get());
	CHECK_EQ(EAGAIN, errno);
}

static void events_come_in_order(void)
{
	check_empty();
	for (int i = 0; i < 100; i++)
		put(i);
	for (int i = 0; i < 100; i++) {
		CHECK(t_is_readable(queue.fd));
		CHECK_EQ(i, get());
	}
	check_empty();
}

static void reserved_room_is_kept(void)
{
	for (int i = 0; i < 70; i++)
		CHECK_EQ(0, shca_event_queue_reserve(&queue));
	for (int i = 0; i < 20; i++)
		put(i);
	for (int i = 20; i < 80; i++)
		shca_event_queue_put(&queue, &things[i]);
	for (int i = 0; i < 10; i++)
		shca_event_queue_unreserve(&queue);
	CHECK_EQ(0, queue.reserved);
	for (int i = 0; i < 80; i++)
		CHECK_EQ(i, get());
	check_empty();
}

static int removals;

static void count_removal(void *event)
{
	CHECK(is_even(event, NULL));
	removals++;
}

static void removal_clears_the_descriptor(void)
{
	for (int i = 0; i < 10; i++)
		put(i);
	CHECK_EQ(5, shca_event_queue_remove(&queue, is_even, NULL, count_removal));
	CHECK_EQ(5, removals);
	CHECK_EQ(0, shca_event_queue_remove(&queue, is_even, NULL, count_removal));
	for (int i = 1; i < 10; i += 2)
		CHECK_EQ(i, get());
	check_empty();
}

static void *get_one(void *result)
{
	*(int *)result = get();
	return NULL;
}

static void blocked_reader_gets_the_next_event(void)
{
	int got = -2;
	pthread_t reader;

	set_blocking(true);
	reader = t_start(get_one, &got);
	/* Whether the reader waits already or not, it does not get a removed event. */
	put(4);
	if (shca_event_queue_remove(&queue, is_it, &things[4], NULL) == 1) {
		put(7);
		pthread_join(reader, NULL);
		CHECK_EQ(7, got);
	} else {
		pthread_join(reader, NULL);
		CHECK_EQ(4, got);
	}
	set_blocking(false);
	check_empty();
}

static void on_signal(int signal)
{
	(void)signal;
}

static _Atomic bool is_interrupted;

static void *be_interrupted(void *unused)
{
	(void)unused;
	errno = 0;
	CHECK_EQ(-1, get());
	CHECK_EQ(EINTR, errno);
	atomic_store(&is_interrupted, true);
	return NULL;
}

static void a_signal_interrupts(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t reader;

	T_MUST(!sigaction(SIGUSR1, &action, NULL));
	set_blocking(true);
	reader = t_start(be_interrupted, NULL);
	/* The reader may not be waiting yet when the first signals come. */
	while (!atomic_load(&is_interrupted)) {
		pthread_kill(reader, SIGUSR1);
		sched_yield();
	}
	pthread_join(reader, NULL);
	set_blocking(false);
}

/* ---- an older kernel, such as those of RHEL 8 and Ubuntu 20.04 ---- */

static void on_an_older_kernel(void)
{
	struct sock_filter is_preadv2[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_preadv2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = 4, .filter = is_preadv2 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		T_NOT_RUN("filters of system calls are refused here: %s", strerror(errno));
		return;
	}
	events_come_in_order();
	removal_clears_the_descriptor();
	/* The reader and the removal may both want to read the descriptor. */
	for (int i = 0; i < 2000; i++)
		blocked_reader_gets_the_next_event();
}

static void eventfd_without_nowait(void)
{
	t_in_child(NULL, NULL, on_an_older_kernel);
}

/* ---- many threads: every event is fetched or removed, once ---- */

#define ROUNDS 20000

static _Atomic int got_count, removed_count;
static char last;

static void *get_many(void *unused)
{
	(void)unused;
	for (;;) {
		void *event = shca_event_queue_get(&queue, NULL);

		if (!event) {
			CHECK_EQ(EINTR, errno);
			continue;
		}
		if (event == &last)
			return NULL;
		atomic_fetch_add(&got_count, 1);
	}
}

static void *remove_many(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++)
		atomic_fetch_add(&removed_count, (int)shca_event_queue_remove(&queue, is_it, &things[i % 4], NULL));
	return NULL;
}

static void nothing_is_lost_among_threads(void)
{
	pthread_t threads[3];

	set_blocking(true);
	threads[0] = t_start(remove_many, NULL);
	threads[1] = t_start(get_many, NULL);
	threads[2] = t_start(get_many, NULL);
	for (int i = 0; i < ROUNDS; i++)
		put(t_random_below(8));
	pthread_join(threads[0], NULL);
	for (int i = 0; i < 2; i++) {
		T_MUST(!shca_event_queue_reserve(&queue));
		shca_event_queue_put(&queue, &last);
	}
	pthread_join(threads[1], NULL);
	pthread_join(threads[2], NULL);
	CHECK_EQ(ROUNDS, got_count + removed_count);
	set_blocking(false);
	check_empty();
	CHECK_EQ(0, queue.reserved);
	CHECK_EQ(0, queue.holders);
}

int main(void)
{
	t_seed();
	T_MUST(!shca_event_queue_open(&queue));
	set_blocking(false);
	T_RUN(eventfd_without_nowait);
	T_RUN(events_come_in_order);
	T_RUN(reserved_room_is_kept);
	T_RUN(removal_clears_the_descriptor);
	T_RUN(blocked_reader_gets_the_next_event);
	T_RUN(a_signal_interrupts);
	T_RUN(nothing_is_lost_among_threads);
	shca_event_queue_close(&queue);
	return t_result();
}
