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

#include "progress/shca_timers.h"

#include "base/shca_clock.h"
#include "cm/shca_cm_progress.h"
#include "queue_pair/shca_queue_pair_progress.h"
#include "wire/shca_link.h"
#include "wire/shca_process.h"
#include "wire/shca_wakeup.h"
#include "wire/shca_watch.h"

/* Work of a link that waits for a time. */
static void check_link(struct shca_link *link, uint64_t now)
{
	uint64_t held_until = atomic_load(&link->held_until);

	if (held_until)
		shca_wakeup_at(held_until);
	if (atomic_load(&link->woken_at))
		shca_link_check_woken(link);
	if (atomic_load(&link->woken_at))
		shca_wakeup_at(now + SHCA_WOKEN_CHECK_NS);
}

static void check_processes(uint64_t now)
{
	uint32_t count = shca_process_count();

	for (uint32_t i = 0; i < count; i++) {
		struct shca_process *process = shca_process_at(i);
		struct shca_link *link = atomic_load(&process->links);

		if (!shca_process_is_up(process))
			continue;
		if (atomic_load(&process->has_messages))
			shca_process_send_waiting(process);
		for (; link; link = link->next_of_process)
			if (shca_link_is_up(link))
				check_link(link, now);
	}
}

/*
 * A queue pair that is about to leave is marked as not watched before its last tick: a later post watches it again, and
 * the tick sees an earlier post.
 */
static uint64_t tick(struct shca_wire_user *user, uint64_t now)
{
	uint64_t deadline = shca_watch_until(user, shca_qp_tick(user, now), now);

	if (!deadline) {
		shca_watch_leave(user);
		deadline = shca_qp_tick(user, now);
		if (!deadline || !shca_watch_return(user))
			return 0;
	}
	shca_watch_keep(user);
	return deadline;
}

static uint64_t tick_queue_pairs(uint64_t now)
{
	struct shca_wire_user *list = shca_watch_begin();
	struct shca_wire_user *user;
	uint64_t next = 0;

	while ((user = shca_watch_next(&list)))
		next = shca_sooner(next, tick(user, now));
	shca_watch_end();
	return next;
}

void shca_timers_run(uint64_t now)
{
	uint64_t next;

	check_processes(now);
	next = tick_queue_pairs(now);
	if (next)
		shca_wakeup_at(next);
	next = shca_cm_tick(now);
	if (next)
		shca_wakeup_at(next);
}
