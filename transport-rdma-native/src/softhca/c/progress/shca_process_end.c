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

/* The end of a process and its links. Packets that the peer sent before its own end still count. */
#include "progress/shca_process_end.h"

#include "cm/shca_cm_progress.h"
#include "progress/shca_drain.h"
#include "queue_pair/shca_queue_pair_progress.h"
#include "wire/shca_link.h"
#include "wire/shca_process.h"

static void empty(struct shca_link *link)
{
	pthread_mutex_lock(&link->rx_lock);
	shca_drain_rest(link);
	shca_link_empty(link);
	/* Acknowledgements still owed go into private memory. */
	shca_qp_acknowledge_all(link);
	pthread_mutex_unlock(&link->rx_lock);
}

/* A connection may have ended by the packets of any link, so all come before connection management. */
static void end_links(struct shca_process *process)
{
	struct shca_link *link = atomic_load(&process->links);

	for (; link; link = link->next_of_process)
		shca_link_mark_dead(link);
	for (link = atomic_load(&process->links); link; link = link->next_of_process)
		empty(link);
	shca_process_close(process);
}

static void free_links(struct shca_process *process)
{
	struct shca_link *link = atomic_exchange(&process->links, NULL);

	while (link) {
		struct shca_link *next = link->next_of_process;

		shca_link_make_free(link);
		link = next;
	}
	shca_process_make_free(process);
}

void shca_process_end_dead(struct shca_process *process)
{
	bool was_up = shca_process_mark_dead(process);

	end_links(process);
	if (was_up) {
		for (struct shca_link *link = atomic_load(&process->links); link; link = link->next_of_process)
			while (atomic_load(&link->has_blocked))
				shca_drain_unblock(link);
		shca_cm_process_died(process);
	}
	free_links(process);
}

void shca_process_end_all(void)
{
	uint32_t count = shca_process_count();

	for (uint32_t i = 0; i < count; i++) {
		struct shca_process *process = shca_process_at(i);

		if (atomic_load(&process->state) == SHCA_PROCESS_FREE)
			continue;
		shca_process_mark_dead(process);
		end_links(process);
		free_links(process);
	}
}
