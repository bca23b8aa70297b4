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

#include "wire/shca_engine.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/shca_clock.h"
#include "base/shca_say.h"
#include "base/shca_util.h"
#include "fault/shca_fault.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_link_internal.h"
#include "wire/shca_waker.h"
#include "wire/shca_wakeup.h"
#include "wire/shca_watch.h"
#include "wire/shca_wire_upcalls.h"

/*
 * How long the helper thread leaves the links to a polling thread before it checks whether that thread still polls: at
 * first, and at most. The time doubles from check to check, so that the helper thread seldom takes a processor from
 * threads that poll all the time.
 */
#define FIRST_CHECK_NS	50000u
/* After a message, which brings no packet with it: a busy connection manager does not make the helper thread spin. */
#define MESSAGE_CHECK_NS	1000000u
#define LAST_CHECK_NS	200000000u
#define SLACK_NS	1000u
/* Until a process that lacks descriptors tries again to accept another. */
#define ACCEPT_PAUSE_NS	20000000u
#define BUDGET		64u
/* Rounds of BUDGET packets each: more than a ring holds. A round in which another thread drains yields to it. */
#define CATCH_UPS	1024u

static struct {
	pthread_mutex_t lock;		/* for users, start and stop */
	unsigned int users;
	bool is_forked;			/* a child: helper thread, links and slot are the parent's */
	bool has_fork_handler;
	pthread_t thread;
	int listening_fd;
	uint64_t accept_at;		/* helper thread only: not before; 0: at any time */
	_Atomic bool stopping;
} engine = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

_Atomic uint32_t shca_engine_polled;

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
		if (SHCA_UNLIKELY(atomic_load_explicit(&link->unrung, memory_order_relaxed)))
			shca_link_ring_doorbell(link);
		if (SHCA_UNLIKELY(atomic_load_explicit(&link->woken_at, memory_order_relaxed)))
			shca_link_check_woken(link);
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

/*
 * From now on senders wake us, so we handle the packets that were sent before. A packet may come while another thread
 * drains its link, and has seen that there are no more: then we must not sleep before that thread has left.
 *
 *	another thread		sender				we
 *	finds no more
 *				publishes a packet
 *				finds nobody to wake
 *								set the bits
 *								cannot drain
 *	leaves
 *								find the packet: drain
 */
void shca_engine_arm(uint32_t waker)
{
	_Atomic uint32_t *doorbell = shca_fabric_doorbell(shca_fabric_slot());
	uint32_t bits = waker ? SHCA_RING_DEVICE | 1u << waker : SHCA_RING_STAND_IN;

	if ((atomic_load_explicit(doorbell, memory_order_relaxed) & bits) == bits)
		return;
	if (waker)
		shca_waker_pass(waker);
	atomic_fetch_or(doorbell, bits);
	shca_full_fence();
	shca_engine_progress();
	shca_engine_catch_up();
	if (SHCA_UNLIKELY(has_packet()))
		shca_wakeup_now();
}

/* ---- the helper thread ---- */

/* Work of the links that waits for a time. */
static void mind_links(uint64_t now)
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
			shca_wakeup_at(held_until);
		if (atomic_load(&link->woken_at))
			shca_link_check_woken(link);
		if (atomic_load(&link->woken_at))
			shca_wakeup_at(now + SHCA_WOKEN_CHECK_NS);
	}
}

static void accept_again(uint64_t now)
{
	if (!engine.accept_at)
		return;
	if (now < engine.accept_at) {
		shca_wakeup_at(engine.accept_at);
		return;
	}
	engine.accept_at = 0;
	shca_wakeup_heed_fd(engine.listening_fd, &engine.listening_fd, true);
}

/*
 * shca_wakeup_at ignores a time later than the current deadline, and this function clears an expired deadline. So it
 * then examines everything that waits, which asks for its time again. A later call finds no deadline set.
 */
static void run_timers(void)
{
	uint64_t deadline = shca_wakeup_deadline();
	uint64_t now;
	uint64_t next;

	if (deadline == SHCA_NEVER)
		return;
	now = shca_now();
	if (now < deadline)
		return;
	shca_wakeup_forget_deadline();
	mind_links(now);
	accept_again(now);
	next = shca_watch_tick(now);
	if (next)
		shca_wakeup_at(next);
	next = shca_cm_tick(now);
	if (next)
		shca_wakeup_at(next);
	shca_engine_progress();
}

static bool handle_event(void *owner)
{
	if (owner != &engine.listening_fd)
		return shca_link_readable(owner);
	if (!shca_links_accept(engine.listening_fd)) {
		shca_wakeup_heed_fd(engine.listening_fd, &engine.listening_fd, false);
		engine.accept_at = shca_now() + ACCEPT_PAUSE_NS;
		shca_wakeup_at(engine.accept_at);
	}
	/* A new peer may have sent packets already. */
	return true;
}

static void sleep_at_most(uint64_t ns, uint64_t until)
{
	uint64_t next = shca_now() + ns;

	shca_wakeup_sleep_until(next < until ? next : until);
}

/* Nobody polls: senders wake us from now on, and packets that they sent before they knew are handled here. */
static void stand_in(uint64_t until)
{
	atomic_fetch_or(shca_fabric_doorbell(shca_fabric_slot()), SHCA_RING_STAND_IN);
	shca_full_fence();
	if (shca_engine_progress())
		return;
	/* Another thread is handling the packets that are left; it may be waiting for the processor that we run on. */
	if (has_packet())
		sleep_at_most(FIRST_CHECK_NS, until);
	else
		shca_wakeup_sleep_until(until);
}

/*
 * The helper thread never clears the doorbell; only a sender does, which then kicks. So a caller that arms stays armed,
 * whatever polls the helper thread believes to have seen. After a kick it checks soon: the poll that it saw may have
 * been the last one.
 */
static void *help(void *unused)
{
	uint64_t check = FIRST_CHECK_NS;

	prctl(PR_SET_NAME, "softhca");
	prctl(PR_SET_TIMERSLACK, SLACK_NS);
	while (!atomic_load(&engine.stopping)) {
		uint64_t until = shca_wakeup_deadline();

		if (atomic_exchange_explicit(&shca_engine_polled, 0, memory_order_relaxed)) {
			sleep_at_most(check, until);
			check = check < LAST_CHECK_NS / 2 ? 2 * check : LAST_CHECK_NS;
		} else {
			stand_in(until);
			check = FIRST_CHECK_NS;
		}
		switch (shca_wakeup_handle(handle_event)) {
		case SHCA_WAKEUP_KICK:
			shca_engine_progress();
			check = FIRST_CHECK_NS;
			break;
		case SHCA_WAKEUP_MESSAGE:
			shca_engine_progress();
			check = check < MESSAGE_CHECK_NS ? check : MESSAGE_CHECK_NS;
			break;
		case SHCA_WAKEUP_TIME:
			break;
		}
		run_timers();
	}
	return unused;
}

/* ---- start and stop ---- */

/* Prevents a fork in the middle of a start or a stop. */
static void before_fork(void)
{
	pthread_mutex_lock(&engine.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&engine.lock);
}

/* The child has the parent's descriptors, but no helper thread. Locks on open files are shared, too. */
static void forked(void)
{
	pthread_mutex_init(&engine.lock, NULL);
	if (!engine.users)
		return;
	engine.is_forked = true;
	engine.users = 0;
	shca_wakeup_close();
	shca_watch_forked();
	shca_wakers_forked();
	shca_links_forked();
	shca_fabric_forked();
}

static int open_descriptors(void)
{
	int result = shca_links_open(&engine.listening_fd);

	engine.accept_at = 0;
	if (!result)
		result = shca_wakeup_open();
	return result ? result : shca_wakeup_watch_fd(engine.listening_fd, &engine.listening_fd);
}

static void close_all(void)
{
	shca_links_close();
	shca_wakeup_close();
	shca_fabric_leave();
}

/* Signals are for the program's own threads, so the helper thread blocks them all. */
static int start_thread(void)
{
	sigset_t all;
	sigset_t before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&engine.thread, NULL, help, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error ? shca_fail(error, "no helper thread: %s. See ulimit -u", strerror(error)) : 0;
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
	shca_wakeup_forget_deadline();
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
		shca_wakeup_now();
		pthread_join(engine.thread, NULL);
		close_all();
	}
	pthread_mutex_unlock(&engine.lock);
}

bool shca_engine_is_stopped(void)
{
	bool stopped;

	pthread_mutex_lock(&engine.lock);
	stopped = !engine.users;
	pthread_mutex_unlock(&engine.lock);
	return stopped;
}
