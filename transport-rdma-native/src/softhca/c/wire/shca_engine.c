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
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "shca.h"
#include "shca_cm.h"
#include "shca_engine.h"
#include "shca_fabric_file.h"
#include "shca_fault.h"
#include "shca_link_internal.h"
#include "shca_watch.h"

#define NS_PER_S	1000000000ull
/* How long the helper thread leaves the links to somebody who polls, before it looks whether he still does. */
#define ATTENDED_NS	1000000u
/* The same in doubt: after a kick, the poll that was seen may have been the last one before the caller slept. */
#define DOUBT_NS	50000u
#define SLACK_NS	1000u
#define BUDGET		64u
/* Of BUDGET packets each, more than a ring holds; or as often another thread is left to do it. */
#define CATCH_UPS	1024u
#define EVENTS		32
#define NEVER		UINT64_MAX

static struct {
	pthread_mutex_t lock;		/* of users, start and stop */
	unsigned int users;
	bool is_forked;			/* a child: the helper thread, the links and the slot are its parent's */
	bool has_fork_handler;
	pthread_t thread;
	int epoll_fd;
	int wake_fd;
	int listening_fd;
	_Atomic bool stopping;
	_Atomic uint64_t deadline;	/* the earliest that anybody asked for */
	_Atomic uint64_t asleep_until;	/* 0: the helper thread is awake and will look at deadline */
} engine = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.epoll_fd = -1,
	.wake_fd = -1,
	.deadline = NEVER,
};

_Atomic uint32_t shca_engine_polled;

uint64_t shca_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* ---- progress: any thread ---- */

bool shca_engine_progress(void)
{
	struct shca_link *link = shca_link_at(0);
	struct shca_link *end = link + shca_link_count();
	unsigned int handled = 0;

	for (; link != end; link++) {
		if (!shca_link_is_up(link))
			continue;
		if (SHCA_UNLIKELY(shca_ring_has_packet(&link->rx)) && shca_link_has_packet(link))
			handled += shca_link_drain(link, BUDGET);
		if (SHCA_UNLIKELY(atomic_load_explicit(&link->has_blocked, memory_order_relaxed)))
			shca_link_unblock(link);
		if (SHCA_UNLIKELY(atomic_load_explicit(&link->is_unrung, memory_order_relaxed)))
			shca_link_ring_doorbell(link);
	}
	return handled;
}

static bool has_packet(void)
{
	uint32_t count = shca_link_count();
	uint32_t i;

	for (i = 0; i < count; i++)
		if (shca_link_is_up(shca_link_at(i)) && shca_link_has_packet(shca_link_at(i)))
			return true;
	return false;
}

void shca_engine_catch_up(void)
{
	for (unsigned int i = 0; i < CATCH_UPS && has_packet(); i++)
		if (!shca_engine_progress())
			sched_yield();
}

void shca_engine_wake(void)
{
	uint64_t one = 1;

	if (engine.wake_fd >= 0 && write(engine.wake_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		fprintf(stderr, "softhca: cannot wake the helper thread: %s\n", strerror(errno));
}

/*
 * The deadline goes down, then the sleeper is looked at; the sleeper says how long it sleeps, then looks at the
 * deadline once more. All sequentially consistent: one of the two sees the other.
 */
void shca_engine_schedule(uint64_t deadline)
{
	uint64_t known = atomic_load(&engine.deadline);

	while (deadline < known)
		if (atomic_compare_exchange_weak(&engine.deadline, &known, deadline))
			break;
	if (deadline < atomic_load(&engine.asleep_until))
		shca_engine_wake();
}

/* After this whoever sends wakes us; so what was sent before is looked for here. */
void shca_engine_arm(void)
{
	_Atomic uint32_t *doorbell = shca_fabric_doorbell(shca_fabric_slot());

	if (atomic_load_explicit(doorbell, memory_order_relaxed))
		return;
	atomic_store(doorbell, 1);
	shca_full_fence();
	shca_engine_progress();
}

/* ---- the helper thread ---- */

/* What waits for a time in the links themselves. */
static void mind_links(void)
{
	uint32_t count = shca_link_count();
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct shca_link *link = shca_link_at(i);
		uint64_t held_until = atomic_load(&link->held_until);

		if (!shca_link_is_up(link))
			continue;
		if (atomic_load(&link->has_messages))
			shca_link_send_waiting(link);
		if (held_until)
			shca_engine_schedule(held_until);
	}
}

/*
 * Who asks for a time later than the one that is over changes nothing, and that one is taken away here. So after
 * that everything that waits is looked at, and asks anew; who comes later finds no deadline.
 */
static void run_timers(void)
{
	uint64_t deadline = atomic_load(&engine.deadline);
	uint64_t now;
	uint64_t next;

	if (deadline == NEVER)
		return;
	now = shca_now();
	if (now < deadline)
		return;
	atomic_store(&engine.deadline, NEVER);
	mind_links();
	next = shca_watch_tick(now);
	if (next)
		shca_engine_schedule(next);
	next = shca_cm_tick(now);
	if (next)
		shca_engine_schedule(next);
	shca_engine_progress();
}

static void sleep_until(uint64_t deadline)
{
	struct pollfd set = { .fd = engine.epoll_fd, .events = POLLIN };
	struct timespec left;
	uint64_t now;

	atomic_store(&engine.asleep_until, deadline);
	if (atomic_load(&engine.deadline) < deadline) {
		atomic_store(&engine.asleep_until, 0);
		return;
	}
	if (deadline == NEVER) {
		ppoll(&set, 1, NULL, NULL);
	} else {
		now = shca_now();
		left.tv_sec = deadline > now ? (time_t)((deadline - now) / NS_PER_S) : 0;
		left.tv_nsec = deadline > now ? (long)((deadline - now) % NS_PER_S) : 0;
		ppoll(&set, 1, &left, NULL);
	}
	atomic_store(&engine.asleep_until, 0);
}

static void handle_event(void *owner)
{
	uint64_t count;

	if (owner == &engine.listening_fd) {
		shca_links_accept(engine.listening_fd);
	} else if (owner == &engine.wake_fd) {
		if (read(engine.wake_fd, &count, sizeof(count)) < 0)
			return;
	} else {
		shca_link_readable(owner);
	}
}

/* Whether there were any. */
static bool handle_events(void)
{
	struct epoll_event events[EVENTS];
	int count = epoll_wait(engine.epoll_fd, events, EVENTS, 0);
	int i;

	for (i = 0; i < count; i++)
		handle_event(events[i].data.ptr);
	return count > 0;
}

static void sleep_at_most(uint64_t ns, uint64_t until)
{
	uint64_t next = shca_now() + ns;

	sleep_until(next < until ? next : until);
}

/* Nobody polls: senders are to wake us, and what they sent before they knew is handled here. */
static void stand_in(uint64_t until)
{
	atomic_store(shca_fabric_doorbell(shca_fabric_slot()), 1);
	shca_full_fence();
	if (shca_engine_progress())
		return;
	/* What is left then, another thread is handling: it may be waiting for the processor that we run on. */
	if (has_packet())
		sleep_at_most(DOUBT_NS, until);
	else
		sleep_until(until);
}

/*
 * The doorbell is never taken away here, only by those who then kick. So who arms stays armed, whatever the
 * helper thread believes about polls that it saw.
 */
static void *help(void *unused)
{
	bool kicked = false;

	prctl(PR_SET_NAME, "softhca");
	prctl(PR_SET_TIMERSLACK, SLACK_NS);
	while (!atomic_load(&engine.stopping)) {
		uint64_t until = atomic_load(&engine.deadline);

		if (atomic_exchange_explicit(&shca_engine_polled, 0, memory_order_relaxed))
			sleep_at_most(kicked ? DOUBT_NS : ATTENDED_NS, until);
		else
			stand_in(until);
		kicked = handle_events();
		if (kicked)
			shca_engine_progress();
		run_timers();
	}
	return unused;
}

int shca_engine_watch_fd(int fd, void *owner)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP, .data.ptr = owner };

	if (!epoll_ctl(engine.epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return 0;
	fprintf(stderr, "softhca: epoll_ctl: %s. See /proc/sys/fs/epoll/max_user_watches\n", strerror(errno));
	return -errno;
}

void shca_engine_unwatch_fd(int fd)
{
	epoll_ctl(engine.epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

/* ---- start and stop ---- */

/* Not in the middle of a start or a stop. */
static void before_fork(void)
{
	pthread_mutex_lock(&engine.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&engine.lock);
}

static void close_descriptors(void)
{
	if (engine.epoll_fd >= 0)
		close(engine.epoll_fd);
	if (engine.wake_fd >= 0)
		close(engine.wake_fd);
	engine.epoll_fd = -1;
	engine.wake_fd = -1;
}

/* The child has the parent's descriptors, and not its helper thread. Locks on open files are shared, too. */
static void forked(void)
{
	pthread_mutex_init(&engine.lock, NULL);
	if (!engine.users)
		return;
	engine.is_forked = true;
	engine.users = 0;
	close_descriptors();
	shca_watch_forked();
	shca_links_forked();
	shca_fabric_forked();
}

static int open_descriptors(void)
{
	int result = shca_links_open(&engine.listening_fd);

	if (result)
		return result;
	engine.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	engine.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (engine.epoll_fd < 0 || engine.wake_fd < 0) {
		result = -errno;
		fprintf(stderr, "softhca: no descriptor for the helper thread: %s. See ulimit -n\n", strerror(errno));
		return result;
	}
	result = shca_engine_watch_fd(engine.listening_fd, &engine.listening_fd);
	return result ? result : shca_engine_watch_fd(engine.wake_fd, &engine.wake_fd);
}

static void close_all(void)
{
	shca_links_close();
	close_descriptors();
	shca_fabric_leave();
}

/* Signals are for the program's own threads. */
static int start_thread(void)
{
	sigset_t all;
	sigset_t before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&engine.thread, NULL, help, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		fprintf(stderr, "softhca: no helper thread: %s. See ulimit -u\n", strerror(error));
	return -error;
}

static int start(void)
{
	int result;

	shca_fault_init();
	if (!engine.has_fork_handler && pthread_atfork(before_fork, after_fork, forked))
		return -ENOMEM;
	engine.has_fork_handler = true;
	result = shca_fabric_enter();
	if (result)
		return result;
	atomic_store(&engine.stopping, false);
	atomic_store(&engine.deadline, NEVER);
	result = open_descriptors();
	if (!result)
		result = start_thread();
	if (result)
		close_all();
	return result;
}

int shca_engine_start(void)
{
	int result = 0;

	pthread_mutex_lock(&engine.lock);
	if (engine.is_forked)
		result = -ENODEV;
	else if (!engine.users)
		result = start();
	if (!result)
		engine.users++;
	pthread_mutex_unlock(&engine.lock);
	return result;
}

void shca_engine_stop(void)
{
	pthread_mutex_lock(&engine.lock);
	if (engine.users && --engine.users == 0) {
		atomic_store(&engine.stopping, true);
		shca_engine_wake();
		pthread_join(engine.thread, NULL);
		close_all();
	}
	pthread_mutex_unlock(&engine.lock);
}
