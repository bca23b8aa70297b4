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

#include "wire/shca_watch.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/shca_clock.h"
#include "base/shca_util.h"
#include "wire/shca_wakeup.h"
#include "wire/shca_wire_upcalls.h"
#include "wire/shca_wire_user.h"

/* Delay of the first tick of a newly watched queue pair, which starts its timers. */
#define FIRST_TICK_NS	1000000u
/*
 * A queue pair with nothing outstanding stays watched for a while: the next post is likely to come soon, and then need
 * not wake the helper thread. Its timer then starts late, by at most a quarter of its time and one of these periods.
 */
#define SHORT_IDLE_TICK_NS	10000000u
#define LONG_IDLE_TICK_NS	250000000u
#define LINGER_TICKS		10u

/* Under list_lock, which is taken after a queue pair's. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct shca_wire_user *watched;
/* Held during a round of ticks; taken before any other lock. */
static pthread_mutex_t tick_lock = PTHREAD_MUTEX_INITIALIZER;

static void push(struct shca_wire_user *user)
{
	pthread_mutex_lock(&list_lock);
	user->next_watched = watched;
	watched = user;
	pthread_mutex_unlock(&list_lock);
}

void shca_watch_add(struct shca_wire_user *user)
{
	if (SHCA_LIKELY(atomic_load_explicit(&user->is_watched, memory_order_relaxed)))
		return;
	if (atomic_exchange(&user->is_watched, true))
		return;
	push(user);
	shca_wakeup_at(shca_now() + FIRST_TICK_NS);
}

/* The next deadline of an idle queue pair; 0: stop watching it. */
static uint64_t linger(struct shca_wire_user *user, uint64_t now)
{
	uint64_t timeout = atomic_load_explicit(&user->timeout, memory_order_relaxed);
	uint64_t period = timeout / 4;

	if (!timeout || period > LONG_IDLE_TICK_NS)
		period = LONG_IDLE_TICK_NS;
	else if (period < SHORT_IDLE_TICK_NS)
		period = SHORT_IDLE_TICK_NS;
	if (!user->idle_since)
		user->idle_since = now;
	if (now - user->idle_since < LINGER_TICKS * period)
		return now + period;
	user->idle_since = 0;
	return 0;
}

/*
 * A queue pair that is about to leave is marked as not watched before its last tick: a later post watches it again, and
 * the tick sees an earlier post.
 */
static uint64_t tick(struct shca_wire_user *user, uint64_t now)
{
	uint64_t deadline = shca_qp_tick(user, now);

	if (deadline)
		user->idle_since = 0;
	else
		deadline = linger(user, now);
	if (!deadline) {
		atomic_store(&user->is_watched, false);
		deadline = shca_qp_tick(user, now);
		if (!deadline || atomic_exchange(&user->is_watched, true))
			return 0;
	}
	push(user);
	return deadline;
}

uint64_t shca_watch_tick(uint64_t now)
{
	struct shca_wire_user *list;
	uint64_t next = 0;

	pthread_mutex_lock(&tick_lock);
	pthread_mutex_lock(&list_lock);
	list = watched;
	watched = NULL;
	pthread_mutex_unlock(&list_lock);
	while (list) {
		/* Read next first: the tick may put the queue pair on the list again. */
		struct shca_wire_user *user = list;

		list = user->next_watched;
		next = shca_sooner(next, tick(user, now));
	}
	pthread_mutex_unlock(&tick_lock);
	return next;
}

void shca_watch_remove(struct shca_wire_user *user)
{
	struct shca_wire_user **at = &watched;

	pthread_mutex_lock(&tick_lock);
	pthread_mutex_lock(&list_lock);
	while (*at && *at != user)
		at = &(*at)->next_watched;
	if (*at)
		*at = user->next_watched;
	pthread_mutex_unlock(&list_lock);
	pthread_mutex_unlock(&tick_lock);
	atomic_store(&user->is_watched, false);
}

void shca_watch_forked(void)
{
	pthread_mutex_init(&list_lock, NULL);
	pthread_mutex_init(&tick_lock, NULL);
	watched = NULL;
}
