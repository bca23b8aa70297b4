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

#include "progress/shca_helper.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/shca_clock.h"
#include "base/shca_say.h"
#include "base/shca_upcalls.h"
#include "progress/shca_inbox.h"
#include "progress/shca_poll.h"
#include "progress/shca_timers.h"
#include "registry/shca_fabric_file.h"
#include "wire/shca_process.h"
#include "wire/shca_wakeup.h"

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

static struct {
	pthread_t thread;
	int listening_fd;
	uint64_t checks[SHCA_LINK_SETS];	/* the thread's own: ns until it looks whether a set is still polled */
	uint64_t accept_at;		/* the thread's own: not before; 0: at any time */
	_Atomic bool stopping;
} helper;

/* Handles what is there. Returns whether a packet came. */
static bool progress_all(void)
{
	bool handled = false;

	for (uint32_t i = 0; i < SHCA_LINK_SETS; i++)
		handled |= shca_engine_progress(&shca_link_sets[i]);
	return handled;
}

static void accept_again(uint64_t now)
{
	if (!helper.accept_at)
		return;
	if (now < helper.accept_at) {
		shca_wakeup_at(helper.accept_at);
		return;
	}
	helper.accept_at = 0;
	shca_wakeup_enable_fd(helper.listening_fd, &helper.listening_fd, true);
}

/*
 * shca_wakeup_at ignores a time later than the current deadline, and this function clears an expired deadline. So it
 * then examines everything that waits, which asks for its time again. A later call finds no deadline set.
 */
static void run_timers(void)
{
	uint64_t deadline = shca_wakeup_deadline();
	uint64_t now;

	if (deadline == SHCA_NEVER)
		return;
	now = shca_now();
	if (now < deadline)
		return;
	shca_wakeup_forget_deadline();
	accept_again(now);
	shca_timers_run(now);
	progress_all();
}

static bool handle_event(void *owner)
{
	if (owner != &helper.listening_fd)
		return shca_inbox_read(owner);
	if (!shca_processes_accept(helper.listening_fd)) {
		shca_wakeup_enable_fd(helper.listening_fd, &helper.listening_fd, false);
		helper.accept_at = shca_now() + ACCEPT_PAUSE_NS;
		shca_wakeup_at(helper.accept_at);
	}
	/* A new peer may have sent packets already. */
	return true;
}

/*
 * No thread polls the set: senders wake us from now on, and packets that they sent before they knew are handled here.
 * Returns for how long at most the helper thread may sleep: not long while another thread handles the packets that are
 * left, which may be waiting for the processor that we run on.
 */
static uint64_t stand_in(struct shca_link_set *set)
{
	atomic_fetch_or(shca_fabric_doorbell(shca_fabric_slot(), shca_link_set_number(set)), SHCA_RING_STAND_IN);
	shca_full_fence();
	if (shca_engine_progress(set))
		return 0;
	return shca_poll_has_packet(set) ? FIRST_CHECK_NS : SHCA_NEVER;
}

/* Leaves a set to the threads that poll it, for twice as long each time. Returns for how long. */
static uint64_t look_at(struct shca_link_set *set, uint64_t *check)
{
	uint64_t leave = *check;

	if (!atomic_exchange_explicit(&set->polled, 0, memory_order_relaxed)) {
		*check = FIRST_CHECK_NS;
		return stand_in(set);
	}
	*check = leave < LAST_CHECK_NS / 2 ? 2 * leave : LAST_CHECK_NS;
	return leave;
}

static void check_soon(uint64_t ns)
{
	for (uint32_t i = 0; i < SHCA_LINK_SETS; i++)
		if (helper.checks[i] > ns)
			helper.checks[i] = ns;
}

static void sleep_a_while(uint64_t until)
{
	uint64_t longest = SHCA_NEVER;

	for (uint32_t i = 0; i < SHCA_LINK_SETS; i++) {
		uint64_t leave = look_at(&shca_link_sets[i], &helper.checks[i]);

		longest = leave < longest ? leave : longest;
	}
	if (longest != SHCA_NEVER)
		longest += shca_now();
	if (longest > shca_now())
		shca_wakeup_sleep_until(longest < until ? longest : until);
}

/*
 * The helper thread never clears a doorbell; only a sender does, which then kicks. So a caller that arms stays armed,
 * whatever polls the helper thread believes to have seen. After a kick it checks soon: the poll that it saw may have
 * been the last one.
 */
static void *helper_main(void *unused)
{
	prctl(PR_SET_NAME, "softhca");
	prctl(PR_SET_TIMERSLACK, SLACK_NS);
	while (!atomic_load(&helper.stopping)) {
		sleep_a_while(shca_wakeup_deadline());
		switch (shca_wakeup_handle(handle_event)) {
		case SHCA_WAKEUP_KICK:
			progress_all();
			check_soon(FIRST_CHECK_NS);
			break;
		case SHCA_WAKEUP_MESSAGE:
			progress_all();
			check_soon(MESSAGE_CHECK_NS);
			break;
		case SHCA_WAKEUP_TIME:
			break;
		}
		run_timers();
	}
	return unused;
}

/* Signals are for the program's own threads, so the helper thread blocks them all. */
static int start_thread(void)
{
	sigset_t all;
	sigset_t before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&helper.thread, NULL, helper_main, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error ? shca_fail(error, "no helper thread: %s. See ulimit -u", strerror(error)) : 0;
}

int shca_helper_start(int listening_fd)
{
	int result = shca_wakeup_watch_fd(listening_fd, &helper.listening_fd);

	helper.listening_fd = listening_fd;
	helper.accept_at = 0;
	for (uint32_t i = 0; i < SHCA_LINK_SETS; i++)
		helper.checks[i] = FIRST_CHECK_NS;
	atomic_store(&helper.stopping, false);
	return result ? result : start_thread();
}

void shca_helper_stop(void)
{
	atomic_store(&helper.stopping, true);
	shca_wakeup_now();
	pthread_join(helper.thread, NULL);
}
